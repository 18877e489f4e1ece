import { withoutControls } from '../wording/finding-line.ts'

/** How far a run has come. */
export interface Progress {
  /** Requirements that were looked at. */
  readonly done: number
  /** Requirements that were selected; 0 before they are known. */
  readonly selected: number
  readonly requests: number
  readonly seconds: number
  /** The title of the requirement that is looked at, if one is. */
  readonly title: string | undefined
}

/** How far a run has come, in a line of at most the given width: what a narrow terminal leaves out comes last. */
export function progressLine({ done, selected, requests, seconds, title }: Progress, width: number): string {
  const parts = [
    selected === 0 ? 'reaching the target' : `${done} of ${selected} requirements`,
    `${requests} ${requests === 1 ? 'request' : 'requests'}`,
    duration(seconds),
    ...(title === undefined ? [] : [areaOf(title)]),
  ]
  return Array.from(withoutControls(parts.join(', ')).replaceAll('\n', ' '))
    .slice(0, width)
    .join('')
}

/** What the requirement of a title is about: the first two parts of its id, such as `listTickets filter`. */
function areaOf(title: string): string {
  return title.split(':', 1)[0]!.split('.').slice(0, 2).join(' ')
}

function duration(seconds: number): string {
  const whole = Math.floor(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}
