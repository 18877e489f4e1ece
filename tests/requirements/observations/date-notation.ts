import { DAY_MS } from '../../engine/time/instants.ts'
import type { Requirement } from '../../engine/judging/requirement.ts'
import type { Trial } from '../../engine/judging/trial.ts'
import { formatFor, type DateParameters } from '../checks/dates/date-format-discovery.ts'
import { createdContacts, dayOf, explainingOffsets } from '../checks/dates/date-ranges.ts'
import { findingOn, tellingDays } from '../checks/dates/telling-days.ts'
import { endsOf } from '../checks/dates/ends-of-ranges.ts'
import { observation } from './observation.ts'

/** Format, time zone and ends of the contact list's dates. */
export const dateObservations: readonly Requirement[] = [
  observation('listContacts', 'date-format', 'format of date', (trial) => format(trial, 'date')),
  observation('listContacts', 'range-format', 'format of dateStart and dateEnd', (trial) => format(trial, 'range')),
  observation('listContacts', 'date-zone', 'time zone in which days are counted', zones, {
    // As far as the days can tell on which contacts were created.
    volatile: true,
  }),
  observation('listContacts', 'date-ends', 'whether the days of dateStart and dateEnd count', ends),
]

async function format(trial: Trial, parameters: DateParameters): Promise<string> {
  const choice = await formatFor(trial, parameters)
  if (choice.effect !== 'understood')
    return trial.notExercised('Needs a format that the target takes; set DATE_FORMAT.')
  return choice.format.name
}

async function zones(trial: Trial): Promise<string> {
  await format(trial, 'date')
  const { format: form } = await formatFor(trial, 'date')
  if (!form.wholeDay) return 'an instant, not a day'
  const created = await createdContacts(trial)
  // The days that the requirement asks for too.
  const instant = tellingDays(trial, created)[0]?.instant ?? created[0]!.at.earliest
  const days = [-1, 0, 1].map((step) => dayOf(instant + step * DAY_MS))
  const offsets = await Promise.all(
    days.map(async (day) => {
      const query = { date: form.write(Date.parse(day)) }
      const found = await trial.filtered('listContacts', query, findingOn(created, day))
      return explainingOffsets(created, found, day)
    }),
  )
  const common = offsets[0]!.filter((offset) => offsets.every((others) => others.includes(offset)))
  const [least, most] = [Math.min(...common), Math.max(...common)]
  if (common.length === 0) return 'none explains it'
  return least === most ? zone(least) : `between ${zone(least)} and ${zone(most)}`
}

/** An offset from UTC in hours, such as UTC+5:30. */
function zone(offset: number): string {
  const minutes = (Math.abs(offset) % 1) * 60
  const size = `${Math.trunc(Math.abs(offset))}${minutes === 0 ? '' : `:${minutes}`}`
  return offset === 0 ? 'UTC' : `UTC${offset < 0 ? '-' : '+'}${size}`
}

async function ends(trial: Trial): Promise<Record<string, boolean>> {
  await format(trial, 'range')
  const counted = await endsOf(trial, (await formatFor(trial, 'range')).format)
  if (typeof counted === 'string') return trial.notExercised(counted)
  return { 'the day of dateStart counts': counted.start, 'the day of dateEnd counts': counted.end }
}
