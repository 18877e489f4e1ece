import type { Trial } from '../engine/judging/trial.ts'

interface Need {
  readonly isMet: (trial: Trial) => boolean
  readonly reason: string
}

/** What a run may have to be given, by the setting. */
const NEEDS = {
  OTHER_ACCESS_TOKEN: {
    isMet: ({ session }) => session.target.otherAccessToken !== undefined,
    reason: 'Needs a second company; set OTHER_ACCESS_TOKEN to a token of one.',
  },
  DATASET: {
    isMet: ({ session }) => session.dataset !== undefined,
    reason: 'Needs known records; set DATASET to the file the target was loaded with.',
  },
  ALLOW_WRITES: {
    isMet: ({ session }) => session.target.allowWrites,
    reason: 'Needs an update of a contact; set ALLOW_WRITES=true where the target may be written to.',
  },
} satisfies Record<string, Need>

/** Ends a check that lacks settings, and names them all. */
export function requireSettings(trial: Trial, ...settings: readonly (keyof typeof NEEDS)[]): void {
  const missing = settings.map((name) => NEEDS[name]).filter(({ isMet }) => !isMet(trial))
  if (missing.length > 0) trial.notExercised(missing.map(({ reason }) => reason).join(' '))
}
