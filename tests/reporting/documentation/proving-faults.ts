import { grouped } from '../../engine/data/grouped.ts'
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
  const caught = faults.flatMap((fault) =>
    [...new Set(Object.values(fault.failed).flat())].map((id) => ({ id, fault })),
  )
  return new Map(
    grouped(caught, ({ id }) => id).map(([id, all]) => {
      const byHand = all.flatMap(({ fault }) => (fault.derived ? [] : [fault]))
      const named = byHand.toSorted((a, b) => Number(b.caughtBy === id) - Number(a.caughtBy === id))
      return [id, { byHand: named, derived: all.length - byHand.length }]
    }),
  )
}
