import type { OperationId } from '../engine/contract.ts'
import type { ListOperation } from '../engine/data/records.ts'

/** Headings of the interface document's sections, by operation. */
export const SECTION: Readonly<Record<OperationId, string>> = {
  updateContact: '1. Update contact',
  listSchedules: '2. List schedules',
  getTag: '3. Get tag by id',
  listContacts: '4. List contacts',
  listCampaigns: '5. List campaigns',
  listTags: '6. List tags',
  listTickets: '7. List tickets',
}

export const OPERATIONS = Object.keys(SECTION) as OperationId[]

/** Those that change nothing. */
export const READING = OPERATIONS.filter((operation) => operation !== 'updateContact')

/** What each list operation lists, in the plural. */
export const PLURAL: Readonly<Record<ListOperation, string>> = {
  listContacts: 'contacts',
  listSchedules: 'schedules',
  listTags: 'tags',
  listCampaigns: 'campaigns',
  listTickets: 'tickets',
}

/** What an operation that shows records shows, in the plural. */
export const NOUNS: Readonly<Record<ListOperation | 'getTag', string>> = { ...PLURAL, getTag: 'fetched tags' }

export const LISTS = Object.keys(PLURAL) as ListOperation[]

/** The lists that take a page number. */
export const PAGED = ['listContacts', 'listSchedules'] as const satisfies ListOperation[]

/** The lists that take a search text. */
export const SEARCHED = ['listContacts', 'listSchedules', 'listTickets'] as const satisfies ListOperation[]

export type Searched = (typeof SEARCHED)[number]

/** The filters of each list that compare a field with a value: parameter and field have the same name. */
export const EXACT_FILTERS = {
  listTickets: ['status', 'userId', 'queueId', 'contactId', 'chatappId'],
  listSchedules: ['contactId', 'userId'],
} as const

/** The values that the ticket list's status filter takes. */
export const STATUSES = ['open', 'pending', 'closed'] as const

export type Filtered = keyof typeof EXACT_FILTERS
export type FilterOf<O extends Filtered> = (typeof EXACT_FILTERS)[O][number]

export function isList(operation: OperationId): operation is ListOperation {
  return operation in PLURAL
}

export function isOneOf<O extends OperationId>(operation: OperationId, some: readonly O[]): operation is O {
  return some.some((one) => one === operation)
}
