/** Letters of a name that are looked at. */
const LONGEST = 200

/** Parts of words in small letters without accents, as every search reads them. */
export function partsOf(name: string, length: number): string[] {
  const pieces = name.slice(0, LONGEST).match(/[a-z]+/g) ?? []
  return pieces.flatMap((piece) =>
    Array.from({ length: Math.max(0, piece.length - length + 1) }, (_, at) => piece.slice(at, at + length)),
  )
}

/** In how many texts each of their parts is. */
export function countsOfParts(
  texts: readonly string[],
  partsOfText: (text: string) => Iterable<string>,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts) for (const part of new Set(partsOfText(text))) counts.set(part, (counts.get(part) ?? 0) + 1)
  return counts
}
