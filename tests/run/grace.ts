import type { Session } from '../engine/session.ts'

/** What ends jobs: a terminal, GitLab, Jenkins and Kubernetes. */
export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Lets a signal end the run as it should end: nothing more is asked or changed, what is changed is put back, and the
 * report is written. Playwright does so on SIGINT, and without that on the others.
 */
export function stopWithGrace(session: Session): void {
  for (const signal of SIGNALS)
    process.on(signal, () => {
      session.run.interrupt()
      if (signal !== 'SIGINT') process.kill(process.pid, 'SIGINT')
    })
}
