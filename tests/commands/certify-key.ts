import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fingerprintOf, newKeys } from '../certification/signature.ts'
import { standingFolder } from '../engine/settings/environment.ts'
import { readArgument, runCommand, UsageError } from './command.ts'

const USAGE = `Usage: npm run certify:key -- FILE

Makes a pair of Ed25519 keys: FILE, which signs certificates and is to be kept secret, and FILE.pub, which is for anyone who
checks them (npm run verify -- DIR --key FILE.pub).`

await runCommand(() => {
  const given = readArgument(USAGE, 'file')
  if (!given) return Promise.resolve()
  if (given.argument === undefined) throw new UsageError('Name the file of the private key; --help tells more.')
  const file = path.resolve(standingFolder(), given.argument)
  if (existsSync(file))
    throw new UsageError(`${given.argument} is there already, and it would be overwritten; name another file.`)
  const { privateKey, publicKey } = newKeys()
  writeFileSync(file, privateKey, { mode: 0o600 })
  writeFileSync(`${file}.pub`, publicKey)
  console.log(`${given.argument} and ${given.argument}.pub: ${fingerprintOf(publicKey)}`)
  return Promise.resolve()
})
