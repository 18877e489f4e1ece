import { faults, variants, type Deviation } from '../../fixtures/faults/index.ts'

/** How the reference service deviates where it is started with a fault or a variant. */
export function deviationOf(name: string): Deviation {
  const found = [...faults, ...variants].find((one) => one.name === name)
  if (!found) throw new Error(`no fault or variant is named ${name}`)
  return found.deviation
}
