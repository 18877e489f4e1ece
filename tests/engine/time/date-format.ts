import { DateTime } from 'luxon'

/** A way to write a day, or the instant at which it begins in UTC, as a filter's value. */
export interface DateFormat {
  readonly name: string
  /** Whether the text names a whole day rather than an instant. */
  readonly wholeDay: boolean
  readonly write: (instant: number) => string
}

/** A format by its name: `epoch-ms`, `epoch-s`, or a pattern as `isDatePattern` allows. */
export function dateFormat(name: string): DateFormat {
  if (name === 'epoch-ms') return { name, wholeDay: false, write: String }
  if (name === 'epoch-s') return { name, wholeDay: false, write: (instant) => String(Math.floor(instant / 1000)) }
  const pattern = name
    .replace(/\[([^\]]*)\]/g, "'$1'")
    .replace(/T(?=HH)/, "'T'")
    .replaceAll('YYYY', 'yyyy')
    .replaceAll('YY', 'yy')
    .replaceAll('ddd', 'ccc')
    .replaceAll('D', 'd')
  return {
    name,
    wholeDay: !/HH|mm/.test(name),
    write: (instant) => DateTime.fromMillis(instant, { zone: 'utc', locale: 'en-US' }).toFormat(pattern),
  }
}
