import { isServerError } from '../../engine/trouble/kinds-of-trouble.ts'
import type { Listing } from '../../engine/data/listing.ts'
import type { Trial } from '../../engine/judging/trial.ts'

/**
 * Values that are accepted elsewhere may be refused where nothing is found, or together, and are no error of the server's.
 * @param what was asked for, in words.
 */
export function judgeServerError(trial: Trial, { refusal }: Listing<unknown>, what: string): void {
  if (refusal && isServerError(refusal))
    trial.fail({
      message: `${what} was answered with a server error`,
      expected: 'a success, as for other values, or a refusal',
      received: `status ${refusal.response!.status}`,
      exchange: refusal,
    })
}
