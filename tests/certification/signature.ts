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

/**
 * Reads a key that can sign.
 * @param pem without a passphrase.
 * @returns undefined where it is none of Ed25519.
 */
export function signingKey(pem: string): KeyObject | undefined {
  return ofAlgorithm(() => createPrivateKey(pem))
}

export function signed(text: string, key: KeyObject): Signature {
  return {
    algorithm: ALGORITHM,
    publicKey: publicKeyOf(key),
    value: sign(null, Buffer.from(text), key).toString('base64'),
  }
}

/** Whether a signature is one of a text, by the key that it names. */
export function isSignatureOf(text: string, { publicKey, value }: Signature): boolean {
  const key = verifyingKey(publicKey)
  return key !== undefined && verify(null, Buffer.from(text), key, Buffer.from(value, 'base64'))
}

/** Reads a key by which signatures are checked, as PEM; undefined where it is none of Ed25519. */
export function verifyingKey(pem: string): KeyObject | undefined {
  return ofAlgorithm(() => createPublicKey(pem))
}

function ofAlgorithm(read: () => KeyObject): KeyObject | undefined {
  try {
    const key = read()
    return key.asymmetricKeyType === ALGORITHM.toLowerCase() ? key : undefined
  } catch {
    // What is no key, or is locked, signs nothing.
    return undefined
  }
}

/** Whether two public keys, as PEM, are the same, however their lines end. */
export function isSameKey(one: string, other: string): boolean {
  const [a, b] = [verifyingKey(one), verifyingKey(other)]
  return a !== undefined && b !== undefined && a.equals(b)
}

/** A short name of a public key, by which people compare it. */
export function fingerprintOf(publicKey: string): string {
  const der = verifyingKey(publicKey)?.export({ type: 'spki', format: 'der' })
  if (!der) return 'that cannot be read'
  return `SHA256:${createHash('sha256').update(der).digest('base64').replace(/=+$/, '')}`
}

/** PEM of the key by which what a private key signs is checked. */
export function publicKeyOf(key: KeyObject): string {
  return pemOf(createPublicKey(key))
}

function pemOf(key: KeyObject): string {
  return String(key.export({ type: 'spki', format: 'pem' }))
}
