const PLURAL = /(?:ies|(?<=ch)es|s)\b/

/** A number of things, in words; the noun is given in the plural, and may have words before and after it. */
export function counted(number: number, nouns: string): string {
  return `${number} ${number === 1 ? nouns.replace(PLURAL, (ending) => (ending === 'ies' ? 'y' : '')) : nouns}`
}
