import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type { Certificate } from '../certification/certificate.ts'
import { fingerprintOf, verifyingKey } from '../certification/signature.ts'
import { verify, type Expected } from '../certification/verification.ts'
import { Contract } from '../engine/contract.ts'
import { standingFolder } from '../engine/settings/environment.ts'
import { readCertificationSettings, SettingError } from '../engine/settings/settings.ts'
import { withoutControls } from '../reporting/wording/finding-line.ts'
import { whenInWords } from '../reporting/pages/when.ts'
import { PUBLISHED_DATASET } from '../run/target-under-test.ts'
import { runCommand, UsageError } from './command.ts'

const USAGE = `Usage: npm run verify -- DIR [--nonce NONCE] [--key FILE]

Checks a certificate that npm run certify has written to DIR, offline: that nothing in the folder was changed or added,
that the signature and the nonce fit, and that every requirement, judged again from the evidence alone, has the outcome
that the report gives.

  --nonce NONCE  what was issued for it (default: CERTIFICATION_NONCE)
  --key FILE     the public key that must have signed it, as PEM
  --help         this text

Exits with 0 only where all of it holds.`

/** What one change brings about can be hundreds of sentences; the first ones name it. */
const MOST_TOLD = 20

await runCommand(async () => {
  const { values, positionals } = parseArgs({
    options: { nonce: { type: 'string' }, key: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  })
  if (values.help) return console.log(USAGE)
  const [folder] = positionals
  if (folder === undefined || positionals.length > 1)
    throw new UsageError('Name one folder with a certificate; --help tells more.')
  const nonce = values.nonce ?? readCertificationSettings().nonce
  const publicKey = values.key === undefined ? undefined : readPublicKey(values.key)
  const expected: Expected = {
    publishedDataset: PUBLISHED_DATASET,
    ...(nonce !== undefined && { nonce }),
    ...(publicKey !== undefined && { publicKey }),
  }
  const { certificate, faults, remarks } = await verify(
    new Contract(),
    path.resolve(standingFolder(), folder),
    expected,
  )
  // What is not checked comes first.
  for (const remark of remarks) say(remark)
  if (certificate) describe(certificate, expected)
  if (certificate && faults.length === 0)
    return say(`VERIFIED: judged again from ${certificate.exchanges.length} exchanges, with the same outcomes.`)
  process.exitCode = 1
  say(`NOT VERIFIED:`)
  for (const fault of faults.slice(0, MOST_TOLD)) say(`  ${fault}`)
  if (faults.length > MOST_TOLD) say(`  … and ${faults.length - MOST_TOLD} more.`)
})

/** Tells what a certificate is of, whether or not it holds, and what of it was not compared. */
function describe({ target, date, suite, narrowedTo, signature, nonce }: Certificate, expected: Expected): void {
  if (narrowedTo) say(`Narrowed to ${narrowedTo.join(', ')}.`)
  say(
    `${target.name} (${target.baseUrl}), ${whenInWords({ startedAt: date })}, ${suite.name} ${suite.version}${suite.commit === null ? '' : `, commit ${suite.commit}`}`,
  )
  say(
    signature
      ? `Signed with the key ${fingerprintOf(signature.publicKey)}.`
      : 'Not signed: a change of everything at once goes unnoticed, except in the evidence.',
  )
  if (signature && expected.publicKey === undefined)
    say('The key was not compared, and anybody can sign: give the public key of the signer with --key FILE.')
  if (nonce === null) say('Without a nonce: the evidence may be of any date.')
  else if (expected.nonce === undefined)
    say(`The nonce ${JSON.stringify(nonce)} was not compared: give the one that was issued with --nonce NONCE.`)
}

function say(sentence: string): void {
  console.log(withoutControls(sentence))
}

function readPublicKey(file: string): string {
  let key: string
  try {
    key = readFileSync(path.resolve(standingFolder(), file), 'utf8')
  } catch (error) {
    throw new SettingError(`--key can't be read (${(error as NodeJS.ErrnoException).code}); name a readable file.`)
  }
  if (verifyingKey(key) && !key.includes('PRIVATE')) return key
  throw new SettingError('--key holds no public Ed25519 key; name the .pub file that npm run certify:key wrote.')
}
