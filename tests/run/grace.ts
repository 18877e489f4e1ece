import type { Session } from '../engine/session.ts'

/** What ends jobs: a terminal, GitLab, Jenkins and Kubernetes. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const BETWEEN_LOOKS_MS = 250

/** Tells of each signal that is to end this process, and once of the end of the npm that started it, which gives no signal. */
export function onEnd(end: (signal?: NodeJS.Signals) => void): void {
  for (const signal of SIGNALS) process.on(signal, () => end(signal))
  if (process.env['npm_lifecycle_event'] === undefined) return
  const parent = process.ppid
  const looking = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(looking)
    end()
  }, BETWEEN_LOOKS_MS).unref()
}

/**
 * Lets a signal end the run as it should end: nothing more is asked or changed, what is changed is put back, and the
 * report is written. Playwright does so on SIGINT, and without that on the others.
 */
export function stopWithGrace(session: Session): void {
  onEnd((signal) => {
    session.run.interrupt()
    if (signal !== 'SIGINT') process.kill(process.pid, 'SIGINT')
  })
}
