import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Contract } from '../contract.ts'
import type { Schemas } from './records.ts'
import { schemaFault } from './schema-fault.ts'
import { printable, projectRoot, SettingError } from '../settings/settings.ts'

/** What a target has been loaded with: records of both companies, told apart by companyId. */
export interface Dataset {
  readonly formatVersion: 1
  readonly companyId: string
  readonly otherCompanyId?: string | null
  readonly contacts: readonly Schemas['Contact'][]
  readonly tickets: readonly Schemas['Ticket'][]
  readonly schedules: readonly Schemas['Schedule'][]
  readonly tags: readonly Schemas['Tag'][]
  readonly campaigns: readonly Schemas['Campaign'][]
}

const COLLECTIONS = ['contacts', 'tickets', 'schedules', 'tags', 'campaigns'] as const

/**
 * Reads and checks a data-set file.
 * @param setting the setting that names the file, for the error.
 * @throws SettingError where the file can't be read or doesn't fit the format.
 */
export function readDataset(contract: Contract, setting: string, file: string): Dataset {
  const name = `${setting} (${printable(path.basename(file))})`
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new SettingError(`${name} can't be read (${(error as NodeJS.ErrnoException).code}); name a readable file.`)
  }
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    throw new SettingError(`${name} is not JSON; name a data set such as fixtures/dataset.json.`)
  }
  const validate = contract.compile(schema())
  if (!validate(content)) throw new SettingError(`${name} is no data set: ${schemaFault(validate.errors)}.`)
  const dataset = content as Dataset
  for (const collection of COLLECTIONS) {
    const ids = new Set(dataset[collection].map(({ id }) => id))
    if (ids.size < dataset[collection].length)
      throw new SettingError(`${name} is no data set: two of its ${collection} have the same id.`)
  }
  return dataset
}

function schema(): object {
  const file = path.join(projectRoot, 'spec/dataset.schema.json')
  return JSON.parse(readFileSync(file, 'utf8')) as object
}
