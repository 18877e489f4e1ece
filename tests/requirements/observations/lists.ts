import { grouped } from '../../engine/data/grouped.ts'
import { asText, idOf, textOf, type ListOperation, type Schemas } from '../../engine/data/records.ts'
import { recordsOf } from '../../engine/data/listing.ts'
import type { Requirement } from '../../engine/judging/requirement.ts'
import type { Trial } from '../../engine/judging/trial.ts'
import { leavesOf } from '../checks/search/found-as-others.ts'
import { everySearchable, searchable } from '../checks/search/searchable.ts'
import { LISTS, PLURAL, PAGED, SEARCHED, STATUSES } from '../operations.ts'
import { observation, someOf, type Observe } from './observation.ts'
import { partOf } from './part-of-list.ts'
import { codeOf, describeExchange, isName, membersOf, patternOf, timestampFormat } from './shape.ts'

/** Of each kind of text, until one is found. */
const TEXTS_TRIED = 2

/** What a reader takes for one character may be several code units: an emoji, or a letter with its mark. */
const CHARACTERS = new Intl.Segmenter('en')

const VOLATILE = { volatile: true } as const

/** Order, limits, formats and shapes of the lists. */
export const listObservations: readonly Requirement[] = [
  ...LISTS.map((operation) => observation(operation, 'order', 'order of the records', order(operation), VOLATILE)),
  ...LISTS.filter((operation) => !PAGED.some((paged) => paged === operation)).map((operation) =>
    observation(operation, 'limit', 'records in the unpaged list', limit(operation), {
      source: 'Limits',
      ...VOLATILE,
    }),
  ),
  ...LISTS.map((operation) => observation(operation, 'created-at', 'format of createdAt', createdAt(operation))),
  ...LISTS.map((operation) =>
    observation(operation, 'other-fields', 'fields that are not documented', otherFields(operation)),
  ),
  ...SEARCHED.map((operation) => observation(operation, 'search', 'how a search compares', searchHabits(operation))),
  ...SEARCHED.map((operation) =>
    observation(
      operation,
      'hidden-scope',
      'records that a filter or a search finds and the list without one does not show',
      hiddenScope(operation),
      VOLATILE,
    ),
  ),
  observation('listContacts', 'channels', 'channel values of contacts', valuesOfField('listContacts', 'channel')),
  observation('listTickets', 'channels', 'channel values of tickets', valuesOfField('listTickets', 'channel')),
  observation('listTickets', 'order-values', 'values of order', patternsOfOrder, VOLATILE),
  observation('listTickets', 'undefined-status', 'what a status that is not one of the three gets', undefinedStatus),
  observation('listSchedules', 'status-values', 'status values of schedules', valuesOfField('listSchedules', 'status')),
  observation('listSchedules', 'delay', 'format of a flow item delay', delays),
  observation('listCampaigns', 'group-status-values', 'status values of campaign groups', groupStatuses),
  ...(['initialMembers', 'settings', 'logs'] as const).map((member) =>
    observation('listCampaigns', `group-${member}`, `inner shape of a group's ${member}`, groupMembers(member)),
  ),
  observation('listTags', 'has-more', 'hasMore, and the number of tags returned', hasMore, VOLATILE),
]

/** Records that are in one order by chance are fewer. */
const ENOUGH = 1000

function order(operation: ListOperation): Observe {
  return async (trial) => {
    const records = (await someOf(trial, operation)).records.slice(0, ENOUGH)
    if (records.length < 3) trial.notExercised(`Needs three ${PLURAL[operation]}.`)
    for (const field of ['createdAt', 'updatedAt', 'sendAt', 'name', 'order', 'id'])
      for (const direction of [1, -1] as const)
        if (
          isSorted(
            trial,
            records.map(({ value }) => (value as Record<string, unknown>)[field]),
            direction,
          )
        )
          return `by ${field}, ${direction === 1 ? 'ascending' : 'descending'}`
    return 'by none of the documented fields'
  }
}

function isSorted(trial: Trial, values: readonly unknown[], direction: 1 | -1): boolean {
  if (values.some((value) => value === undefined || value === null) || new Set(values).size < 2) return false
  const keys = values.map((value) => trial.instantOf(value)?.earliest ?? value)
  return keys.every((key, index) => {
    if (index === 0) return true
    const before = keys[index - 1]
    const step =
      typeof key === 'number' && typeof before === 'number' ? key - before : String(key).localeCompare(String(before))
    return step * direction >= 0
  })
}

function limit(operation: ListOperation): Observe {
  return async (trial) => (await someOf(trial, operation)).records.length
}

function createdAt(operation: ListOperation): Observe {
  return async (trial) => {
    const texts = (await someOf(trial, operation)).records.flatMap(
      ({ value }) => textOf(value as Schemas['Contact'], 'createdAt') ?? [],
    )
    if (texts.length === 0) trial.notExercised(`Needs ${PLURAL[operation]} that show createdAt.`)
    return [...new Set(texts.map((text) => timestampFormat(trial, text)))].toSorted()
  }
}

function otherFields(operation: ListOperation): Observe {
  return async (trial) => {
    const all = await someOf(trial, operation)
    const documented = trial.session.contract.fieldNames(trial.session.contract.operation(operation).schema)
    const names = new Set(all.records.flatMap(({ value }) => Object.keys(value as object)))
    const members = trial.session.contract.answerMembers(operation)
    const { body } = await trial.session.ask(operation)
    const beside = Object.keys(body as object).filter((name) => !members.includes(name) && isName(name))
    return [
      ...[...names].filter((name) => !documented.includes(name) && isName(name)).toSorted(),
      ...beside.map((name) => `beside the list: ${name}`).toSorted(),
    ]
  }
}

/**
 * Told by the searches that other checks send too, and by every status of a ticket, where the list was read to its end: what
 * lies behind it is not hidden.
 */
function hiddenScope(operation: (typeof SEARCHED)[number]): Observe {
  return async (trial) => {
    const all = await someOf(trial, operation)
    if (all.lacks !== undefined) trial.notExercised(all.lacks)
    const texts = (await searchable(trial, operation, 'certain')).flatMap((one) => one.texts.slice(0, 1))
    const found = await Promise.all([
      ...texts.map((text) => trial.searched(operation, text)),
      ...(operation === 'listTickets' ? STATUSES.map((status) => trial.filtered(operation, { status })) : []),
    ])
    const beyond = found.flatMap(({ byId }) => [...byId.keys()].filter((id) => !all.byId.has(id)))
    return beyond.length === 0 ? 'none seen' : `${new Set(beyond).size} records seen`
  }
}

/** Whether letter case, accents, parts of words, surrounding blanks and percent signs matter, told by texts that find their record. */
function searchHabits(operation: (typeof SEARCHED)[number]): Observe {
  return async (trial) => {
    const all = (await everySearchable(trial, operation, 'any')).flatMap(({ record, texts }) =>
      texts.map((text, kind) => ({ text, kind, record, id: idOf(record.value)! })),
    )
    const contacts = await trial.list('listContacts')
    // Another SEED must not change what is observed; what few records have is on one page.
    const every = grouped(all, ({ text }) => text)
      .filter(([text]) => hasInside(text))
      .toSorted(([a, having], [b, others]) => having.length - others.length || (a < b ? -1 : 1))
      .flatMap(([, having]) => having)
    if (every.length === 0)
      return trial.notExercised(`Needs ${PLURAL[operation]} with a text of three characters to search for.`)
    const isFound = ({ text, id }: { text: string; id: string }): Promise<boolean> => trial.finds(operation, text, id)
    const firstFound = async (some: typeof every) => {
      for (const kind of [0, 1])
        for (const one of some.filter((text) => text.kind === kind).slice(0, TEXTS_TRIED))
          if (await isFound(one)) return one
      return undefined
    }
    const hasAccents = ({ text }: (typeof every)[number]): boolean => withoutAccents(text) !== text
    const any = (await firstFound(every.filter((one) => !hasAccents(one)))) ?? (await firstFound(every))
    if (!any) return trial.notExercised('Needs a search that finds the record it is taken from.')
    const finds = async (one: typeof any, text: string): Promise<boolean> => isFound({ ...one, text })
    const characters = charactersOf(any.text)
    const ofItsKind = every.filter((one) => one.kind === any.kind)
    const accented = ofItsKind.filter(hasAccents)
    const cased = isCased(any) ? any : await firstFound(ofItsKind.filter(isCased))
    const casedAccented = accented.find(isCased)
    const upperAccented = casedAccented && (await finds(casedAccented, casedAccented.text.toUpperCase()))
    const bare = accented.find(({ text, record }) => {
      const { contactId } = record.value as Schemas['Ticket']
      return !isHeldIn([record.value, contacts.byId.get(asText(contactId) ?? '')?.value], withoutAccents(text))
    })
    const [upper, unaccented, part, padded, wildcard] = await Promise.all([
      // Where accented letters are folded, the others in the same text are.
      cased && (upperAccented || finds(cased, cased.text.toUpperCase())),
      bare && finds(bare, withoutAccents(bare.text)),
      finds(any, characters.slice(1, -1).join('')),
      finds(any, ` ${any.text} `),
      finds(any, `${characters.slice(0, 2).join('')}%${characters.at(-1)}`),
    ])
    return {
      ...(upper !== undefined && { 'letter case is folded': upper }),
      ...(upperAccented !== undefined && { 'letter case of accented letters is folded': upperAccented }),
      ...(unaccented !== undefined && { 'accents are folded': unaccented }),
      'a part is enough': part,
      'surrounding blanks are cut off': padded,
      'a percent sign stands for any text': wildcard,
    }
  }
}

function charactersOf(text: string): string[] {
  return Array.from(CHARACTERS.segment(text), ({ segment }) => segment)
}

/** Whether something is left of a text without its first and its last character. */
function hasInside(text: string): boolean {
  const [, , third] = CHARACTERS.segment(text)
  return third !== undefined
}

/** Whether a text has small letters, all of which come back from their capitals: "Weiß" in capitals is another word. */
function isCased({ text }: { readonly text: string }): boolean {
  const capitals = text.toUpperCase()
  return capitals !== text && capitals.length === text.length && capitals.toLowerCase() === text.toLowerCase()
}

/** Whether a record or its contact holds a text as it is, such as a name without its accents in an e-mail address: it is found by that. */
function isHeldIn(records: readonly unknown[], text: string): boolean {
  // A search may cut blanks off.
  const sought = text.trim().toLowerCase()
  return leavesOf(records).some(([, value]) => value.toLowerCase().includes(sought))
}

/** A text with its Latin letters bare; the marks of other scripts are no accents. */
function withoutAccents(text: string): string {
  return text
    .normalize('NFD')
    .replace(/(?<=\p{Script=Latin}\p{M}*)\p{M}/gu, '')
    .normalize('NFC')
}

function valuesOfField(operation: ListOperation, field: string): Observe {
  return async (trial) => {
    const values = (await someOf(trial, operation)).records.flatMap(
      ({ value }) => textOf(value as Record<string, unknown>, field) ?? [],
    )
    return shortList(trial, values.map(codeOf), field)
  }
}

function shortList(trial: Trial, values: readonly string[], field: string): string[] {
  if (values.length === 0) trial.notExercised(`Needs records that show ${field}.`)
  return [...new Set(values)].toSorted().slice(0, 30)
}

async function patternsOfOrder(trial: Trial): Promise<unknown> {
  const orders = (await someOf(trial, 'listTickets')).records.flatMap(({ value }) => value.order ?? [])
  if (orders.length === 0) trial.notExercised('Needs tickets that show order.')
  const different = [...new Set(orders)].toSorted((a, b) => a - b)
  return { least: different[0], greatest: different.at(-1), different: different.length }
}

async function undefinedStatus(trial: Trial): Promise<string> {
  const all = await someOf(trial, 'listTickets')
  const probe = await trial.session.attempt('listTickets', { query: { status: 'undefined-status' } })
  if (!probe.success) return describeExchange(probe.exchange)
  const found = recordsOf(trial.session, 'listTickets', probe)
  return `status ${probe.status}, ${partOf(found, all)}`
}

async function delays(trial: Trial): Promise<string[]> {
  const { records } = await someOf(trial, 'listSchedules')
  const items = records.flatMap(({ value }) => (Array.isArray(value.flow) ? value.flow : []))
  return shortList(
    trial,
    // How long it is, in digits too, is the data's.
    items.flatMap((item) => (typeof item?.delay === 'string' ? [patternOf(item.delay).replace(/9+/g, '9')] : [])),
    'delay',
  )
}

async function groups(trial: Trial): Promise<Schemas['CampaignGroup'][]> {
  const { records } = await someOf(trial, 'listCampaigns')
  return records.flatMap(({ value }) => (Array.isArray(value.groups) ? value.groups : []))
}

async function groupStatuses(trial: Trial): Promise<string[]> {
  return shortList(
    trial,
    (await groups(trial)).flatMap((group) => textOf(group, 'status') ?? []).map(codeOf),
    'a group status',
  )
}

function groupMembers(member: 'initialMembers' | 'settings' | 'logs'): Observe {
  return async (trial) => {
    const members = (await groups(trial)).flatMap((group) =>
      group[member] === undefined ? [] : membersOf(group[member]),
    )
    return shortList(trial, members, member)
  }
}

async function hasMore(trial: Trial): Promise<unknown> {
  const { body } = await trial.session.ask('listTags')
  const { hasMore: more, tags } = body as { hasMore?: unknown; tags: unknown[] }
  return { hasMore: more ?? null, tags: tags.length }
}
