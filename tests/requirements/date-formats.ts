import { DateTime } from 'luxon'

/** A way to write a day, or the instant at which it begins in UTC, as a filter's value. */
export interface DateFormat {
  readonly name: string
  /** Whether the text names a whole day rather than an instant. */
  readonly wholeDay: boolean
  readonly write: (instant: number) => string
}

/** The usual formats, the commonest first. */
export const DATE_FORMATS: readonly DateFormat[] = [
  ...['YYYY-MM-DD', 'DD/MM/YYYY', 'MM/DD/YYYY', 'YYYY/MM/DD', 'DD-MM-YYYY', 'MM-DD-YYYY', 'DD.MM.YYYY', 'YYYYMMDD'],
  'YYYY-MM-DDTHH:mm:ss.SSS[Z]',
  'YYYY-MM-DDTHH:mm:ss[Z]',
  'YYYY-MM-DDTHH:mm:ss',
  'YYYY-MM-DD HH:mm:ss',
  'epoch-ms',
  'epoch-s',
].map(dateFormat)

/** A format by its name: `epoch-ms`, `epoch-s`, or a pattern of YYYY, MM, DD, HH, mm, ss, SSS and [literal text]. */
export function dateFormat(name: string): DateFormat {
  if (name === 'epoch-ms') return { name, wholeDay: false, write: String }
  if (name === 'epoch-s') return { name, wholeDay: false, write: (instant) => String(Math.floor(instant / 1000)) }
  const pattern = name
    .replace(/\[([^\]]*)\]/g, "'$1'")
    .replace(/T(?=HH)/, "'T'")
    .replaceAll('YYYY', 'yyyy')
    .replaceAll('YY', 'yy')
    .replaceAll('D', 'd')
  return {
    name,
    wholeDay: !/[Hm]/.test(name.replaceAll('MM', '')),
    write: (instant) => DateTime.fromMillis(instant, { zone: 'utc', locale: 'en-US' }).toFormat(pattern),
  }
}
