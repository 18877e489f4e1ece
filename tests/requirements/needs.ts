import type { Trial } from '../engine/trial.ts'

export function requireWrites(trial: Trial): void {
  if (!trial.session.target.allowWrites)
    trial.notExercised('Needs an update of a contact; set ALLOW_WRITES=true where the target may be written to.')
}

export function requireOtherToken(trial: Trial): void {
  if (trial.session.target.otherAccessToken === undefined)
    trial.notExercised('Needs a second company; set OTHER_ACCESS_TOKEN to a token of one.')
}
