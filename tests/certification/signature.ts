import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto'

const ALGORITHM = 'Ed25519'

/** A signature of a certificate, with the key that it can be checked by. */
export interface Signature {
  readonly algorithm: typeof ALGORITHM
  /** PEM. */
  readonly publicKey: string
  /** Base64. */
  readonly value: string
}

/** A new pair of keys, as PEM. */
export function newKeys(): { readonly privateKey: string; readonly publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return { privateKey: String(privateKey.export({ type: 'pkcs8', format: 'pem' })), publicKey: pemOf(publicKey) }
}

/** @throws where the key is none of Ed25519. */
export function signed(text: string, privateKey: string): Signature {
  const key = createPrivateKey(privateKey)
  return {
    algorithm: ALGORITHM,
    publicKey: pemOf(createPublicKey(key)),
    value: sign(null, Buffer.from(text), key).toString('base64'),
  }
}

/** Whether a signature is one of a text, by the key that it names. */
export function isSignatureOf(text: string, { publicKey, value }: Signature): boolean {
  try {
    return verify(null, Buffer.from(text), createPublicKey(publicKey), Buffer.from(value, 'base64'))
  } catch {
    // What is no key signs nothing.
    return false
  }
}

/** A short name of a public key, by which people compare it. */
export function fingerprintOf(publicKey: string): string {
  const der = createPublicKey(publicKey).export({ type: 'spki', format: 'der' })
  return `SHA256:${createHash('sha256').update(der).digest('base64').replace(/=+$/, '')}`
}

function pemOf(key: KeyObject): string {
  return String(key.export({ type: 'spki', format: 'pem' }))
}
