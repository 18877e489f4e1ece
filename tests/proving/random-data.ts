import type { SimpleFaker } from '@faker-js/faker'
import type { Contact, Dataset } from '../../fixtures/dataset/records.ts'
import { seededRandom } from '../engine/random.ts'
import { KINDS, ofCompany, published, renameContacts, settled, type Kind, type RecordOf } from './poor-data.ts'

/** How many records of a kind a company keeps: about the sizes of pages, and none. */
const SIZES = [0, 1, 2, 5, 10, 19, 20, 21, 40, 41, 60]
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const DECADE_MS = 3650 * DAY_MS
const FIRST_DAY = Date.parse('2024-11-20T00:00:00Z')
const NEAR_MIDNIGHT_MS = [0, 1, -1, 3 * HOUR_MS, 3 * HOUR_MS - 1, 12 * HOUR_MS]

const NAMES = [
  ...['Ana', 'ana', 'ANA', 'A', ' Ana', 'Ana ', 'Ana Souza', 'Souza, Ana', 'João', 'João'.normalize('NFD')],
  ...[
    "D'Ávila",
    'O’Neil',
    'İstanbul',
    'straße',
    'Ωmega',
    '李雷',
    '😀',
    '100%',
    'a_b',
    'a%b',
    '[x]',
    '(y',
    'a+b',
    'a&b=c',
  ],
  ...['x;y', 'a\\b', '"q"', '<b>x</b>', '*', '?', '.', '-', 'a  b', 'null', 'true', '0', '007', '+5511', '2025-01-01'],
  ...['pending', 'whatsapp', 'Cliente 1', 'Cliente 2', 'Cliente 10', 'x'.repeat(255)],
]
const TEXTS = [
  ...['', 'ok', 'OK', 'Oi', 'oi!', '👍', 'sim', 'não', '[audio]', '*', "it's", '12345', '100%', 'a\nb', 'obrigado'],
  ...['Obrigado pela compra', 'pedido 123', 'Pedido 124', 'https://a.example/x?y=1&z=2', 'x'.repeat(2000)],
]
const CHANNELS = ['whatsapp', 'WHATSAPP', 'instagram', 'sms', 'e-mail']
const TAGS = ['VIP', 'vip', 'Novo', '']
const ADDRESSES = ['info@example.com', 'INFO@example.com', 'a.b@example.com']
const FLAGS = ['isGroup', 'isAdmin', 'isOpen', 'isBotEnabled', 'active'] as const
const UTM = ['utmCampaign', 'utmContent', 'utmMedium', 'utmSource', 'utmTerms'] as const

/** Makes data another in one respect. */
type Trait = (data: Dataset, random: SimpleFaker) => void

/** What real data may have that the published data has not, each with how often, in a hundred. */
const TRAITS: readonly (readonly [percent: number, trait: Trait])[] = [
  ...(['contacts', 'tickets', 'schedules', 'tags'] as const).flatMap((kind) => [
    [40, cut(kind, 0)] as const,
    [40, cut(kind, 1)] as const,
  ]),
  // Of three campaigns, one that a list leaves out is lost.
  [40, (data, random) => ([0, 1] as const).forEach((company) => cut('campaigns', company, [0, 1, 2])(data, random))],
  [60, names((word) => word())],
  [20, names((word) => `${word()} ${word()}`)],
  [10, some('contacts', 0.3, (one) => (one.name = one.number))],
  [20, some('contacts', 1, (one, { helpers }) => (one.email = helpers.arrayElement(ADDRESSES)))],
  [20, some('contacts', 0.7, (one) => delete one.email)],
  [15, created(({ number }) => number.int(HOUR_MS))],
  [15, created(({ number }) => number.int(3 * DAY_MS))],
  [15, created(({ number, helpers }) => number.int(400) * DAY_MS + helpers.arrayElement(NEAR_MIDNIGHT_MS))],
  [15, created(({ number }) => number.int(DECADE_MS) - DECADE_MS)],
  [10, created(({ number }) => number.int(2) * 100 * DAY_MS)],
  [
    20,
    (data) => KINDS.forEach((kind) => data[kind].forEach((one) => Object.assign(one, { updatedAt: one.createdAt }))),
  ],
  [30, channels],
  [30, some('contacts', 1, (one, random) => FLAGS.forEach((flag) => changeFlag(one, flag, random)))],
  [30, some('contacts', 1, (one, random) => UTM.forEach((field) => changeText(one, field, random)))],
  [30, few('tickets', 'status')],
  [30, few('tickets', 'userId')],
  [20, few('tickets', 'contactId')],
  [20, few('schedules', 'contactId')],
  [30, some('tickets', 0.6, (one) => (one.queueId = null))],
  [40, texts(({ tickets }, text) => tickets.forEach((one) => (one.lastMessage = text())))],
  [
    40,
    texts(({ schedules }, text) => schedules.forEach(({ flow }) => flow.forEach((item) => (item.content = text())))),
  ],
  [10, some('schedules', 0.2, (one) => (one.flow = []))],
  [20, some('schedules', 0.5, (one) => delete one.contact)],
  [15, some('schedules', 0.5, (one) => delete one.user)],
  [30, (data, { helpers }) => tagged(data, (contacts) => helpers.arrayElements(contacts, { min: 0, max: 30 }))],
  [20, some('tags', 1, (one) => delete one.contacts)],
  [20, some('tags', 1, (one, { helpers }) => (one.name = helpers.arrayElement(TAGS)))],
  [15, some('campaigns', 0.5, (one) => (one.groups = []))],
  [15, (data) => KINDS.forEach((kind) => keep(data, kind, ({ companyId }) => companyId === data.companyId))],
]

/**
 * Data as nobody thought of: the published data set, cut and changed in respects that a number draws. What its records say
 * of one another is true.
 */
export function randomData(number: number): Dataset {
  const random = seededRandom(number)
  const data = structuredClone(published)
  for (const [percent, trait] of TRAITS) if (random.datatype.boolean(percent / 100)) trait(data, random)
  return settled(data)
}

/** Leaves a company, the main one or the second, some records of a kind. */
function cut(kind: Kind, company: 0 | 1, sizes = SIZES): Trait {
  return (data, { helpers }) => {
    const owner = [data.companyId, data.otherCompanyId][company]!
    const own: { companyId: string }[] = ofCompany(data, kind, owner)
    const kept = helpers.arrayElements(own, helpers.arrayElement(sizes))
    if (kind === 'contacts') renameContacts(data, own as Contact[], kept as Contact[])
    keep(data, kind, (record) => record.companyId !== owner || kept.includes(record))
  }
}

function keep(data: Dataset, kind: Kind, isKept: (record: { companyId: string }) => boolean): void {
  Object.assign(data, { [kind]: (data[kind] as { companyId: string }[]).filter(isKept) })
}

/** Changes a share of the records of a kind. */
function some<K extends Kind>(
  kind: K,
  share: number,
  change: (record: RecordOf<K>, random: SimpleFaker) => void,
): Trait {
  return (data, random) => {
    for (const record of data[kind] as RecordOf<K>[]) if (random.datatype.boolean(share)) change(record, random)
  }
}

/** Lets each company's records of a kind have no more than three values of a field. */
function few<K extends Kind>(kind: K, field: keyof RecordOf<K>): Trait {
  return (data, { helpers }) => {
    for (const company of [data.companyId, data.otherCompanyId]) {
      const own = ofCompany(data, kind, company)
      const values = helpers.arrayElements([...new Set(own.map((record) => record[field]))], { min: 1, max: 3 })
      for (const record of own) record[field] = helpers.arrayElement(values)
    }
  }
}

function names(nameOf: (word: () => string) => string): Trait {
  return ({ contacts }, { helpers }) => {
    const pool = helpers.arrayElements(NAMES, helpers.arrayElement([2, 4, 10, 50]))
    for (const contact of contacts) contact.name = nameOf(() => helpers.arrayElement(pool))
  }
}

function texts(change: (data: Dataset, text: () => string) => void): Trait {
  return (data, { helpers }) => {
    const pool = helpers.arrayElements(TEXTS, helpers.arrayElement([1, 2, 6, 20]))
    change(data, () => helpers.arrayElement(pool))
  }
}

/** Creates contacts so many milliseconds from a day. */
function created(msOf: (random: SimpleFaker) => number): Trait {
  return some('contacts', 1, (one, random) => (one.createdAt = new Date(FIRST_DAY + msOf(random)).toISOString()))
}

function channels({ contacts, connections }: Dataset, { helpers }: SimpleFaker): void {
  const all = helpers.arrayElements(CHANNELS, { min: 1, max: 3 })
  for (const record of [...contacts, ...connections]) record.channel = helpers.arrayElement(all)
}

function changeFlag(contact: Contact, flag: (typeof FLAGS)[number], { datatype }: SimpleFaker): void {
  if (datatype.boolean()) contact[flag] = datatype.boolean()
  else if (datatype.boolean(0.2)) delete contact[flag]
}

function changeText(contact: Contact, field: (typeof UTM)[number], { helpers }: SimpleFaker): void {
  const text = helpers.arrayElement([undefined, '', 'google', contact[field]])
  if (text === undefined) delete contact[field]
  else contact[field] = text
}

function tagged({ tags, contacts }: Dataset, choose: (contacts: Contact[]) => Contact[]): void {
  for (const tag of tags) tag.contacts = choose(contacts.filter(({ companyId }) => companyId === tag.companyId))
}
