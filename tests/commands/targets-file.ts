import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Contract } from '../engine/contract.ts'
import { readDataset, type Dataset } from '../engine/data/dataset.ts'
import type { Environment } from '../engine/settings/environment.ts'
import { lookalikes } from '../engine/settings/lookalikes.ts'
import { schemaFault } from '../engine/data/schema-fault.ts'
import { checkBaseUrl, checkToken, printable, SettingError, type TargetSettings } from '../engine/settings/settings.ts'
import type { Entry } from './row.ts'

const SCHEMA = {
  type: 'array',
  items: {
    type: 'object',
    required: ['name', 'baseUrl', 'accessToken'],
    properties: {
      name: { type: 'string' },
      baseUrl: { type: 'string' },
      accessToken: { type: 'string' },
      otherAccessToken: { type: 'string' },
      dataset: { type: 'string' },
      allowWrites: { type: 'boolean' },
    },
  },
}

/**
 * Reads the targets of a matrix, and the data sets that they are loaded with.
 * @throws SettingError where the file, or what it names, can't be used.
 */
export function readEntries(file: string, contract: Contract): Omit<Entry, 'policy'>[] {
  const validate = contract.compile(SCHEMA)
  const content = readJson(file)
  const why = validate(content) ? misspelt(content as readonly object[]) : schemaFault(validate.errors)
  if (why !== undefined) throw new SettingError(`--targets (${path.basename(file)}) is no targets file: ${why}.`)
  if ((content as readonly unknown[]).length === 0)
    throw new SettingError(`--targets (${path.basename(file)}) names no target; name one at least.`)
  const datasets = new Map<string, Dataset>()
  return (content as (Omit<TargetSettings, 'allowWrites'> & { allowWrites?: boolean })[]).map((entry, index) => {
    const where = `--targets entry ${index}`
    const dataset = entry.dataset === undefined ? undefined : locate(entry.dataset, file, where)
    if (dataset !== undefined && !datasets.has(dataset))
      datasets.set(dataset, readDataset(contract, `${where}, dataset`, dataset))
    return {
      target: {
        name: entry.name,
        baseUrl: checkBaseUrl(`${where}, baseUrl`, entry.baseUrl),
        accessToken: checkToken(`${where}, accessToken`, entry.accessToken),
        ...(entry.otherAccessToken !== undefined && {
          otherAccessToken: checkToken(`${where}, otherAccessToken`, entry.otherAccessToken),
        }),
        ...(dataset !== undefined && { dataset }),
        allowWrites: entry.allowWrites ?? false,
      },
      dataset: dataset === undefined ? undefined : datasets.get(dataset),
    }
  })
}

/** An unknown key that resembles a known one, in a sentence; other unknown keys are allowed. */
function misspelt(entries: readonly object[]): string | undefined {
  const known = Object.keys(SCHEMA.items.properties)
  const [first] = entries.flatMap((entry, index) =>
    lookalikes(entry as Environment, known).map(
      ({ given, meant }) => `/${index} has "${given}", where ${meant} may be meant`,
    ),
  )
  return first === undefined ? undefined : printable(first)
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as unknown
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'it is not JSON' : (error as NodeJS.ErrnoException).code
    throw new SettingError(`--targets (${path.basename(file)}) can't be read: ${reason}.`)
  }
}

function locate(dataset: string, targetsFile: string, where: string): string {
  const candidates = [path.resolve(path.dirname(targetsFile), dataset), path.resolve(dataset)]
  for (const candidate of candidates) {
    try {
      readFileSync(candidate)
      return candidate
    } catch {
      continue
    }
  }
  throw new SettingError(`${where}, dataset names ${path.basename(dataset)}, and there is no such file.`)
}
