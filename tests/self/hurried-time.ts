import { realTime, type Time } from '../engine/time/time.ts'

/** How many times faster waiting is over. */
export const HURRY = 20

/** Time in which what waits does not wait long. */
export const hurriedTime: Time = { ...realTime, sleep: (ms, signal) => realTime.sleep(ms / HURRY, signal) }
