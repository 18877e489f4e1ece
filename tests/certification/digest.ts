import { createHash } from 'node:crypto'

/** SHA-256 in hexadecimal digits. */
export function digestOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

/** JSON as it is written to files of a certificate: what is written in another way was not written by the suite. */
export function asJson(content: object): string {
  return `${JSON.stringify(content, undefined, 2)}\n`
}
