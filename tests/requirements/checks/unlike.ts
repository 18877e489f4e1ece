/** As few of several as have all traits that any of them has, the one with the most first; at most so many. */
export function unlike<T>(several: readonly T[], traitsOf: (one: T) => readonly string[], most: number): T[] {
  const traits = new Map(several.map((one) => [one, traitsOf(one)]))
  const told = new Set<string>()
  const chosen: T[] = []
  while (chosen.length < most) {
    let best: T | undefined
    let greatest = 0
    for (const [one, own] of traits) {
      const gain = own.filter((trait) => !told.has(trait)).length
      if (gain > greatest) [best, greatest] = [one, gain]
    }
    if (best === undefined) break
    chosen.push(best)
    for (const trait of traits.get(best)!) told.add(trait)
  }
  return chosen
}
