import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { CERTIFICATE_FILE } from '../reporting/result/report-files.ts'
import { CERTIFIED_FILES } from './certificate.ts'

const OWN: readonly string[] = [CERTIFICATE_FILE, ...CERTIFIED_FILES]

/** What lies beside the files of a certificate, and is none that it vouches for; an empty file says nothing. */
export function strangersIn(folder: string): string[] {
  const isEmpty = (name: string): boolean => {
    const found = statSync(path.join(folder, name), { throwIfNoEntry: false })
    return found === undefined || (found.isFile() && found.size === 0)
  }
  return readdirSync(folder).filter((name) => !OWN.includes(name) && !isEmpty(name))
}
