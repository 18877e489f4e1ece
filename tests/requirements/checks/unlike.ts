/**
 * As few of several as have all traits that any of them has, the one with the most first; at most so many.
 * @param traits the traits of one, of several sorts: those of the first sort count before all others.
 */
export function unlike<T>(
  several: readonly T[],
  traits: readonly ((one: T) => readonly string[])[],
  most: number,
): T[] {
  const traitsOf = new Map(several.map((one) => [one, traits.map((ofSort) => ofSort(one))]))
  const told = new Set<string>()
  const gainOf = (one: T): number =>
    traitsOf
      .get(one)!
      .map((sort) => sort.filter((trait) => !told.has(trait)).length)
      .reduce((sum, gain) => sum * MORE_THAN_TRAITS + gain, 0)
  const chosen: T[] = []
  while (chosen.length < most) {
    let best: T | undefined
    let greatest = 0
    for (const one of several) {
      const gain = gainOf(one)
      if (gain > greatest) [best, greatest] = [one, gain]
    }
    if (best === undefined) break
    chosen.push(best)
    for (const trait of traitsOf.get(best)!.flat()) told.add(trait)
  }
  return chosen
}

/** More than any record has of one sort. */
const MORE_THAN_TRAITS = 1000
