import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Contract } from '../engine/contract.ts'
import { makeFolder } from '../engine/settings/make-folder.ts'
import { SettingError } from '../engine/settings/settings.ts'
import { readJsonAs } from '../reporting/result/read-json.ts'
import { suite } from '../reporting/result/report.ts'
import type { Proof } from './proof.ts'

/** The proof that the file holds, if this version of the suite was proved: what it lacks can be added to it. */
export function earlierProof(contract: Contract, file: string): Proof | undefined {
  try {
    const proof = readJsonAs<Proof>(contract, file, 'proof')
    return proof?.suite.version === suite().version ? proof : undefined
  } catch (error) {
    // What can't be read is no proof; it is written again.
    if (error instanceof SettingError) return undefined
    throw error
  }
}

/** Writes a proof, and makes the folder for it. */
export function writeProof(file: string, proof: Proof): void {
  makeFolder(path.dirname(file))
  writeFileSync(file, `${JSON.stringify(proof, undefined, 2)}\n`)
}
