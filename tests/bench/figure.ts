/** One thing that was measured. */
export interface Figure {
  readonly what: string
  readonly value: number
  readonly unit: Unit
  /** What it should be at most; undefined where it only tells more of another. */
  readonly goal?: number
  /** Of figures that are a curve together: how many records there were. */
  readonly size?: number
}

/** `times` is a ratio. */
export type Unit = 's' | 'ms' | 'MiB' | 'requests' | 'times' | 'steps'

/** A group of figures that is measured together. */
export interface Bench {
  readonly name: string
  /** @param runs how often what varies is measured; the median counts. */
  readonly measure: (runs: number) => Promise<readonly Figure[]>
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}

/** Does something a number of times, one after the other. */
export async function repeat<T>(times: number, act: () => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (let nth = 0; nth < times; nth++) results.push(await act())
  return results
}

/** Does something, and tells how many seconds it took. */
export async function timed<T>(act: () => Promise<T>): Promise<{ readonly seconds: number; readonly result: T }> {
  const start = performance.now()
  const result = await act()
  return { seconds: (performance.now() - start) / 1000, result }
}

/** Figures as a table in Markdown, each beside its goal. */
export function tableOf(figures: readonly Figure[]): string {
  return [
    '| what | figure | goal |  |',
    '| --- | --: | --: | --- |',
    ...figures.map(({ what, value, unit, goal }) => {
      const verdict = goal === undefined ? '' : value <= goal ? 'met' : 'not met'
      return `| ${what} | ${shown(value, unit)} | ${goal === undefined ? '' : `≤ ${shown(goal, unit)}`} | ${verdict} |`
    }),
  ].join('\n')
}

function shown(value: number, unit: Unit): string {
  const digits = unit === 's' || unit === 'times' ? (value < 10 ? 2 : 1) : 0
  const number = value.toFixed(digits)
  return unit === 'times' ? `${number} ×` : unit === 'requests' || unit === 'steps' ? number : `${number} ${unit}`
}
