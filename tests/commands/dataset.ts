import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { buildDataset, LARGEST_SIZE, SMALLEST_SIZE, type Size } from '../../fixtures/dataset/build.ts'
import { asCsv } from '../../fixtures/loading/csv.ts'
import { DIALECTS, type DialectName } from '../../fixtures/loading/dialects.ts'
import { asJsonByTable } from '../../fixtures/loading/json-by-table.ts'
import { asSql } from '../../fixtures/loading/sql.ts'
import { tablesOf } from '../../fixtures/loading/tables-of.ts'
import { differenceLine, differences } from '../certification/data-differences.ts'
import { pageSizesFor, shortcomings } from '../certification/data-check.ts'
import { Contract } from '../engine/contract.ts'
import { readDataset } from '../engine/data/dataset.ts'
import { makeFolder } from '../engine/settings/make-folder.ts'
import { readRunSettings } from '../engine/settings/settings.ts'
import { register } from '../requirements/register.ts'
import { PUBLISHED_DATASET } from '../run/target-under-test.ts'
import { runCommand, UsageError } from './command.ts'

const KINDS = ['contacts', 'tickets', 'schedules', 'tags', 'campaigns'] as const

const USAGE = `Usage: npm run dataset
       npm run dataset -- --contacts N [--tickets N] [--schedules N] [--tags N] [--campaigns N] --out FILE
       npm run dataset -- --check FILE
       npm run dataset -- --format sql|csv|json-by-table [--dialect NAME] [--ids integers] [--data FILE] --out PATH

Builds the published data set, fixtures/dataset.json: the same bytes every time.

  --contacts N ...  a data set of another size: so many records of a kind in the first company, such as more for a target
                    whose page holds everything:
                    ${KINDS.map(range).join(', ')}
  --out PATH        where it goes; a folder for csv
  --check FILE      tells which requirements a data set cannot exercise, and why
  --format FORMAT   writes a data set for loading into a database: one table per resource, in the order in which they
                    depend on each other (the guide spec/guides/loading-data.md tells the rest)
  --dialect NAME    of SQL: ${Object.keys(DIALECTS).join(', ')} (default: postgres)
  --no-schema       the INSERT statements alone, for a schema of your own
  --ids integers    counts ids from 1 in each table, in place of UUIDs
  --data FILE       the data set to write (default: the published one)
  --help            this text

Exits with 1 where the checked file cannot exercise everything.`

const SQL_OPTIONS = ['dialect', 'no-schema'] as const
const TABLE_OPTIONS = [...SQL_OPTIONS, 'ids', 'data'] as const

await runCommand(async () => {
  const { values } = parseArgs({
    options: {
      contacts: { type: 'string' },
      tickets: { type: 'string' },
      schedules: { type: 'string' },
      tags: { type: 'string' },
      campaigns: { type: 'string' },
      out: { type: 'string' },
      check: { type: 'string' },
      format: { type: 'string' },
      dialect: { type: 'string' },
      'no-schema': { type: 'boolean' },
      ids: { type: 'string' },
      data: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return console.log(USAGE)
  if (values.check !== undefined) return check(values.check)
  if (values.format !== undefined) {
    if (!['sql', 'csv', 'json-by-table'].includes(values.format))
      throw new UsageError(`--format is "${values.format}"; give one of: sql, csv, json-by-table.`)
    const idle = [...KINDS, ...(values.format === 'sql' ? [] : SQL_OPTIONS)].find((name) => values[name] !== undefined)
    if (idle !== undefined)
      throw new UsageError(`--${idle} has no effect with --format ${values.format}; leave it out; --help tells more.`)
    return exportTables({ ...values, format: values.format })
  }
  const stray = TABLE_OPTIONS.find((option) => values[option] !== undefined)
  if (stray !== undefined) throw new UsageError(`--${stray} needs --format; --help tells more.`)
  const size = Object.fromEntries(
    KINDS.flatMap((kind) => (values[kind] === undefined ? [] : [[kind, readSize(kind, values[kind])]])),
  )
  if (Object.keys(size).length > 0 && values.out === undefined)
    throw new UsageError('A data set of another size than the published one needs a file of its own; name it by --out.')
  build(size, values.out ?? PUBLISHED_DATASET)
})

function build(size: Partial<Size>, file: string): void {
  const dataset = buildDataset(size)
  write([{ file, content: `${JSON.stringify(dataset, null, 2)}\n` }], file)
  for (const kind of KINDS) console.log(`${dataset[kind].length} ${kind}`)
  console.log(`Written to ${path.relative(process.cwd(), path.resolve(file)) || file}.`)
}

interface Export {
  readonly format: string
  readonly dialect?: string | undefined
  readonly 'no-schema'?: boolean | undefined
  readonly ids?: string | undefined
  readonly data?: string | undefined
  readonly out?: string | undefined
}

function exportTables({ format, dialect = 'postgres', ids, data, out, ...given }: Export): void {
  if (ids !== undefined && ids !== 'integers')
    throw new UsageError(`--ids is "${ids}"; give integers, or leave it out.`)
  if (!Object.hasOwn(DIALECTS, dialect))
    throw new UsageError(`--dialect is "${dialect}"; give one of: ${Object.keys(DIALECTS).join(', ')}.`)
  if (out === undefined) throw new UsageError('--format needs --out, which names where it goes.')
  const dataset = readDataset(new Contract(), '--data', path.resolve(data ?? PUBLISHED_DATASET))
  const tables = tablesOf(dataset, { ids: ids === undefined ? 'as they are' : 'integers' })
  const files =
    format === 'csv'
      ? asCsv(tables).map(({ name, content }) => ({ file: path.join(out, name), content }))
      : [
          {
            file: out,
            content:
              format === 'sql'
                ? asSql(tables, dialect as DialectName, { schema: given['no-schema'] !== true })
                : asJsonByTable(tables),
          },
        ]
  write(files, out)
  for (const { name, rows } of tables) console.log(`${rows.length} ${name}`)
  console.log(`Written to ${out}.`)
}

async function check(file: string): Promise<void> {
  const contract = new Contract()
  const dataset = readDataset(contract, '--check', path.resolve(file))
  const demands = register(contract).filter(({ level }) => level !== 'observed')
  for (const line of differences(dataset, readDataset(contract, 'The published data set', PUBLISHED_DATASET)))
    console.log(`Differs from the published data set in ${differenceLine(line)}.`)
  const settings = { ...readRunSettings(), level: 'implied' as const }
  const lacking = await shortcomings(contract, demands, dataset, settings)
  const sizes = pageSizesFor(dataset, settings).join(' and of ')
  if (lacking.length === 0)
    return console.log(`It can exercise all ${demands.length} requirements, on pages of ${sizes} records.`)
  process.exitCode = 1
  console.log(`It cannot exercise ${lacking.length} of ${demands.length} requirements:`)
  for (const { requirement, reason, pageSize } of lacking)
    console.log(`  ${requirement.id}: ${reason} (pages of ${pageSize})`)
  if (lacking.some(({ reason }) => reason.startsWith('Needs more than a page')))
    console.log('Longer lists: npm run dataset -- --contacts N --schedules N --out FILE, each some three pages long.')
}

function readSize(kind: keyof Size, given: string): number {
  const number = Number(given)
  if (/^[1-9]\d*$/.test(given) && number >= SMALLEST_SIZE[kind] && number <= LARGEST_SIZE[kind]) return number
  throw new UsageError(
    `--${kind} is "${given}"; give a whole number from ${SMALLEST_SIZE[kind]} to ${LARGEST_SIZE[kind]}.`,
  )
}

function range(kind: keyof Size): string {
  return `${SMALLEST_SIZE[kind]} to ${LARGEST_SIZE[kind]} ${kind}`
}

/** Writes files, and makes the folder for them. */
function write(files: readonly { readonly file: string; readonly content: string }[], out: string): void {
  try {
    makeFolder(path.dirname(files[0]!.file))
    for (const { file, content } of files) writeFileSync(file, content)
  } catch (error) {
    const kind = files.length > 1 ? 'folder' : 'file'
    throw new UsageError(
      `--out is "${out}", which can't be written to as a ${kind} (${(error as NodeJS.ErrnoException).code}); name another.`,
    )
  }
}
