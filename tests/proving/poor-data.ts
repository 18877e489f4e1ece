import { readFileSync } from 'node:fs'
import type { Contact, Dataset, Schedule, Ticket } from '../../fixtures/dataset/records.ts'
import { PUBLISHED_DATASET } from '../run/target-under-test.ts'

export const published = JSON.parse(readFileSync(PUBLISHED_DATASET, 'utf8')) as Dataset

/** Something that a data set is made to lack. */
type Change = (data: Dataset) => void

export const KINDS = ['contacts', 'tickets', 'schedules', 'tags', 'campaigns'] as const
export type Kind = (typeof KINDS)[number]
export type RecordOf<K extends Kind> = Dataset[K][number]
type Values<K extends Kind> = { readonly [F in keyof RecordOf<K>]?: RecordOf<K>[F] | undefined }

/** The objects of each schema, in both companies. */
const OBJECTS = {
  Contact: (data: Dataset): readonly object[] => data.contacts,
  Ticket: (data: Dataset): readonly object[] => data.tickets,
  Schedule: (data: Dataset): readonly object[] => data.schedules,
  FlowItem: (data: Dataset): readonly object[] => data.schedules.flatMap(({ flow }) => flow),
  ScheduleUser: (data: Dataset): readonly object[] => data.schedules.flatMap(({ user }) => user ?? []),
  Tag: (data: Dataset): readonly object[] => data.tags,
  Campaign: (data: Dataset): readonly object[] => data.campaigns,
  CampaignGroup: (data: Dataset): readonly object[] => data.campaigns.flatMap(({ groups }) => groups ?? []),
}

/** Fields that nothing looks at but the requirement of their type. */
export const FIELDS_ASIDE = `Ticket.unreadMessages Ticket.isGroup Ticket.isBot Ticket.chatConversationId Ticket.updatedAt
  Schedule.sendAt Schedule.sentAt Schedule.ticketId Schedule.flowId Schedule.sequenceId Schedule.sequenceStageId
  Schedule.chatappId Schedule.updatedAt Schedule.botFlow FlowItem.fileName ScheduleUser.name Tag.kanban
  Campaign.groupMembersLimit Campaign.releaseDate Campaign.acceptEntriesUntil Campaign.isActive Campaign.chatappId
  Campaign.updatedAt CampaignGroup.name CampaignGroup.membersCount CampaignGroup.order CampaignGroup.description
  CampaignGroup.picture CampaignGroup.inviteLink CampaignGroup.createdAt CampaignGroup.updatedAt`

/** Fields that only an observation looks at too. */
export const FIELDS_OBSERVED = `Ticket.order Ticket.channel Ticket.createdAt Schedule.status Schedule.createdAt
  FlowItem.delay Campaign.createdAt CampaignGroup.status CampaignGroup.initialMembers CampaignGroup.settings
  CampaignGroup.logs`

/** Names as one import makes them. */
const NAMES_OF_AN_IMPORT = [
  (index: number) => `Cliente ${index + 1}`,
  (index: number) => `TESTE ${index + 1}`,
  (index: number) => `Loja  Centro ${index + 1}`,
]

/** The data of which a check must never say that it passed while the fault is there that is named for it. */
export const POOREST = [
  'one record of each kind',
  'one page of each kind',
  'contacts created on one day',
  'contacts created in one second',
  'contacts whose names have digits',
  'contacts whose names are digits',
  'tickets that no filter tells apart',
  'schedules of one contact and one user',
  'records that are all alike',
  'a second company alone',
  'nothing at all',
] as const satisfies readonly Poor[]

/** What a data set may lack, each as changes of the published one. */
const DATASETS = {
  'everything there': [],

  'tickets of one status': [alike('tickets', 'status')],
  'no closed ticket': [each('tickets', ({ status }) => ({ status: status === 'closed' ? 'pending' : status }))],
  'tickets that are open or do not say': [
    each('tickets', ({ status }) => ({ status: status === 'open' ? status : undefined })),
  ],
  'tickets without a status': [leaveOut('Ticket.status')],
  'tickets of one user': [alike('tickets', 'userId')],
  'tickets of one contact': [alike('tickets', 'contactId')],
  'tickets of one connection': [alike('tickets', 'chatappId')],
  'tickets of one queue': [alike('tickets', 'queueId')],
  'tickets of one queue or of none': [
    alike('tickets', 'queueId'),
    each('tickets', ({ queueId }, index) => ({ queueId: index % 4 === 0 ? null : queueId })),
  ],
  'tickets in no queue': [each('tickets', () => ({ queueId: null }))],
  'tickets that differ in their users alone': [alike('tickets', 'status', 'queueId', 'contactId', 'chatappId')],
  'tickets that no filter tells apart': [alike('tickets', 'status', 'userId', 'queueId', 'contactId', 'chatappId')],
  'one ticket': [keep('tickets', (_, index) => index === 7)],
  'tickets without a contact': [leaveOut('Ticket.contactId')],
  'no tickets': [none('tickets')],

  'one full page of contacts': [keep('contacts', (_, index) => index < 20)],
  'one contact more than a page': [keep('contacts', (_, index) => index <= 20)],
  'one contact': [keep('contacts', ({ name }) => name === 'Laura Souza')],
  'contacts created on one day': [createdOn('2025-01-02')],
  'contacts created on two days, a year apart': [createdOn('2024-01-02', '2025-01-02')],
  'contacts that do not say when they were created': [leaveOut('Contact.createdAt')],
  'contacts whose creation cannot be read': [each('contacts', () => ({ createdAt: 'a while ago' }))],
  'contacts created in one second': [
    each('contacts', (_, index) => ({ createdAt: new Date(Date.UTC(2025, 2, 3, 10) + index).toISOString() })),
  ],
  'contacts whose names have digits': [
    each('contacts', (_, index) => ({ name: NAMES_OF_AN_IMPORT[index % 3]!(index) })),
  ],
  'contacts whose names are digits': [each('contacts', ({ number }) => ({ name: number }))],
  'contacts without a name': [leaveOut('Contact.name')],
  'names with a syllable that has its accent apart in some': [
    each('contacts', (_, index) => ({ name: ['João', 'João'.normalize('NFD'), 'Joana'][index % 3]! })),
  ],
  'contacts of one channel and one connection': [alike('contacts', 'channel', 'chatappId')],
  'contacts of one channel and several connections': [alike('contacts', 'channel')],
  'contacts of several channels and one connection': [alike('contacts', 'chatappId')],
  'contacts without e-mail address, UTM terms and isOpen': [leaveOut('Contact.email Contact.utmTerms Contact.isOpen')],
  'no contacts': [none('contacts')],

  'one full page of schedules': [keep('schedules', (_, index) => index < 20)],
  'schedules of one contact': [alike('schedules', 'contactId')],
  'schedules of one user': [alike('schedules', 'userId', 'user')],
  'schedules of one contact and one user': [alike('schedules', 'contactId', 'userId', 'user')],
  'schedules without their contacts inside': [leaveOut('Schedule.contact')],
  'schedules of one contact, half of them without it inside': [
    alike('schedules', 'contactId'),
    each('schedules', ({ contact }, index) => ({ contact: index % 2 === 0 ? contact : undefined })),
  ],
  'schedules without a contact': [leaveOut('Schedule.contact Schedule.contactId')],
  'schedules without their users inside': [leaveOut('Schedule.user')],
  'no schedules': [none('schedules')],

  'no tags': [none('tags')],
  'campaigns with empty lists of groups': [(data) => data.campaigns.forEach((one) => void (one.groups &&= []))],
  'groups that do not name their campaigns': [leaveOut('CampaignGroup.campaignId')],
  'no campaigns': [none('campaigns')],
  'campaigns of the second company alone': [keep('campaigns', () => false)],

  'no field that nothing looks at but the requirement of its type': [leaveOut(FIELDS_ASIDE)],
  'no field that only an observation looks at too': [leaveOut(FIELDS_OBSERVED)],

  'a second company with contacts alone': [onlyOfMain('tickets', 'schedules', 'tags', 'campaigns')],
  'no second company': [onlyOfMain(...KINDS)],
  'a second company alone': KINDS.map((kind) => keep(kind, () => false)),
  'nothing at all': [none(...KINDS)],
} satisfies Record<string, readonly Change[]>

/** Data sets that lack much at once. */
const POORER_DATASETS = {
  'one record of each kind': KINDS.map((kind) => keep(kind, (_, index) => index === 0)),
  'one page of each kind': KINDS.map((kind) => keep(kind, (_, index) => index < 20)),
  'records that are all alike': [
    alike('tickets', 'status', 'userId', 'queueId', 'contactId', 'chatappId'),
    alike('schedules', 'contactId', 'userId', 'user', 'status'),
    alike('contacts', 'name', 'channel', 'chatappId', 'utmSource', 'utmTerms', 'isOpen', 'active'),
    createdOn('2025-01-02'),
  ],
} satisfies Record<string, readonly Change[]>

export type Lack = keyof typeof DATASETS
export type Poor = Lack | keyof typeof POORER_DATASETS
export const LACKS = Object.keys(DATASETS) as Lack[]

/** The published data set but for what it is to lack; what its records say of one another stays true. */
export function lacking(lack: Poor): Dataset {
  const data = structuredClone(published)
  for (const change of { ...DATASETS, ...POORER_DATASETS }[lack]) change(data)
  return settled(data)
}

/** Neither company has any record of some kinds. */
function none(...kinds: readonly Kind[]): Change {
  return (data) => {
    for (const kind of kinds) data[kind] = []
  }
}

/** The main company has only those records of a kind; what named another of its contacts names one of those. */
function keep<K extends Kind>(kind: K, isKept: (record: RecordOf<K>, index: number) => boolean): Change {
  return (data) => {
    const own = ofMain(data, kind)
    const kept = own.filter(isKept)
    if (kind === 'contacts') renameContacts(data, own as Contact[], kept as Contact[])
    const gone = new Set(own.filter((record) => !kept.includes(record)))
    Object.assign(data, { [kind]: (data[kind] as RecordOf<K>[]).filter((record) => !gone.has(record)) })
  }
}

/** The second company has no record of some kinds. */
function onlyOfMain(...kinds: readonly Kind[]): Change {
  return (data) => {
    for (const kind of kinds) Object.assign(data, { [kind]: ofMain(data, kind) })
  }
}

/** Each of the main company's records of a kind has other values; what is undefined is left out. */
function each<K extends Kind>(kind: K, change: (record: RecordOf<K>, index: number) => Values<K>): Change {
  return (data) => {
    for (const [index, record] of ofMain(data, kind).entries()) Object.assign(record, change(record, index))
  }
}

/** All of the main company's records of a kind have the same values: those of the last that has them all. */
function alike<K extends Kind>(kind: K, ...fields: readonly (keyof RecordOf<K>)[]): Change {
  return (data) => {
    const records = ofMain(data, kind)
    const model = records.findLast((record) => fields.every((field) => (record[field] ?? undefined) !== undefined))!
    for (const record of records) for (const field of fields) record[field] = structuredClone(model[field])
  }
}

/** No record shows some fields, given as `Schema.field` with blanks between them. */
function leaveOut(fields: string): Change {
  return (data) => {
    for (const name of fields.match(/\S+/g)!) {
      const [schema, field] = name.split('.') as [keyof typeof OBJECTS, string]
      for (const object of OBJECTS[schema](data)) delete (object as Record<string, unknown>)[field]
    }
  }
}

/** The main company's contacts were created on some days, YYYY-MM-DD, by turns; the time of day stays. */
function createdOn(...days: readonly string[]): Change {
  return each('contacts', ({ createdAt }, index) => ({
    createdAt: createdAt && days[index % days.length]! + createdAt.slice('YYYY-MM-DD'.length),
  }))
}

function ofMain<K extends Kind>(data: Dataset, kind: K): RecordOf<K>[] {
  return ofCompany(data, kind, data.companyId)
}

/** A company's records of a kind. */
export function ofCompany<K extends Kind>(data: Dataset, kind: K, company: string): RecordOf<K>[] {
  return (data[kind] as RecordOf<K>[]).filter(({ companyId }) => companyId === company)
}

/** Lets everything that names a contact name one of those that are kept, if any. */
export function renameContacts(data: Dataset, all: readonly Contact[], kept: readonly Contact[]): void {
  if (kept.length === 0) return
  const heirs = new Map(all.map(({ id }, index) => [id, kept[index % kept.length]!.id]))
  for (const record of [...data.tickets, ...data.schedules])
    if (record.contactId !== undefined) record.contactId = heirs.get(record.contactId) ?? record.contactId
  const embedded = [...data.schedules.map(({ contact }) => contact), ...data.tags.flatMap(({ contacts }) => contacts)]
  for (const contact of embedded) if (contact) contact.id = heirs.get(contact.id) ?? contact.id
}

/** The data as from a file, where nothing is undefined: without what names a record that is gone, contacts embedded as listed. */
export function settled(data: Dataset): Dataset {
  settle(data)
  return JSON.parse(JSON.stringify(data)) as Dataset
}

/** Cuts what names a record that is gone, and embeds contacts as they are listed. */
function settle(data: Dataset): void {
  const contacts = new Map(data.contacts.map((contact) => [contact.id, contact]))
  const tickets = new Map(data.tickets.map((ticket) => [ticket.id, ticket]))
  for (const record of [...data.tickets, ...data.schedules])
    if (record.contactId !== undefined && !contacts.has(record.contactId)) delete record.contactId
  for (const schedule of data.schedules) {
    const contact = contacts.get(schedule.contactId ?? schedule.contact?.id ?? '')
    if (schedule.contact && contact) schedule.contact = contact
    else delete schedule.contact
    if (!mayBeOf(schedule, tickets.get(schedule.ticketId ?? ''))) delete schedule.ticketId
  }
  for (const tag of data.tags)
    if (tag.contacts)
      tag.contacts = [...new Set(tag.contacts.map(({ id }) => id))].flatMap((id) => contacts.get(id) ?? [])
}

/** Whether a ticket exists and is the schedule's contact's, where both say whose they are. */
function mayBeOf(schedule: Schedule, ticket: Ticket | undefined): boolean {
  if (!ticket) return false
  const owners = new Set([schedule.contactId, ticket.contactId].filter((id) => id !== undefined))
  return owners.size < 2
}
