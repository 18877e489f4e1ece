import { everyRecord } from '../../../engine/data/every-record.ts'
import { grouped } from '../../../engine/data/grouped.ts'
import { asText, idOf, isObject, type Located, type Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'

/** The contact and the user that a schedule embeds are those that its ids name, on every page. */
export async function judgeEmbedded(
  trial: Trial,
  member: 'contact' | 'user',
  reference: 'contactId' | 'userId',
): Promise<void> {
  await judgeEmbeddedOnEveryPage(trial, member, reference)
  for (const { record, exchange, pointer } of everyRecord(trial, 'listSchedules')) {
    const id = idOf(record[member])
    const named = record[reference]
    if (id === undefined || asText(named) === undefined) continue
    trial.count('schedules')
    if (id !== asText(named))
      trial.fail({
        message: `the embedded ${member} is not the one that ${reference} names`,
        expected: named,
        received: id,
        exchange,
        pointer: `${pointer}/${member}/id`,
      })
  }
  if (!trial.examined['schedules']) trial.notExercised(`Needs schedules that show both ${member} and ${reference}.`)
}

/** On shorter pages, all schedules may be without by chance. */
const RECORDS_OF_A_PAGE = 3

/** What may be embedded is open, but not by the page: a later one shows it as the first does, of schedules in the same state. */
async function judgeEmbeddedOnEveryPage(
  trial: Trial,
  member: 'contact' | 'user',
  reference: 'contactId' | 'userId',
): Promise<void> {
  const [first, ...later] = (await trial.list('listSchedules')).pages
  const shows = ({ value }: Located<Schemas['Schedule']>): boolean => isObject(value[member])
  const traitsOf = ({ value }: Located<Schemas['Schedule']>): string =>
    JSON.stringify([value[reference], value.status, Boolean(value.sentAt)])
  if (!first || first.records.length < RECORDS_OF_A_PAGE || !first.records.every(shows)) return
  const traits = new Set(first.records.map(traitsOf))
  for (const { records } of later) {
    const alike = records.find((record) => traits.has(traitsOf(record)))
    if (alike && records.length >= RECORDS_OF_A_PAGE && !records.some(shows))
      trial.fail({
        message: `a later page embeds no ${member}, as each schedule of the first page does`,
        expected: `the ${member} ${alike.value[reference]}`,
        received: 'none',
        exchange: alike.exchange,
        pointer: `${alike.pointer}/${member}`,
      })
  }
}

/** So many names, each that of the schedule's contact, one user has not by chance. */
const NAMES_OF_CONTACTS = 3

/** A user has a name of their own, and not that of whichever contact the schedule is for. */
export async function judgeNamesOfUsers(trial: Trial): Promise<void> {
  await trial.list('listSchedules')
  const named = everyRecord(trial, 'listSchedules').flatMap(({ record, exchange, pointer }) => {
    const [name, ofContact] = [record['user'], record['contact']].map((one) => isObject(one) && one['name'])
    return name && name === ofContact ? [{ id: idOf(record['user']), name, exchange, pointer }] : []
  })
  for (const [, ofOne] of grouped(named, ({ id, exchange }) => id && JSON.stringify([id, exchange.number]))) {
    const [first] = ofOne
    if (first?.id === undefined || new Set(ofOne.map(({ name }) => name)).size < NAMES_OF_CONTACTS) continue
    trial.fail({
      message: 'a user has the name of the contact of each schedule',
      expected: `one name of the user ${first.id}`,
      received: first.name,
      exchange: first.exchange,
      pointer: `${first.pointer}/user/name`,
      occurrences: ofOne.length,
    })
  }
}
