/** A capital beyond A to Z that has a small letter: a search that folds these alone passes it over. */
const CAPITAL_BEYOND_ASCII = /(?=\P{ASCII})\p{Changes_When_Lowercased}/u

/** Without signs that a search may read in another way. */
const PLAIN_NAME = /^[\p{L}\p{M}\p{N}'’ -]+$/u

/** Letters that a text has behind its first word at least, so as to be told from other texts. */
const LETTERS_OF_A_REST = 8

/** Whether a name, or another text that a search may look at, is one to tell by whether such a capital is found as stored. */
export function tellsCapitals(text: string, isName: boolean): boolean {
  return isName ? PLAIN_NAME.test(text) && CAPITAL_BEYOND_ASCII.test(text) : restOf(text) !== undefined
}

/**
 * What is behind the first word of a text that has such a capital there. Whatever else a search reads into the text, it
 * reads into the rest of it too.
 */
export function restOf(text: string): string | undefined {
  const [, first, rest] = /^(\p{L}[\p{L}\p{M}]*) ([\p{L}\p{N}].*)$/u.exec(text) ?? []
  if (first === undefined || rest === undefined || !CAPITAL_BEYOND_ASCII.test(first)) return undefined
  return rest.replace(/\P{L}/gu, '').length >= LETTERS_OF_A_REST ? rest : undefined
}
