import { readFileSync } from 'node:fs'
import path from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { expect, test } from '@playwright/test'
import initSqlJs, { type SqlValue } from 'sql.js'
import { buildDataset } from '../../fixtures/dataset/build.ts'
import type { Dataset } from '../../fixtures/dataset/records.ts'
import { asCsv } from '../../fixtures/loading/csv.ts'
import { DIALECTS } from '../../fixtures/loading/dialects.ts'
import { asJsonByTable } from '../../fixtures/loading/json-by-table.ts'
import type { LoadableDataset } from '../../fixtures/loading/loadable-dataset.ts'
import { asSql } from '../../fixtures/loading/sql.ts'
import type { Table } from '../../fixtures/loading/table.ts'
import { tablesOf } from '../../fixtures/loading/tables-of.ts'
import { projectRoot } from '../engine/settings/settings.ts'

type Row = Record<string, unknown>

interface Database {
  readonly all: (sql: string) => Promise<Row[]>
  /** Runs any number of statements. */
  readonly run: (sql: string) => Promise<unknown>
}

const dataset = buildDataset()

/** In the order in which they can be filled, each with its primary key. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  companies: ['id'],
  users: ['id'],
  queues: ['id'],
  connections: ['id'],
  flows: ['id'],
  sequences: ['id'],
  sequence_stages: ['id'],
  contacts: ['id'],
  tickets: ['id'],
  tags: ['id'],
  tag_contacts: ['tagId', 'contactId'],
  schedules: ['id'],
  schedule_flow_items: ['scheduleId', 'position'],
  campaigns: ['id'],
  campaign_groups: ['id'],
}
const NULLABLE = [
  'schedules.sentAt',
  'schedules.sequenceId',
  'schedules.sequenceStageId',
  'schedules.ticketId',
  'tags.kanban',
  'tickets.chatConversationId',
  'tickets.queueId',
]
const UNIQUE = [
  ['contacts', 'number', 'in a company'],
  ['tags', 'name', 'in a company'],
  ['campaigns', 'name', 'in a company'],
  ['campaign_groups', 'jid', 'everywhere'],
] as const
const BOOLEANS = ['isGroup', 'isAdmin', 'isOpen', 'isBotEnabled', 'active', 'isBot', 'isActive']
const OBJECTS = ['initialMembers', 'settings', 'logs']

const HARD_TEXTS = [
  `O'Neill said "no"; DROP TABLE contacts; --`,
  String.raw`C:\new\table\'`,
  'two lines\nand a tab\t',
  'carriage\r\nreturn',
  'half\ra line',
  '',
  ' blanks at both ends ',
  'NULL',
  '%s :name $1 $$ ? @x',
  '.quit',
  '"',
  'a,b;c',
  '\u{1F469}‍\u{1F467} 山田 Ковалёва',
]
const hard: Dataset = {
  ...dataset,
  contacts: dataset.contacts.map((contact, index) => ({ ...contact, email: hardText(index) })),
  tickets: dataset.tickets.map((ticket, index) => ({ ...ticket, lastMessage: hardText(index) })),
  schedules: dataset.schedules.map((schedule) => without(schedule, 'contact')),
  tags: dataset.tags.map((tag) => without(tag, 'contacts')),
  campaigns: dataset.campaigns.map((campaign) => ({
    ...campaign,
    groups: (campaign.groups ?? []).map((group, index) => ({
      ...group,
      settings: { texts: HARD_TEXTS, [hardText(index)]: null, deep: [{ half: 0.5, no: false }] },
    })),
  })),
}

/** Ways in which a data set gets into a database. */
const WAYS: Readonly<Record<string, (tables: readonly Table[]) => Promise<Database>>> = {
  'SQL in SQLite': (tables) => sqlite(asSql(tables, 'sqlite')),
  'SQL in Postgres': (tables) => postgres(asSql(tables, 'postgres')),
  'SQL as MySQL reads it': (tables) => sqlite(asMysqlReads(asSql(tables, 'mysql'))),
  'CSV in Postgres': async (tables) => {
    const database = await postgres(asSql(empty(tables), 'postgres'))
    for (const { name, content } of asCsv(tables).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const table = /^\d\d-(\w+)\.csv$/.exec(name)![1]!
      const blob = new Blob([content])
      await database.client.query(`COPY "${table}" FROM '/dev/blob' (FORMAT csv, HEADER match)`, [], { blob })
    }
    return database
  },
  'JSON by table in SQLite': async (tables) => {
    const database = await sqlite(asSql(empty(tables), 'sqlite'))
    const content = JSON.parse(asJsonByTable(tables)) as { tables: { name: string; rows: Row[] }[] }
    for (const { name, rows } of content.tables)
      for (const row of rows) {
        const values = Object.values(row).map((value) => (isPlain(value) ? value : JSON.stringify(value)))
        const columns = Object.keys(row)
          .map((column) => `"${column}"`)
          .join()
        const places = values.map(() => '?').join()
        database.client.run(`INSERT INTO "${name}" (${columns}) VALUES (${places})`, values)
      }
    return database
  },
}

for (const [way, load] of Object.entries(WAYS))
  for (const ids of ['as they are', 'integers'] as const)
    for (const [what, records] of Object.entries({ 'the published data set': dataset, 'texts that are hard': hard }))
      test(`${way}: ${what} can be read back by joins, every record of it, with ids ${ids}`, async () => {
        const database = await load(tablesOf(records, { ids }))

        const known = recordsOf(records)
        expect(await rebuilt(database)).toEqual(ids === 'integers' ? counted(known, records) : known)
      })

for (const dialect of ['sqlite', 'postgres', 'mysql'] as const) {
  const load = async (): Promise<Database> => {
    const text = asSql(tablesOf(dataset, { ids: 'as they are' }), dialect)
    return dialect === 'postgres' ? postgres(text) : sqlite(dialect === 'mysql' ? asMysqlReads(text) : text)
  }

  test(`${dialect}: every column but seven refuses null, and every id that names a record refuses one that names none`, async () => {
    const database = await load()
    const refused = { null: [] as string[], id: [] as string[] }
    const columns: string[] = []
    for (const [table, key] of Object.entries(KEYS)) {
      const [row] = await database.all(`SELECT * FROM "${table}" LIMIT 1`)
      const where = key.map((column) => `"${column}" = ${quoted(row![column])}`).join(' AND ')
      for (const column of Object.keys(row!)) {
        const set = (value: string): Promise<string> =>
          refusal(database, `UPDATE "${table}" SET "${column}" = ${value} WHERE ${where}`)
        columns.push(`${table}.${column}`)
        if (/not.null/i.test(await set('NULL'))) refused.null.push(`${table}.${column}`)
        if (column.endsWith('Id') && /foreign key/i.test(await set("'nothing'"))) refused.id.push(`${table}.${column}`)
      }
    }

    expect(columns.filter((column) => !refused.null.includes(column)).toSorted()).toEqual(NULLABLE)
    expect(columns.filter((column) => column.endsWith('Id') && !refused.id.includes(column))).toEqual([
      'tickets.chatConversationId',
    ])
    expect(refused.id).toHaveLength(30)
  })

  for (const [table, column, where] of UNIQUE)
    test(`${dialect}: two ${table} with one ${column} are refused ${where}`, async () => {
      const database = await load()
      const rows = await database.all(`SELECT "id", "companyId", "${column}" FROM "${table}"`)
      const [first, ...others] = rows as { id: string; companyId: string }[]
      const change = ({ id }: { id: string }): Promise<string> =>
        refusal(database, `UPDATE "${table}" SET "${column}" = ${quoted(rows[0]![column])} WHERE "id" = '${id}'`)

      expect(await change(others.find(({ companyId }) => companyId === first!.companyId)!)).toMatch(/unique/i)
      const elsewhere = await change(others.find(({ companyId }) => companyId !== first!.companyId)!)
      expect(/unique/i.test(elsewhere)).toBe(where === 'everywhere')
    })
}

test('seven columns may be null even where no record lacks the field, and a table without rows loads', async () => {
  const none = { ...dataset, contacts: [], tickets: [], schedules: [], tags: [], campaigns: [] }
  const tables = tablesOf(none, { ids: 'as they are' })

  const { all } = await WAYS['SQL in SQLite']!(tables)
  const columns = await Promise.all(
    Object.keys(KEYS).map(async (table) => {
      const info = await all(`SELECT "name" FROM pragma_table_info('${table}') WHERE NOT "notnull"`)
      return info.map(({ name }) => `${table}.${String(name)}`)
    }),
  )
  expect(columns.flat().toSorted()).toEqual(NULLABLE)
})

test('two rows with one primary key are refused', async () => {
  for (const database of [await WAYS['SQL in SQLite']!(tablesOf(dataset, { ids: 'integers' })), await published()])
    for (const table of Object.keys(KEYS))
      expect(await refusal(database, `INSERT INTO "${table}" SELECT * FROM "${table}" LIMIT 1`), table).toMatch(
        /unique/i,
      )
})

test('MySQL reads no backslash as an escape, no reserved word as itself, and every time in UTC', () => {
  const [first, ...others] = hard.contacts
  const text = asSql(
    tablesOf(
      {
        ...hard,
        contacts: [{ ...first!, name: String.raw`\'; --`, createdAt: '2025-03-01T00:30:00.5+02:00' }, ...others],
      },
      { ids: 'as they are' },
    ),
    'mysql',
  )

  expect(text).toContain(String.raw`'\\''; --'`)
  expect(text).toContain(String.raw`"C:\\\\new\\\\table\\\\''"`)
  expect(text).toContain("'2025-02-28 22:30:00.500'")
  expect(text).toContain('\n  `order` integer NOT NULL,')
  expect(text).not.toMatch(/'[^'\n]*\dT\d\d:\d\d:\d\d\.\d+Z',/)
  const settings = text.indexOf("SET NAMES utf8mb4;\nSET time_zone = '+00:00';\nSET sql_mode = 'STRICT_ALL_TABLES';")
  const steps = [settings, text.indexOf('CREATE TABLE'), text.lastIndexOf(' ENGINE=InnoDB DEFAULT CHARSET=utf8mb4')]
  const filling = [text.indexOf('START TRANSACTION;'), text.indexOf('INSERT INTO'), text.indexOf('\nCOMMIT;\n')]
  expect([...steps, ...filling]).toEqual([...steps, ...filling].toSorted((a, b) => a - b))
  expect(settings).toBeGreaterThan(0)
})

test('no literal for MySQL or SQLite holds a carriage return, which their command lines would take away', () => {
  const tables = tablesOf(hard, { ids: 'as they are' })

  for (const dialect of ['mysql', 'sqlite'] as const) expect(asSql(tables, dialect)).not.toContain('\r')
})

test('a file of SQL says what it is and how to load it, and inserts at most 50 rows at once', () => {
  for (const dialect of ['postgres', 'mysql', 'sqlite'] as const) {
    const text = asSql(tablesOf(dataset, { ids: 'integers' }), dialect)

    expect(text).toMatch(new RegExp(`^-- .*data set.*, for ${dialect}\\.\n-- Load it into an empty database: `))
    expect(text).toContain(DIALECTS[dialect].command)
    const sizes = text.split('INSERT INTO').map((insert) => insert.match(/^ {2}\(\d/gm)?.length ?? 0)
    expect(Math.max(...sizes)).toBe(50)
  }
})

test('without the parts that only name things, a data set loads, under made-up names where it shows none', async () => {
  const { users, queues, connections, flows, sequences, sequenceStages, ...rest } = dataset
  for (const load of [WAYS['SQL in SQLite']!, WAYS['SQL in Postgres']!]) {
    const database = await load(tablesOf(rest, { ids: 'as they are' }))

    const { contacts, tickets, schedules, tags, campaigns, ...named } = await rebuilt(database)
    expect({ ...recordsOf(dataset), contacts, tickets, schedules, tags, campaigns }).toEqual(recordsOf(dataset))
    const shown = dataset.schedules.map(({ user }) => user!.id)
    expect(Object.values(named['users']!).filter(({ id }) => shown.includes(id as string))).toEqual(
      expect.arrayContaining(users.filter(({ id }) => shown.includes(id))),
    )
    expect(Object.values(named['queues']!).map(({ name }) => name)).toContain('Queue 1')
    for (const [part, records] of Object.entries({ queues, connections, flows, sequences, sequenceStages })) {
      const made = Object.values(named[part]!)
      expect(made.length, part).toBeGreaterThan(1)
      const unnamed = records.map((record) => without(record, 'name'))
      expect(unnamed, part).toEqual(expect.arrayContaining(made.map((record) => without(record, 'name'))))
    }
  }
})

test("somebody else's records load with what they lack, and with what they show in another place", async () => {
  const company = { companyId: 'c' }
  const stranger = { id: 'p3', number: '3', ...company }
  const others: LoadableDataset = {
    companyId: 'c',
    otherCompanyId: null,
    contacts: [
      { id: 'p1', number: '1', name: 'Ana', createdAt: '01/02/2025', ...company },
      { id: 'p2', number: '2', ...company },
    ],
    tickets: [{ id: 't', lastMessage: 'x', contactId: 'gone', order: 1.5, queueId: 'q', ...company }],
    schedules: [{ id: 's', flow: [{ content: 'x' }], contact: stranger, user: { id: 'u', name: 'Bo' }, ...company }],
    tags: [
      {
        id: 'g1',
        name: 'VIP',
        color: 'red',
        order: 1,
        createdAt: 'x',
        updatedAt: 'x',
        contacts: [stranger],
        ...company,
      },
      { id: 'g2', name: 'VIP', color: 'red', order: 3e9, createdAt: 'x', updatedAt: 'x', ...company },
    ],
    campaigns: [],
  }
  for (const load of [WAYS['SQL in SQLite']!, WAYS['SQL in Postgres']!])
    for (const ids of ['as they are', 'integers'] as const) {
      const { all } = await load(tablesOf(others, { ids }))
      const as = (text: string, number: number): unknown => (ids === 'integers' ? number : text)

      expect(await all('SELECT "id", "name", "number", "createdAt" FROM "contacts" ORDER BY "number"')).toEqual([
        { id: as('p1', 1), name: 'Ana', number: '1', createdAt: '01/02/2025' },
        { id: as('p2', 2), name: null, number: '2', createdAt: null },
        { id: as('p3', 3), name: null, number: '3', createdAt: null },
      ])
      expect(await all('SELECT "contactId", "order", "queueId", "status" FROM "tickets"')).toEqual([
        { contactId: as('gone', 4), order: 1.5, queueId: as('q', 1), status: null },
      ])
      expect(await all('SELECT "contactId", "userId", "ticketId" FROM "schedules"')).toEqual([
        { contactId: as('p3', 3), userId: as('u', 1), ticketId: null },
      ])
      expect(await all('SELECT "order" FROM "tags" ORDER BY 1')).toEqual([{ order: 1 }, { order: 3e9 }])
      expect(await all('SELECT "name" FROM "users" UNION SELECT "name" FROM "queues" ORDER BY 1')).toEqual([
        { name: 'Bo' },
        { name: 'Queue 1' },
      ])
      expect(await all('SELECT "id" FROM "companies"')).toEqual([{ id: as('c', 1) }])
    }
})

test('what the guide deletes by company is all there is, and the rows load again into the tables that are left', async () => {
  const guide = readFileSync(path.join(projectRoot, 'spec/guides/loading-data.md'), 'utf8')
  const deletion = [...guide.matchAll(/```sql\n(.*?)```/gs)]
    .map(([, sql]) => sql!)
    .find((sql) => sql.includes('DELETE'))
  const database = await published()
  const countAll = async (): Promise<number[]> => {
    const counts = Object.keys(KEYS).map((table) => database.all(`SELECT count(*)::int AS "n" FROM "${table}"`))
    return (await Promise.all(counts)).map(([row]) => row!['n'] as number)
  }
  const before = await countAll()

  const { companyId, otherCompanyId } = dataset
  await database.run(deletion!.replaceAll('OTHER_COMPANY', otherCompanyId).replaceAll('MAIN_COMPANY', companyId))

  expect(new Set(await countAll())).toEqual(new Set([0]))
  const rows = asSql(tablesOf(dataset, { ids: 'as they are' }), 'postgres', { schema: false })
  expect(rows).not.toContain('CREATE TABLE')
  await database.run(rows)
  expect(await countAll()).toEqual(before)
  expect(Math.min(...before)).toBeGreaterThan(0)
})

function hardText(index: number): string {
  return HARD_TEXTS[index % HARD_TEXTS.length]!
}

function published(): Promise<Database> {
  return WAYS['SQL in Postgres']!(tablesOf(dataset, { ids: 'as they are' }))
}

async function sqlite(sql: string) {
  const { Database } = await initSqlJs()
  const client = new Database()
  client.run('PRAGMA foreign_keys = ON')
  client.exec(sql)
  const all = async (query: string): Promise<Row[]> => {
    const [{ columns, values } = { columns: [], values: [] }] = client.exec(query)
    return values.map((row) => Object.fromEntries(row.map((value, index) => [columns[index]!, value])))
  }
  return { client, all, run: async (text: string) => client.exec(text) }
}

// Starting takes seconds, so each worker starts one and empties it.
let started: Promise<PGlite> | undefined

async function postgres(sql: string) {
  const client = await (started ??= PGlite.create())
  await client.exec('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
  await client.exec(sql)
  return {
    client,
    all: async (query: string) => (await client.query<Row>(query)).rows,
    run: async (text: string) => client.exec(text),
  }
}

/** Puts literals as SQLite has them, read by the rules of MySQL, in which a backslash escapes what follows. */
function asMysqlReads(sql: string): string {
  const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', 0: '\0' }
  const read = sql.replaceAll(/'((?:''|\\.|[^'\\])*)'/gs, (_, inside: string) =>
    quoted(inside.replaceAll(/''|\\(.)/gs, (_, escaped?: string) => escapes[escaped ?? ''] ?? escaped ?? "'")),
  )
  return read
    .replaceAll(/^SET .*;$/gm, '')
    .replaceAll(/^\) ENGINE=.*;$/gm, ');')
    .replace('START TRANSACTION;', 'BEGIN;')
}

function empty(tables: readonly Table[]): Table[] {
  return tables.map((table) => ({ ...table, rows: [] }))
}

/** What a database says to a statement, which is taken back if it is accepted. */
async function refusal(database: Database, sql: string): Promise<string> {
  await database.run('BEGIN')
  const said = await database.run(sql).then(
    () => 'accepted',
    (error: unknown) => (error as Error).message,
  )
  await database.run('ROLLBACK')
  return said
}

/** The records as the interface has them, by kind and id. */
async function rebuilt({ all }: Database): Promise<Record<string, Record<string, Row>>> {
  const read = async (sql: string): Promise<Row[]> => (await all(sql)).map(decoded)
  const joined = (table: string, key: string, of: string, id: string): Promise<Row[]> =>
    read(
      `SELECT "${of}"."${id}" AS "of", "${table}".* FROM "${of}" JOIN "${table}" ON "${table}"."id" = "${of}"."${key}"`,
    )
  const parts = (rows: readonly Row[], of: unknown): Row[] =>
    rows.filter((row) => row['of'] === of).map((row) => without(row, 'of'))
  const tagged = await joined('contacts', 'contactId', 'tag_contacts', 'tagId')
  const contacts = await joined('contacts', 'contactId', 'schedules', 'id')
  const users = await joined('users', 'userId', 'schedules', 'id')
  const items = await read('SELECT "scheduleId" AS "of", * FROM "schedule_flow_items" ORDER BY "position"')
  const groups = await read(
    `SELECT "campaigns"."id" AS "of", "campaign_groups".* FROM "campaign_groups"
     JOIN "campaigns" ON "campaigns"."id" = "campaignId"`,
  )
  return {
    companies: byId((await read('SELECT * FROM "companies"')).map(({ id }) => ({ id }))),
    users: byId(await read('SELECT * FROM "users"')),
    queues: byId(await read('SELECT * FROM "queues"')),
    connections: byId(await read('SELECT * FROM "connections"')),
    flows: byId(await read('SELECT * FROM "flows"')),
    sequences: byId(await read('SELECT * FROM "sequences"')),
    sequenceStages: byId(await read('SELECT * FROM "sequence_stages"')),
    contacts: byId(await read('SELECT * FROM "contacts"')),
    tickets: byId(await read('SELECT * FROM "tickets"')),
    schedules: byId(
      (await read('SELECT * FROM "schedules"')).map((schedule) => ({
        ...schedule,
        flow: parts(items, schedule['id']).map((item) => without(item, 'scheduleId', 'position')),
        contact: parts(contacts, schedule['id'])[0],
        user: parts(users, schedule['id']).map(({ id, name }) => ({ id, name }))[0],
      })),
    ),
    tags: byId(
      (await read('SELECT * FROM "tags"')).map((tag) => ({ ...tag, contacts: byId(parts(tagged, tag['id'])) })),
    ),
    campaigns: byId(
      (await read('SELECT * FROM "campaigns"')).map((campaign) => ({
        ...campaign,
        groups: byId(parts(groups, campaign['id'])),
      })),
    ),
  }
}

/** The records of a data set in the same form; what a list is without, and what is null, is as if it were absent. */
function recordsOf(records: Dataset): Record<string, Record<string, Row>> {
  const { formatVersion: _, companyId, otherCompanyId, ...parts } = records
  const contacts = new Map(records.contacts.map((contact) => [contact.id, contact]))
  return {
    ...Object.fromEntries(Object.entries(parts).map(([kind, list]) => [kind, byId((list as Row[]).map(withoutNulls))])),
    companies: byId([{ id: companyId }, { id: otherCompanyId }]),
    schedules: byId(records.schedules.map((schedule) => ({ contact: contacts.get(schedule.contactId!), ...schedule }))),
    tags: byId(records.tags.map((tag) => ({ ...tag, contacts: byId(tag.contacts ?? []) }))),
    campaigns: byId(records.campaigns.map((campaign) => ({ ...campaign, groups: byId(campaign.groups ?? []) }))),
  }
}

/** Every id in it by its place in its list, from 1. */
function counted(known: unknown, records: Dataset): unknown {
  const { users, queues, connections, flows, sequences, sequenceStages } = records
  const { contacts, tickets, schedules, tags, campaigns } = records
  const groups = campaigns.flatMap((campaign) => campaign.groups ?? [])
  const companies = [{ id: records.companyId }, { id: records.otherCompanyId }]
  const lists = [companies, users, queues, connections, flows, sequences, sequenceStages, contacts, tickets]
  const numbers = new Map(
    [...lists, schedules, tags, campaigns, groups].flatMap((list) => list.map(({ id }, index) => [id, index + 1])),
  )
  const renumbered = (value: unknown): unknown => {
    if (typeof value === 'string') return numbers.get(value) ?? value
    if (Array.isArray(value)) return value.map(renumbered)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, inside]) => [String(numbers.get(key) ?? key), renumbered(inside)]),
    )
  }
  return renumbered(known)
}

function byId(rows: readonly Row[]): Record<string, Row> {
  return Object.fromEntries(rows.map((row) => [String(row['id']), row]))
}

function withoutNulls(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))
}

function decoded(row: Row): Row {
  return withoutNulls(
    Object.fromEntries(Object.entries(row).map(([column, value]) => [column, valueOf(column, value)])),
  )
}

/** A value as the interface has it: SQLite has neither booleans nor objects, and MySQL writes times in its own way. */
function valueOf(column: string, stored: unknown): unknown {
  if (stored instanceof Date) return stored.toISOString()
  if (BOOLEANS.includes(column)) return typeof stored === 'number' ? stored === 1 : stored
  if (OBJECTS.includes(column)) return typeof stored === 'string' ? JSON.parse(stored) : stored
  return typeof stored === 'string' ? stored.replace(/^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d\.\d{3})$/, '$1T$2Z') : stored
}

function without<T extends object, K extends keyof T>(record: T, ...fields: K[]): Omit<T, K> {
  return Object.fromEntries(Object.entries(record).filter(([field]) => !fields.includes(field as K))) as Omit<T, K>
}

function isPlain(value: unknown): value is SqlValue {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

function quoted(value: unknown): string {
  return typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`
}
