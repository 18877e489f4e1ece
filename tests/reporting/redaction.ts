const PLACEHOLDER = '[token]'
const SHORTEST = 4

/** Removes tokens from everything that is written or printed, in whatever encoding and letter case they appear. */
export class Redaction {
  readonly #pattern: RegExp | undefined

  constructor(tokens: readonly (string | undefined)[]) {
    const forms = tokens.flatMap((token) => (token === undefined ? [] : spellings(token)))
    const unique = [...new Set(forms)].filter((form) => form.length >= SHORTEST).toSorted((a, b) => b.length - a.length)
    this.#pattern = unique.length === 0 ? undefined : new RegExp(unique.map(escape).join('|'), 'gi')
  }

  text(text: string): string {
    return this.#pattern ? text.replace(this.#pattern, PLACEHOLDER) : text
  }
}

/** The spellings of a token: without its last character, so that the cut, the changed and the longer token go too. */
function spellings(token: string): string[] {
  const core = token.length > SHORTEST ? token.slice(0, -1) : token
  const bytes = Buffer.from(core, 'latin1')
  const characters = [...core]
  const codes = characters.map((character) => character.charCodeAt(0))
  return [
    core,
    token,
    encodeURIComponent(core),
    JSON.stringify(core).slice(1, -1),
    codes.map((code) => `%${hex(code)}`).join(''),
    codes.map((code) => `\\u00${hex(code)}`).join(''),
    codes.map((code) => `&#${code};`).join(''),
    codes.map((code) => `&#x${hex(code)};`).join(''),
    bytes.toString('hex'),
    characters.toReversed().join(''),
    ...base64Alignments(bytes),
  ]
}

/** Base64 of text that holds the token somewhere: the part that is the same whatever stands before and after it. */
function base64Alignments(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    const certain = encoded.slice(offset === 0 ? 0 : offset + 1, -1)
    return [certain, certain.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

function hex(code: number): string {
  return code.toString(16).padStart(2, '0')
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`)
}
