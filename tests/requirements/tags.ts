import { isForbidden } from '../engine/http/exchange.ts'
import { idOf, isObject, sameValue, type Located, type Schemas } from '../engine/data/records.ts'
import type { Requirement } from '../engine/judging/requirement.ts'
import type { Trial } from '../engine/judging/trial.ts'
import { unknownTagId } from './calls.ts'
import { fetchTag, tagsToFetch, type Fetched } from './checks/lists/fetched-tag.ts'
import { SECTION } from './operations.ts'
import { nearTo } from './unknown-value.ts'

/** As much of an id is no other id by chance, and may be taken for the whole by what compares beginnings. */
const LONG_ID = 8

/** The tag list and the tag fetched by id. */
export const tags: readonly Requirement[] = [
  {
    id: 'listTags.tags.count',
    level: 'stated',
    title: 'The count of a tag list is the number of tags returned.',
    source: SECTION.listTags,
    operations: ['listTags'],
    phase: 'review',
    check: judgeCount,
  },
  {
    id: 'getTag.tags.each',
    level: 'implied',
    title: 'Each listed tag can be fetched by its id.',
    source: SECTION.getTag,
    operations: ['getTag', 'listTags'],
    check: (trial) => judgeEach(trial),
  },
  {
    id: 'getTag.tags.same',
    level: 'implied',
    title: 'A fetched tag equals the listed one.',
    source: SECTION.getTag,
    operations: ['getTag', 'listTags'],
    check: (trial) => judgeSame(trial),
  },
  {
    id: 'getTag.tags.unknown',
    level: 'implied',
    title: 'An id that no tag has fetches no tag, and is no success.',
    source: SECTION.getTag,
    operations: ['getTag'],
    check: judgeUnknown,
  },
]

async function judgeCount(trial: Trial): Promise<void> {
  await trial.session.ask('listTags')
  for (const { exchange, usable, body } of trial.session.evidence.answers) {
    if (exchange.operation !== 'listTags' || !usable) continue
    const { count, tags } = body as { count: unknown; tags: unknown[] }
    if (typeof count !== 'number') continue
    trial.count('answers')
    trial.count('tags', tags.length)
    if (count !== tags.length)
      trial.fail({
        message: 'count is not the number of tags returned',
        expected: tags.length,
        received: count,
        exchange,
        pointer: '/count',
      })
  }
  if (!trial.examined['answers']) trial.notExercised('Needs a tag list whose count is a number; see TagList.count.')
}

async function fetchEach(
  trial: Trial,
  most: number | undefined,
): Promise<(Fetched & { readonly listed: Located<Schemas['Tag']> })[]> {
  const listed = (await tagsToFetch(trial)).slice(0, most)
  if (listed.length === 0) trial.notExercised('Needs a tag; the target lists none.')
  return Promise.all(listed.map(async (tag) => ({ listed: tag, ...(await fetchTag(trial, idOf(tag.value)!)) })))
}

/** @param most how many tags are fetched, where it is fewer than usual. */
export async function judgeEach(trial: Trial, most?: number): Promise<void> {
  const all = await fetchEach(trial, most)
  if (all.every(({ exchange }) => isForbidden(exchange)))
    trial.notExercised('Needs a token that may call getTag; this one is refused.')
  for (const { listed, fetched, status, exchange } of all) {
    trial.count('tags')
    const expected = idOf(listed.value)
    const place = { expected: `the tag ${expected}`, exchange }
    if (!fetched)
      trial.differ(
        {
          message: 'a listed tag cannot be fetched',
          ...place,
          received: `status ${status ?? exchange.failure?.message}`,
        },
        { operation: 'listTags', id: expected },
      )
    else if (idOf(fetched) !== expected)
      trial.fail({ message: 'a tag was answered with another id', ...place, received: fetched.id, pointer: '/id' })
  }
}

/** Documented fields that both show must agree; contacts may be cut short in the list, but not be others. */
export async function judgeSame(trial: Trial, most?: number): Promise<void> {
  const names = trial.session.contract.fieldNames('Tag') as (keyof Schemas['Tag'])[]
  const contactFields = trial.session.contract.fieldNames('Contact')
  const pairs = await fetchEach(trial, most)
  for (const { listed, fetched, exchange } of pairs) {
    if (!fetched || idOf(fetched) !== idOf(listed.value)) continue
    trial.count('tags')
    for (const name of names) {
      if (!(name in fetched) || !(name in listed.value)) continue
      trial.count('fields')
      const agree =
        name === 'contacts'
          ? sameContacts(contactFields, listed.value, fetched)
          : sameValue(listed.value[name], fetched[name])
      if (!agree)
        trial.differ(
          {
            message: `a fetched tag shows ${name} otherwise than the listed one`,
            expected: listed.value[name],
            received: fetched[name],
            exchange,
            pointer: `/${name}`,
          },
          { operation: 'listTags', id: idOf(fetched) },
        )
    }
  }
  if (!trial.examined['fields']) trial.notExercised('Needs a listed tag that can be fetched.')
  reportContacts(trial, pairs)
}

/**
 * What is fetched leaves out nothing that the list shows, and shows each contact once. What cuts contacts short in the list
 * has a length of its own: the same for every tag.
 */
function reportContacts(
  trial: Trial,
  pairs: readonly (Fetched & { readonly listed: Located<Schemas['Tag']> })[],
): void {
  const both = pairs.flatMap(({ listed, fetched, exchange }) => {
    if (!Array.isArray(listed.value.contacts) || !Array.isArray(fetched?.contacts)) return []
    const ids = fetched.contacts.map(idOf)
    const twice = ids.find((id, at) => id !== undefined && ids.indexOf(id) < at)
    if (twice !== undefined)
      trial.fail({
        message: 'a fetched tag shows the same contact twice',
        expected: 'each contact once',
        received: twice,
        exchange,
        pointer: '/contacts',
      })
    const shown = twice === undefined ? ids.length : new Set(ids).size
    return [{ id: idOf(fetched), listed: listed.value.contacts.length, fetched: shown, exchange }]
  })
  const longest = Math.max(...both.map(({ listed }) => listed))
  for (const { id, listed, fetched, exchange } of both) {
    const place = { exchange, pointer: '/contacts' }
    if (fetched < listed)
      trial.differ(
        {
          message: 'a fetched tag leaves out contacts that the listed one shows',
          expected: `${listed} contacts, as in the list`,
          received: `${fetched} contact(s)`,
          ...place,
        },
        { operation: 'listTags', id },
      )
    if (listed < Math.min(fetched, longest))
      trial.differ(
        {
          message: 'a listed tag leaves out contacts that the fetched one shows, and is not as long as others',
          expected: `${fetched} contacts, or ${longest}`,
          received: `${listed} contact(s)`,
          ...place,
        },
        { operation: 'listTags', id },
      )
  }
}

/** Whether the contacts of one are all among the other's, and show no field in another way than there. */
function sameContacts(fields: readonly string[], listed: Schemas['Tag'], fetched: Schemas['Tag']): boolean {
  const [few, many] = [listed, fetched]
    .map(({ contacts }) => (Array.isArray(contacts) ? (contacts as unknown[]) : []))
    .toSorted((a, b) => a.length - b.length)
  const byId = new Map(many!.map((contact) => [idOf(contact), contact]))
  return (
    (few!.length > 0 || many!.length === 0) &&
    few!.every((one) => {
      const other = byId.get(idOf(one))
      if (!isObject(one) || !isObject(other)) return sameValue(one, other)
      return fields.every((name) => !(name in one) || !(name in other) || sameValue(one[name], other[name]))
    })
  )
}

async function judgeUnknown(trial: Trial): Promise<void> {
  const all = await trial.list('listTags')
  const [known] = [...all.byId.keys()]
  if (known === undefined) return trial.notExercised('Needs a tag, to know the shape of an id; the target lists none.')
  // The control: this target does fetch tags.
  const control = await fetchTag(trial, known)
  if (!control.success) trial.notExercised('Needs a tag that can be fetched.')
  // What compares ids as patterns takes a wildcard for any of them.
  const beginning = known.length > LONG_ID ? known.slice(0, LONG_ID) : nearTo(known)[0]!
  const near = new Set([beginning, `${known}x`, '%'])
  for (const tagId of [await unknownTagId(trial), ...near]) {
    if (all.byId.has(tagId)) continue
    const { exchange, success, body } = await trial.session.attemptOnce('getTag', { path: { tagId } })
    trial.count('requests')
    if (!success) continue
    trial.fail({
      message: 'a call for an id that no tag has was a success',
      expected: 'no success status',
      received: `status ${exchange.response?.status} with ${idOf(body) === undefined ? 'something that is not a tag' : `the tag ${idOf(body)}`}`,
      exchange,
    })
  }
}
