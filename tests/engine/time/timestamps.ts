import { readInstant, type Instant } from './instants.ts'

type Order = 'day first' | 'month first'

const MONTHS = 12
const DATE = String.raw`(\d{1,2})([/.-])(\d{1,2})\2(\d{4})`
const TIME = String.raw`(\d{1,2})(:\d{2}(?::\d{2}(?:\.\d+)?)?)(?:\s?([ap])\.?m\.?)?`
const LOCAL = new RegExp(String.raw`^\s*${DATE}(?:(?:,\s*|\s+|T)${TIME}(.*))?$`, 'i')

/**
 * Reads a target's timestamps whose format is not stated. Whether a local notation has the day first or the month, its
 * values tell together: what is above twelve is no month. Until one tells, or where they contradict each other, none is
 * read.
 */
export class Timestamps {
  readonly #orders = new Set<Order>()

  /** Learns from a value that the target shows. */
  learn(value: unknown): void {
    const [, first, , second] = (typeof value === 'string' && LOCAL.exec(value)) || []
    if (Number(first) > MONTHS) this.#orders.add('day first')
    if (Number(second) > MONTHS) this.#orders.add('month first')
  }

  /** Undefined where a value can't be read for certain. */
  read(value: unknown): Instant | undefined {
    const [order, another] = this.#orders
    const isLocal = typeof value === 'string' && order !== undefined && another === undefined && LOCAL.test(value)
    return readInstant(isLocal ? inSql(value, order) : value)
  }
}

/** A local notation as SQL writes it, with what comes after the time as it was. */
function inSql(value: string, order: Order): string {
  const [, first, , second, year, hour, rest = '', half, zone = ''] = LOCAL.exec(value)!
  const [day, month] = order === 'day first' ? [first, second] : [second, first]
  const date = [year, month!.padStart(2, '0'), day!.padStart(2, '0')].join('-')
  if (hour === undefined) return date
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  return `${date} ${String(hours).padStart(2, '0')}${rest}${zone}`
}
