import { NotExercised } from './trial.ts'
import { Unanswered } from './unanswered.ts'

/** What was looked for, or something else where it could not be had: for want of an answer, or of data. */
export async function orElse<T, U>(looked: Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await looked
  } catch (error) {
    if (error instanceof Unanswered || error instanceof NotExercised) return otherwise
    throw error
  }
}
