import { NotExercised } from './judging/trial.ts'
import { Unanswered } from './trouble/unanswered.ts'

/** What is asked for, or a substitute where the target gave no usable answer or its data lack what is needed. */
export async function orElse<T, U>(wanted: Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await wanted
  } catch (error) {
    if (error instanceof Unanswered || error instanceof NotExercised) return otherwise
    throw error
  }
}
