import { counted } from './counted.ts'

/** How much a requirement examined, in words. */
export function examinedInWords(examined: Readonly<Record<string, number>>): readonly string[] {
  return Object.entries(examined).map(([nouns, number]) => counted(number, nouns))
}
