import type { OperationId } from '../../../engine/contract.ts'
import { OPERATIONS } from '../../operations.ts'

/** What must be refused in place of the token. */
export interface BadToken {
  readonly name: string
  readonly phrase: string
  /**
   * The header's values made from the good token or, for what is no secret, the id of its company; undefined sends no
   * header; none where the token has no such form.
   */
  readonly headers: (token: string, operation: OperationId, companyId?: string) => readonly (string | undefined)[]
  /** Whether it may stand for the same token all the same: a refusal tells, an acceptance doesn't. */
  readonly mayBeEqual?: (token: string) => boolean
}

const BASIC = 'Basic bm9ib2R5Om5vdGhpbmc='

/** Credentials that a careless comparison, or one that looks for the scheme alone, takes for somebody's. */
const NOBODYS = [
  'Bearer null',
  'Bearer undefined',
  'nobody',
  BASIC,
  // A JSON Web Token that nobody has signed.
  `Bearer ${[
    { alg: 'HS256', typ: 'JWT' },
    { sub: '1', companyId: '1', exp: 4_000_000_000 },
  ]
    .map(inBase64)
    .join('.')}.c2lnbmVkLWJ5LW5vYm9keQ`,
  'Digest username="nobody"',
]

export const NO_HEADER: BadToken = {
  name: 'no-header',
  phrase: 'without an Authorization header',
  headers: () => [undefined],
}
/** Where a guard of its own may look for a header alone. */
export const ANY_TOKEN: BadToken = {
  name: 'any-token',
  phrase: 'with a token that nobody was given',
  headers: () => ['Bearer nobody'],
}
const UNKNOWN: BadToken = {
  name: 'unknown-token',
  phrase: 'with a token that nobody was given',
  // What is taken for a token in one operation need not be so in the next; one of them is of the bearer scheme.
  headers: (token, operation, companyId = token) => {
    const nobodys = inTurn(operation, NOBODYS)
    if (!nobodys.startsWith('Bearer ')) return [nobodys, bearer("' OR '1'='1")]
    // What is no bearer token at all may come to another guard than one that is wrong, and be carried out before it.
    const before = operation === 'updateContact' ? [BASIC] : []
    return [...before, nobodys, ...(companyId === token ? [] : onceOnly(operation, bearer(companyId)))]
  },
}
export const BAD_TOKENS: readonly BadToken[] = [
  NO_HEADER,
  {
    name: 'empty-bearer',
    phrase: 'with an Authorization header that carries no token',
    headers: (_token, operation) => ['Bearer ', ...onceOnly(operation, '')],
  },
  UNKNOWN,
  {
    name: 'cut-token',
    phrase: 'with the token cut short',
    headers: (token, operation) => {
      const all = cuts(token).map(bearer)
      return all.length === 0 ? [] : [inTurn(operation, all), ...onceOnly(operation, bearer(token.slice(1)))]
    },
  },
  {
    name: 'longer-token',
    phrase: 'with the token made longer',
    headers: (token, operation) => twice(token, operation).map(bearer),
  },
  {
    name: 'changed-token',
    phrase: 'with a character of the token changed',
    headers: (token, operation) =>
      [changeLast(token), ...onceOnly(operation, asPattern(token), changeFirst(token))]
        .filter((changed) => changed !== token)
        .map(bearer),
  },
  {
    name: 'other-case',
    phrase: 'with the token in other letter case',
    headers: (token) => (swapCase(token) === token ? [] : [bearer(swapCase(token))]),
    // Digits of a number in base 16 are the same in either case.
    mayBeEqual: (token) => /^[\da-f-]+$/i.test(token),
  },
]

/** Tried on the plain list; all others on a list with one parameter. */
export const PLAINLY = [NO_HEADER, UNKNOWN]

function inBase64(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** One of several that are tried on some operation each. */
function inTurn<T>(operation: OperationId, several: readonly T[]): T {
  return several[OPERATIONS.indexOf(operation) % several.length]!
}

/** What hardly one operation takes for a token and another does not. */
function onceOnly(operation: OperationId, ...values: readonly string[]): readonly string[] {
  return operation === 'listCampaigns' ? values : []
}

/** Operations whose guard is most often written apart, or that have no parameters. */
const APART: readonly OperationId[] = ['updateContact', 'getTag', 'listCampaigns']

/** A longer token may be refused for its length alone. */
const LONGEST_TWICE = 2000

/**
 * The token and itself again: what takes the beginning or the end for the token takes this. Not with a blank between them:
 * what takes one of the words of a header for the token lets nobody in who has none.
 */
function twice(token: string, operation: OperationId): readonly string[] {
  const again = token.length > LONGEST_TWICE ? 'A' : token
  const signs = new Set([...(APART.includes(operation) ? [','] : []), inTurn(operation, ['', ',', '.'])])
  return [...signs].map((sign) => `${token}${sign}${again}`)
}

function bearer(token: string): string {
  return `Bearer ${token}`
}

/**
 * The token without its last character, its first half and, of a JSON Web Token, all but its signature, which its header may say
 * that it does without.
 */
function cuts(token: string): string[] {
  const half = token.slice(0, Math.ceil(token.length / 2))
  const parts = token.split('.')
  const headers = [parts[0], inBase64({ alg: 'none', typ: 'JWT' })]
  const unsigned = parts.length === 3 ? headers.map((header) => `${header}.${parts[1]}.`) : []
  return [...new Set([token.slice(0, -1), half, ...unsigned])].filter((cut) => cut !== '' && cut !== token)
}

/** Changes the last letter or digit, in a bit that counts also where base64url pads its last bits. */
function changeLast(token: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const at = token.search(/[\w-][^\w-]*$/)
  if (at === -1) return `x${token}`
  return token.slice(0, at) + alphabet[alphabet.indexOf(token[at]!) ^ 0b100000]! + token.slice(at + 1)
}

function changeFirst(token: string): string {
  return backwards(changeLast(backwards(token)))
}

function backwards(text: string): string {
  return [...text].toReversed().join('')
}

/** In the middle of it, a sign that stands for any in the patterns of a database. */
function asPattern(token: string): string {
  const half = token.slice(0, Math.ceil(token.length / 2)).replace(/[a-z\d](?!.*[a-z\d])/i, '_')
  return `${half}${token.slice(half.length)}`
}

function swapCase(token: string): string {
  return token.replace(/[a-z]/gi, (letter) =>
    letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
  )
}
