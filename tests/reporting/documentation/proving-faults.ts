import type { Proof, ProvedFault } from '../../proving/proof.ts'

/** The faults that a requirement caught in a proof. */
export interface ProvingFaults {
  /** Written by hand; those that are named for the requirement come first. */
  readonly byHand: readonly ProvedFault[]
  /** Derived from the contract; how many. */
  readonly derived: number
}

/** What proves each requirement, by id: the faults for which it failed in any mode. */
export function provingFaults({ faults }: Proof): ReadonlyMap<string, ProvingFaults> {
  const caught = new Map<string, ProvedFault[]>()
  for (const fault of faults)
    for (const id of new Set(Object.values(fault.failed).flat())) {
      const mine = caught.get(id)
      if (mine) mine.push(fault)
      else caught.set(id, [fault])
    }
  return new Map(
    [...caught].map(([id, all]) => {
      const byHand = all.filter(({ derived }) => !derived)
      const named = byHand.toSorted((a, b) => Number(b.caughtBy === id) - Number(a.caughtBy === id))
      return [id, { byHand: named, derived: all.length - byHand.length }]
    }),
  )
}
