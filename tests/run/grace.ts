import type { Session } from '../engine/judging/session.ts'

/** What ends jobs: a terminal, GitLab, Jenkins and Kubernetes. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const BETWEEN_LOOKS_MS = 250

/** Tells of each signal that is to end this process, and once of the end of the npm that started it, which gives no signal. */
export function onEnd(end: (signal?: NodeJS.Signals) => void): void {
  for (const signal of SIGNALS) process.on(signal, () => end(signal))
  if (process.env['npm_lifecycle_event'] === undefined) return
  const parent = Number(process.env['STARTED_BY_PID'] ?? process.ppid)
  const looking = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(looking)
    end()
  }, BETWEEN_LOOKS_MS).unref()
}

/** What is said where a signal ends a run that has judged nothing yet. */
export const NOTHING_JUDGED = 'Interrupted; nothing was judged.'

// Playwright loads the configuration, the global setup and the reporters into one process and one graph of modules.
let isHeeding = false
let isSignalled = false
let session: Session | undefined
let underWay: Promise<unknown> = Promise.resolve()

/**
 * Lets a signal end the run as it should end: nothing more is asked or changed, what is changed is put back, and the
 * report is written. Playwright does so on SIGINT, and without that on the others.
 */
export function heedSignals(): void {
  if (isHeeding) return
  isHeeding = true
  onEnd((signal) => {
    isSignalled = true
    session?.run.interrupt()
    if (signal !== 'SIGINT') process.kill(process.pid, 'SIGINT')
  })
}

/** Lets a signal, also one that has come before, end what a session does. */
export function stopWithGrace(opened: Session): void {
  session = opened
  if (isSignalled) session.run.interrupt()
}

/** Lets the reporters wait for some work: once a signal has come, Playwright itself does not. */
export function outlasting<T>(work: Promise<T>): Promise<T> {
  underWay = work.catch(() => undefined)
  return work
}

/** Waits for the work that is under way. */
export async function atRest(): Promise<void> {
  await underWay
}
