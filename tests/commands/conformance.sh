for word; do
  case $word in --help | -h) exec node --import tsx tests/commands/conformance-help.ts ;; esac
done
case " $*" in *\ -*) node --import tsx tests/commands/conformance-options.ts "$@" || exit ;; esac
# Playwright takes the place of this shell, so that signals reach it; npm may be gone by the time that it is loaded.
export STARTED_BY_PID=$PPID
exec playwright test "$@"
