# Playwright takes the place of this shell, so that signals reach it.
for word; do
  case $word in --help | -h) exec node --import tsx tests/commands/conformance-help.ts ;; esac
done
exec playwright test "$@"
