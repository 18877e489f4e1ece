import type { OperationId } from '../engine/contract.ts'
import type { Exchange } from '../engine/exchange.ts'
import { recordsOf } from '../engine/listing.ts'
import {
  asText,
  idOf,
  sameValue,
  valuesOf,
  type ListOperation,
  type Located,
  type RecordOf,
  type Schemas,
} from '../engine/records.ts'
import type { Requirement } from '../engine/requirement.ts'
import type { Trial } from '../engine/trial.ts'
import { requireOtherToken, requireWrites, storedBody, type UpdateBody } from './calls.ts'
import { eventually } from './checks/eventually.ts'
import { everyRecord } from './consistency.ts'
import { EXACT_FILTERS, LISTS, NOUN, OPERATIONS, SEARCHED, SECTION, type Filtered } from './operations.ts'

const TRIED = 2

/** The workspace belongs to one company: its token reaches that company's records and no other's. */
export const isolation: readonly Requirement[] = [
  ...OPERATIONS.filter((operation) => operation !== 'updateContact').map((operation) => ({
    ...demand(operation, 'one-company', 'All records, embedded ones too, carry one company.'),
    turn: 'everything' as const,
    check: (trial: Trial) => judgeOneCompany(trial, operation),
  })),
  ...LISTS.map((operation) => ({
    ...demand(operation, 'lists', `The two companies' lists of ${NOUN[operation]} have no record in common.`),
    check: (trial: Trial) => judgeLists(trial, operation),
  })),
  ...SEARCHED.map((operation) => ({
    ...demand(operation, 'search', `A search finds no ${NOUN[operation]} of the other company.`),
    check: (trial: Trial) => judgeSearch(trial, operation),
  })),
  ...(['listTickets', 'listSchedules'] as const).map((operation) => ({
    ...demand(operation, 'filter', `A filter by a value of the other company's finds none of its ${NOUN[operation]}.`),
    check: (trial: Trial) => judgeFilter(trial, operation),
  })),
  { ...demand('getTag', 'by-id', "The other company's tag can not be fetched."), check: judgeTag },
  {
    ...demand('updateContact', 'update', "An update does not reach the other company's contact."),
    turn: 'writes',
    check: judgeUpdate,
  },
]

function demand(operation: OperationId, name: string, title: string): Omit<Requirement, 'check'> {
  return {
    id: `${operation}.isolation.${name}`,
    level: 'implied',
    title,
    source: `What the service does; ${SECTION[operation]}`,
    operations: [operation],
  }
}

async function judgeOneCompany(trial: Trial, operation: OperationId): Promise<void> {
  const company = await mainCompany(trial)
  if (company === undefined) return trial.notExercised('It takes records that show companyId.')
  const judge = (record: unknown, exchange: Located<unknown>['exchange'], pointer: string): void => {
    if (typeof record !== 'object' || record === null) return
    for (const [key, value] of Object.entries(record)) {
      if (key === 'companyId' && asText(value) !== undefined) {
        trial.count('records')
        if (asText(value) !== company)
          trial.fail({
            message: 'records of another company were returned',
            expected: company,
            received: value,
            exchange,
            pointer: `${pointer}/companyId`,
          })
      } else if (['contact', 'contacts', 'groups'].includes(key) || Array.isArray(record))
        judge(value, exchange, `${pointer}/${key}`)
    }
  }
  for (const { record, exchange, pointer } of everyRecord(trial, operation, 'main')) judge(record, exchange, pointer)
  if (!trial.examined['records'])
    trial.notExercised(`It takes answers of ${operation} with records that show companyId.`)
}

/** The caller's company: the data set's where the target uses its ids, or else the one that most lists' records carry. */
function mainCompany(trial: Trial): Promise<string | undefined> {
  return trial.session.remember('main company', async () => {
    await Promise.allSettled(LISTS.map((operation) => trial.list(operation)))
    const companiesOf = (operation: OperationId): string[] =>
      valuesOf(
        everyRecord(trial, operation, 'main').map(({ record }) => ({ value: record as { companyId?: unknown } })),
        'companyId',
      )
    const companies = OPERATIONS.map(companiesOf)
    const declared = trial.session.dataset?.companyId
    if (declared !== undefined && companies.flat().includes(declared)) return declared
    const [elected] = valuesOf(
      companies.map(([most]) => ({ value: { companyId: most } })),
      'companyId',
    )
    return elected
  })
}

/** The first page of a list as the second company sees it. */
async function othersList<O extends ListOperation>(trial: Trial, operation: O): Promise<Located<RecordOf<O>>[]> {
  requireOtherToken(trial)
  const reading = await trial.session.remember(`other ${operation}`, () =>
    trial.session.askAfresh(operation, {}, 'other'),
  )
  const records = recordsOf(trial.session, operation, reading)
  return records.length > 0
    ? records
    : trial.notExercised(`It takes ${NOUN[operation]} of the second company; it lists none.`)
}

/** Whether a record that the main company sees is the other's: the same id and the same documented content. */
function isOthers(
  trial: Trial,
  operation: ListOperation,
  record: unknown,
  others: readonly Located<unknown>[],
): boolean {
  const names = trial.session.contract.comparableFields(trial.session.contract.operation(operation).schema)
  const known = others.find(({ value }) => idOf(value) !== undefined && idOf(value) === idOf(record))?.value
  if (!known) return false
  const content = (value: unknown): unknown[] => names.map((name) => (value as Record<string, unknown>)[name] ?? null)
  return sameValue(content(known), content(record))
}

function reportOthers(
  trial: Trial,
  operation: ListOperation,
  what: string,
  found: readonly Located<unknown>[],
  others: readonly Located<unknown>[],
): void {
  for (const { value, exchange, pointer } of found) {
    trial.count('records')
    if (isOthers(trial, operation, value, others))
      trial.fail({
        message: `${what} brought ${NOUN[operation]} of the other company`,
        expected: "no record that the other company's token lists",
        received: idOf(value),
        exchange,
        pointer,
      })
  }
}

async function judgeLists(trial: Trial, operation: ListOperation): Promise<void> {
  const others = await othersList(trial, operation)
  const mine = await trial.list(operation)
  trial.count("the other company's records", others.length)
  reportOthers(trial, operation, 'the list', mine.records, others)
  // Whose workspace it is, the token says: no parameter does.
  const companyId = asText((others[0]!.value as { companyId?: unknown }).companyId)
  if (companyId === undefined) return
  const asked = await trial.session.attempt(operation, { query: { companyId } })
  const shown = asked.success ? recordsOf(trial.session, operation, asked) : []
  reportOthers(trial, operation, 'a companyId in the query', shown, others)
}

/** A search may look at several texts, and forget the company for one of them: each kind is tried. */
async function judgeSearch(trial: Trial, operation: (typeof SEARCHED)[number]): Promise<void> {
  const others = await othersList(trial, operation)
  const contacts = operation === 'listTickets' ? await othersList(trial, 'listContacts').catch(() => []) : []
  const nameOf = (id: unknown): unknown => contacts.find(({ value }) => idOf(value) === id)?.value.name
  type Any = Schemas['Contact'] & Schemas['Ticket'] & Schemas['Schedule']
  const kinds: readonly ((record: Any) => unknown)[] = [
    ({ name, lastMessage, flow }) => name ?? lastMessage ?? flow?.[0]?.content,
    ({ contact, contactId }) => contact?.name ?? nameOf(asText(contactId)),
    ({ number, email }) => email ?? number,
  ]
  const texts = kinds.flatMap((textOf) => {
    const ofKind = others.map(({ value }) => textOf(value as Any)).filter((text) => typeof text === 'string')
    const telling = ofKind.filter((text) => /\p{L}{3}|\d{6}/u.test(text))
    return trial.random.helpers.arrayElements(telling, 1)
  })
  if (texts.length === 0)
    trial.notExercised(`It takes ${NOUN[operation]} of the second company with a text to search for.`)
  for (const text of texts) {
    trial.count('searches')
    const found = await trial.searched(operation, text)
    reportOthers(trial, operation, 'a search', found.records, others)
  }
}

async function judgeFilter<O extends Filtered>(trial: Trial, operation: O): Promise<void> {
  const others = await othersList(trial, operation)
  const mine = await trial.list(operation)
  const queries = EXACT_FILTERS[operation].flatMap((field) => {
    const own = new Set(valuesOf(mine.records, field as never))
    const theirs = valuesOf(others, field as never).filter((value) => !own.has(value))
    return theirs.slice(0, TRIED).map((value) => ({ [field]: value }))
  })
  if (queries.length === 0)
    trial.notExercised(`It takes ${NOUN[operation]} of the second company with a contact of its own.`)
  for (const query of queries) {
    trial.count('requests')
    const probe = await trial.session.attempt(operation, { query })
    // A value of the other company's may be refused, but no status, which is nobody's own.
    if (!probe.success && 'status' in query) await trial.session.ask(operation, { query })
    const found = probe.success ? recordsOf(trial.session, operation, probe) : []
    reportOthers(trial, operation, 'a filter', found, others)
  }
}

async function judgeTag(trial: Trial): Promise<void> {
  const others = await othersList(trial, 'listTags')
  const mine = await trial.list('listTags')
  const theirs = others.filter(({ value }) => idOf(value) !== undefined && !mine.byId.has(idOf(value)!)).slice(0, TRIED)
  if (theirs.length === 0) trial.notExercised('It takes a tag of the second company whose id is not one of the first.')
  for (const { value } of theirs) {
    const { exchange, success, body } = await trial.session.attempt('getTag', { path: { tagId: idOf(value)! } })
    trial.count('tags')
    if (success)
      trial.fail({
        message: "the other company's tag was fetched",
        expected: 'no success status',
        received: `status ${exchange.response?.status} with ${idOf(body) === idOf(value) ? `the tag ${idOf(body)}` : 'something else'}`,
        exchange,
      })
  }
  const theirIds = new Set(others.map(({ value }) => idOf(value)))
  const own = mine.records.find(({ value }) => idOf(value) !== undefined && !theirIds.has(idOf(value)))
  if (!own) return
  const { exchange, success } = await trial.session.attempt('getTag', { path: { tagId: idOf(own.value)! } }, 'other')
  trial.count('tags')
  if (success)
    trial.fail({
      message: "the first company's tag was fetched by the other",
      expected: 'no success status',
      received: `status ${exchange.response?.status}`,
      exchange,
    })
}

/**
 * The main company's token updates the other company's contact, in each form in which an update may be let in; the
 * other company looks whether anything has changed, and undoes it.
 */
async function judgeUpdate(trial: Trial): Promise<void> {
  requireWrites(trial)
  const others = await othersList(trial, 'listContacts')
  const mine = await trial.list('listContacts')
  const usable = others.filter(({ value }) => idOf(value) !== undefined && !mine.byId.has(idOf(value)!))
  const target = usable.find(({ value }) => value.utmTerms !== undefined) ?? usable.find(({ value }) => value.name)
  if (!target)
    return trial.notExercised('It takes a contact of the second company with a text, whose id is not one of the first.')
  const contactId = idOf(target.value)!
  const stored = storedBody(target.value)
  const ownCompany = (await mainCompany(trial)) ?? trial.session.dataset?.companyId
  const change = trial.session.changing(() => giveBack(trial, contactId, stored))
  const sent: { readonly body: UpdateBody; readonly exchange: Exchange }[] = []
  for (const body of strangersBodies(trial, stored, ownCompany)) {
    const { exchange, success } = await trial.session.attempt('updateContact', { path: { contactId }, body })
    trial.count('updates')
    sent.push({ body, exchange })
    if (success)
      trial.fail({
        message: "an update of the other company's contact was a success",
        expected: 'no success status',
        received: `status ${exchange.response?.status}`,
        exchange,
      })
  }
  const lookFor = async (caller: 'main' | 'other'): Promise<Located<Schemas['Contact']> | undefined> => {
    const reading = await trial.session.askAfresh('listContacts', {}, caller)
    return recordsOf(trial.session, 'listContacts', reading).find(({ value }) => idOf(value) === contactId)
  }
  const changes = (contact: Schemas['Contact']) =>
    sent.flatMap(({ body, exchange }) =>
      (Object.keys(body) as (keyof UpdateBody)[])
        .filter((field) => body[field] !== stored[field] && contact[field] === body[field])
        .map((field) => ({ field, exchange })),
    )
  const seen = await eventually(
    async () => (await lookFor('other')) ?? (await lookFor('main')),
    (contact) => contact !== undefined && changes(contact.value).length > 0,
    trial.findings.length > 0 ? undefined : 0,
  )
  const [changed] = seen ? changes(seen.value) : []
  if (seen && !changed) return change.forget()
  if (changed)
    trial.fail({
      message: "the other company's contact was updated",
      expected: stored[changed.field],
      received: seen?.value[changed.field],
      exchange: changed.exchange,
    })
  await change.undo()
  if (!seen) trial.notExercised("It takes the second company's contact to be on its first page again.")
}

/**
 * Every form of body by which the owner could update a contact, each with a value of its own: a target may guard one
 * and forget the next.
 */
function strangersBodies(trial: Trial, stored: UpdateBody, ownCompany: string | undefined): UpdateBody[] {
  const text = (): string => trial.random.string.alpha({ length: 12, casing: 'lower' })
  const { companyId: _, ...withoutCompany } = stored
  const field = stored.utmTerms === undefined ? 'name' : 'utmTerms'
  return [
    { ...stored, [field]: text() },
    { ...withoutCompany, [field]: text() },
    ...(ownCompany === undefined ? [] : [{ ...stored, companyId: ownCompany, [field]: text() }]),
    { [field]: text() },
    ...(stored.name === undefined || field === 'name' ? [] : [{ name: text() }]),
    ...(stored.isOpen === undefined ? [] : [{ isOpen: !stored.isOpen }]),
  ]
}

/** Sends stored values as the owner does, in the first form that is let in; a contact that was moved, as the new owner. */
async function giveBack(trial: Trial, contactId: string, stored: UpdateBody): Promise<void> {
  const { companyId: _, ...withoutCompany } = stored
  const { name, utmTerms, isOpen } = stored
  for (const body of [stored, withoutCompany, { name, utmTerms, isOpen }])
    for (const caller of ['other', 'main'] as const) {
      const { success } = await trial.session.attempt('updateContact', { path: { contactId }, body }, caller)
      if (success) return
    }
}
