import { counted } from '../wording/counted.ts'

/** How far a run has come. */
export interface Progress {
  /** Requirements that have been judged. */
  readonly judged: number
  /** Requirements that were selected; 0 before they are known. */
  readonly selected: number
  readonly requests: number
  readonly seconds: number
}

/** How far a run has come, in a line of at most the given width: what a narrow terminal leaves out comes last. */
export function progressLine({ judged, selected, requests, seconds }: Progress, width = Infinity): string {
  const parts = [
    selected === 0 ? 'reaching the target' : `${judged} of ${selected} requirements`,
    counted(requests, 'requests'),
    duration(seconds),
  ]
  return parts.join(', ').slice(0, width)
}

function duration(seconds: number): string {
  const whole = Math.floor(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}
