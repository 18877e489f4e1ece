/** All ways to choose a number of items, each in the order given. */
export function choose<T>(items: readonly T[], number: number): T[][] {
  if (number === 0) return [[]]
  return items.flatMap((item, index) => choose(items.slice(index + 1), number - 1).map((rest) => [item, ...rest]))
}
