// Playwright loads the reporters and the global setup into one process and one graph of modules.
let selected: ReadonlySet<string> | undefined

/** Lets `isSelected` know the titles of the tests of this process's run, or of its shard. */
export function select(titles: readonly string[]): void {
  selected = new Set(titles)
}

/** Whether a test is part of the run; undefined where nobody could tell, as the command line names its own reporters. */
export function isSelected(title: string): boolean | undefined {
  return selected?.has(title)
}
