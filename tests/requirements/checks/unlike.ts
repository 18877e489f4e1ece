/** So many of several, first those that `unlike` chooses. */
export function unlikeFirst<T>(several: readonly T[], traits: (one: T) => readonly string[], most: number): T[] {
  return [...new Set([...unlike(several, traits, most), ...several])].slice(0, most)
}

/** As few of several as have all traits that any of them has, the one with the most first; at most so many. */
export function unlike<T>(several: readonly T[], traits: (one: T) => readonly string[], most: number): T[] {
  const traitsOf = new Map(several.map((one) => [one, traits(one)]))
  const told = new Set<string>()
  const chosen: T[] = []
  while (chosen.length < most) {
    let best: T | undefined
    let greatest = 0
    for (const one of several) {
      const gain = traitsOf.get(one)!.filter((trait) => !told.has(trait)).length
      if (gain > greatest) [best, greatest] = [one, gain]
    }
    if (best === undefined) break
    chosen.push(best)
    for (const trait of traitsOf.get(best)!) told.add(trait)
  }
  return chosen
}
