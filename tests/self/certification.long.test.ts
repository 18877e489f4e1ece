/* oxlint-disable no-empty-pattern -- Playwright reads what a fixture needs off its first parameter. */
import { spawn, type ChildProcess } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { test as base, expect } from '@playwright/test'
import type { Entry, Har } from 'har-format'
import { certificationRequirements } from '../certification/certification-requirements.ts'
import type { Certificate } from '../certification/certificate.ts'
import { differencesOf } from '../certification/differences-of-reports.ts'
import { asJson, digestOf } from '../certification/digest.ts'
import { textOf as vouchedText } from '../certification/certificate.ts'
import { newKeys, signed, signingKey } from '../certification/signature.ts'
import { verify } from '../certification/verification.ts'
import { Contract } from '../engine/contract.ts'
import { seededRandom } from '../engine/random.ts'
import { projectRoot } from '../engine/settings/settings.ts'
import type { Report } from '../reporting/result/report-format.ts'
import { runScript, type Ended, type Variables } from '../run/node-process.ts'
import { entriesOf, reportOf, textOf, UNSET } from './child-run.ts'
import { DATASET_FILE } from './own-target.ts'

const TAMPERED = Number(process.env['TAMPERED'] ?? 20)
const NONCE = 'issued on 22 November'
const SQL_SERVICE = 'fixtures/other-services/loaded-from-sql/main.ts'

const contract = new Contract()

function run(script: string, args: readonly string[], settings: Variables = {}): Promise<Ended> {
  return runScript(script, args, { ...UNSET, ...settings })
}

interface Certified extends Ended {
  readonly folder: string
  readonly keyFile: string
}

/** A folder with the certificate of a service in another process, which was loaded by SQL. */
const test = base.extend<object, { readonly certified: Certified }>({
  certified: [
    async ({}, use) => {
      const work = mkdtempSync(path.join(tmpdir(), 'certified-'))
      const [folder, keyFile, sql] = [path.join(work, 'report'), path.join(work, 'key'), path.join(work, 'data.sql')]
      await run('dataset', ['--format', 'sql', '--dialect', 'sqlite', '--ids', 'integers', '--out', sql])
      await run('certify-key', [keyFile])
      const service = spawn(
        process.execPath,
        ['--import', 'tsx', SQL_SERVICE, '--port', '0', '--sql', sql, '--token', 'a-token', '--other-token', 'b-token'],
        { cwd: projectRoot },
      )
      const settings = {
        BASE_URL: await addressOf(service),
        ACCESS_TOKEN: 'a-token',
        OTHER_ACCESS_TOKEN: 'b-token',
        DATASET: DATASET_FILE,
        ALLOW_WRITES: 'true',
        REPORTS_DIR: folder,
        CERTIFICATION_NONCE: NONCE,
        CERTIFICATION_KEY_FILE: keyFile,
      }
      const ended = await run('certify', [], settings)
      service.kill()
      await use({ ...ended, folder, keyFile })
      rmSync(work, { recursive: true, force: true })
    },
    { scope: 'worker', timeout: 120_000 },
  ],
})

async function addressOf(service: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: service.stdout! }))
    if (line.startsWith('BASE_URL=')) return line.slice(9)
  throw new Error('the service has ended')
}

/** A copy of a certified folder that somebody has changed. */
function changedCopy(folder: string, change: (copy: string) => void): string {
  const copy = test.info().outputPath(`copy-${Math.random().toString(36).slice(2)}`)
  cpSync(folder, copy, { recursive: true })
  change(copy)
  return copy
}

function faultsOf(folder: string): Promise<readonly string[]> {
  return verify(contract, folder, { publishedDataset: DATASET_FILE }).then(({ faults }) => faults)
}

function edit<T>(file: string, change: (content: T) => void): void {
  const content = JSON.parse(readFileSync(file, 'utf8')) as T
  change(content)
  writeFileSync(file, asJson(content as object))
}

/** Makes the digests of a certificate fit what was changed, as somebody without the key could. */
function fitDigests(folder: string): void {
  edit<Certificate & { files: Record<string, string>; exchanges: string[]; sha256: string; signature?: unknown }>(
    path.join(folder, 'certificate.json'),
    (certificate) => {
      for (const file of Object.keys(certificate.files))
        certificate.files[file] = digestOf(readFileSync(path.join(folder, file)))
      const { log } = JSON.parse(readFileSync(path.join(folder, 'evidence.har'), 'utf8')) as Har
      certificate.exchanges = log.entries.map((entry) => digestOf(JSON.stringify(entry)).slice(0, 16))
      delete certificate.signature
      certificate.sha256 = digestOf(vouchedText(certificate))
    },
  )
}

test('a service loaded by SQL, with ids and times of its own, is certified, signed and verified', async ({
  certified,
}) => {
  expect(certified.output).toContain('CERTIFIED')
  expect(certified.exitCode).toBe(0)
  expect(statSync(certified.keyFile).mode & 0o777).toBe(0o600)

  const verified = await run('verify', [certified.folder, '--nonce', NONCE, '--key', `${certified.keyFile}.pub`])

  expect(verified.output).toContain('VERIFIED: judged again from')
  expect(verified.output).not.toContain('not compared')
  expect(verified.exitCode).toBe(0)
})

test('what is verified without the nonce and the key says that they were not compared', async ({ certified }) => {
  const { exitCode, output } = await run('verify', [certified.folder])

  expect(exitCode).toBe(0)
  expect(output).toMatch(/^The key was not compared, .*: give the public key of the signer with --key FILE\.$/m)
  expect(output).toContain(`The nonce "${NONCE}" was not compared: give the one that was issued with --nonce NONCE.`)
})

test('neither token is in any file of a certificate', ({ certified }) => {
  for (const file of ['certificate.json', 'certificate.html', 'conformance.json', 'evidence.har', 'index.html'])
    expect(textOf(certified, file)).not.toMatch(/[ab]-token/)
})

test('another nonce and another key than the one that signed are told', async ({ certified }) => {
  await run('certify-key', [test.info().outputPath('other-key')])
  const { exitCode, output } = await run('verify', [
    certified.folder,
    '--nonce',
    'another',
    '--key',
    test.info().outputPath('other-key.pub'),
  ])

  expect(exitCode).toBe(1)
  expect(output).toContain(`The certificate was not made for the nonce given, but for "${NONCE}".`)
  expect(output).toContain('The certificate was signed with another key than the one given.')
})

test('a public key is the same however its lines end', async ({ certified }) => {
  const publicKey = readFileSync(`${certified.keyFile}.pub`, 'utf8').trimEnd().replaceAll('\n', '\r\n')

  expect((await verify(contract, certified.folder, { publishedDataset: DATASET_FILE, publicKey })).faults).toEqual([])
})

test('a key of another algorithm, or with a passphrase, signs nothing', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const { privateKey } = generateKeyPairSync('ed25519')
  const locked = privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' })

  expect(signingKey(String(rsa.export({ type: 'pkcs8', format: 'pem' })))).toBeUndefined()
  expect(signingKey(String(locked))).toBeUndefined()
})

type EditableReport = { -readonly [K in keyof Report]: Report[K] }
type Random = ReturnType<typeof seededRandom>

/** Changes the entries of the evidence. */
function editEntries(folder: string, change: (entries: Entry[]) => void): void {
  edit<Har>(path.join(folder, 'evidence.har'), ({ log }) => change(log.entries))
}

/** Says in all files that the suite was another one. */
function editSuite(folder: string, { version, commit }: Partial<Certificate['suite']>): void {
  const changed = { ...(version !== undefined && { version }), ...(commit !== undefined && { commit }) }
  edit<EditableReport>(path.join(folder, 'conformance.json'), (report) => Object.assign(report.suite, changed))
  edit<Certificate>(path.join(folder, 'certificate.json'), (certificate) => Object.assign(certificate.suite, changed))
  edit<Har>(path.join(folder, 'evidence.har'), ({ log }) => {
    if (version !== undefined) log.creator.version = version
    if (commit !== undefined) log.creator.comment = `commit ${commit}`
  })
}

/** Takes a wait away: what is asked after the longest, or a part of it. */
function squeeze(entries: Entry[], leftMs: number): void {
  const starts = entries.map(({ startedDateTime }) => Date.parse(startedDateTime))
  const sorted = starts.toSorted((a, b) => a - b)
  const gaps = sorted.slice(1).map((start, index) => start - sorted[index]!)
  const longest = Math.max(...gaps)
  const from = sorted[gaps.indexOf(longest) + 1]!
  entries.forEach((entry, index) => {
    const start = starts[index]! - (starts[index]! >= from ? longest - leftMs : 0)
    entry.startedDateTime = new Date(start).toISOString()
  })
}

/** What somebody who can make all digests fit may do to a folder, and what must be said of it. */
const TAMPERINGS: Readonly<Record<string, readonly [change: (folder: string, random: Random) => void, told: RegExp]>> =
  {
    'the longest wait taken away': [
      (folder) => editEntries(folder, (entries) => squeeze(entries, 5)),
      /^Exchange \d+ of the evidence was sent 6\d\d\d ms before the suite would have sent it.*: the suite waited there/,
    ],
    'the longest wait made shorter': [
      (folder, random) =>
        editEntries(folder, (entries) => squeeze(entries, random.number.int({ min: 100, max: 6000 }))),
      /^Exchange \d+ of the evidence was sent \d+ ms before the suite would have sent it/,
    ],
    'all times squeezed': [
      (folder) =>
        editEntries(folder, (entries) => {
          const begin = Date.parse(entries[0]!.startedDateTime)
          for (const entry of entries) {
            entry.startedDateTime = new Date((begin + Date.parse(entry.startedDateTime)) / 2).toISOString()
            entry.timings.wait = entry.time /= 2
          }
        }),
      /^Exchange \d+ of the evidence was sent \d+ ms before the suite would have sent it/,
    ],
    'an exchange that ends after the run': [
      (folder) =>
        editEntries(folder, (entries) => {
          const last = entries.at(-1)!
          last.timings.wait = last.time += 60_000
        }),
      /^The run is dated otherwise than the exchanges/,
    ],
    'an exchange that takes no time': [
      (folder, random) =>
        editEntries(folder, (entries) => {
          const entry = entries[random.number.int({ min: 1, max: entries.length - 1 })]!
          entry.startedDateTime = entries[0]!.startedDateTime
          entry.timings.wait = entry.time = 0
        }),
      /^Exchange \d+ of the evidence was over before exchange \d+; they are numbered as they ended\.$/,
    ],
    'an exchange that ends before it begins': [
      (folder, random) => editEntries(folder, (entries) => (random.helpers.arrayElement(entries).time = -5)),
      /^Exchange \d+ of the evidence has no time, or ends before it begins\.$/,
    ],
    'a header added to every request': [
      (folder) =>
        editEntries(folder, (entries) => {
          for (const { request } of entries) request.headers.push({ name: 'x-debug', value: '1' })
        }),
      /^Exchange 1 of the evidence has another request\.headers than the suite would have recorded\.$/,
    ],
    'another header of a request': [
      (folder, random) =>
        editEntries(folder, (entries) => {
          random.helpers.arrayElement(random.helpers.arrayElement(entries).request.headers).value += '1'
        }),
      /^Exchange \d+ of the evidence has another request\.headers than/,
    ],
    'another operation of an exchange': [
      (folder, random) =>
        editEntries(folder, (entries) =>
          Object.assign(random.helpers.arrayElement(entries), { _operation: 'getUser' }),
        ),
      /^Exchange \d+ of the evidence has another _operation than/,
    ],
    'another size of an answer': [
      (folder, random) =>
        editEntries(folder, (entries) => (random.helpers.arrayElement(entries).response.content.size += 1)),
      /^Exchange \d+ of the evidence has another response\.content\.size than/,
    ],
    'an older version in the certificate': [
      (folder) =>
        edit<Certificate>(path.join(folder, 'certificate.json'), ({ suite }) =>
          Object.assign(suite, { version: '0.0.1' }),
        ),
      /^The certificate's suite is not what follows from the report/,
    ],
    'an older version everywhere, and another page': [
      (folder) => {
        editSuite(folder, { version: '0.0.1' })
        writeFileSync(path.join(folder, 'certificate.html'), '<h1>Platinum</h1>')
      },
      /^Only version 0\.0\.1 of the suite, which the certificate names, can check all of it/,
    ],
    'another commit in the certificate': [
      (folder) =>
        edit<Certificate>(path.join(folder, 'certificate.json'), ({ suite }) =>
          Object.assign(suite, { commit: 'f'.repeat(40) }),
        ),
      /^The certificate's suite is not what follows from the report/,
    ],
    'another commit in the evidence': [
      (folder) =>
        edit<Har>(path.join(folder, 'evidence.har'), ({ log }) =>
          Object.assign(log.creator, { comment: `commit ${'f'.repeat(40)}` }),
        ),
      /^evidence\.har names another suite, or commit of it, than the report/,
    ],
    'another file in the folder': [
      (folder) => writeFileSync(path.join(folder, 'extra.html'), '<h1>Platinum</h1>'),
      /^extra\.html is in the folder, and not of the certificate: remove it\.$/,
    ],
  }

for (const [what, [change, told]] of Object.entries(TAMPERINGS))
  test(`${what} is told, also where all digests were made to fit`, async ({ certified }) => {
    const random = seededRandom(Number(process.env['SEED'] ?? 1))
    const copy = changedCopy(certified.folder, (folder) => change(folder, random))
    fitDigests(copy)

    expect(await faultsOf(copy)).toContainEqual(expect.stringMatching(told))
  })

test('an empty file beside a certificate says nothing', async ({ certified }) => {
  const copy = changedCopy(certified.folder, (folder) => writeFileSync(path.join(folder, '.gitkeep'), ''))

  expect(await faultsOf(copy)).toEqual([])
})

test('whatever is changed, be it a byte of any file, is told', async ({ certified }) => {
  test.setTimeout(600_000)
  const random = seededRandom(Number(process.env['SEED'] ?? 1))
  const files = [
    'certificate.json',
    'certificate.html',
    'conformance.json',
    'evidence.har',
    'index.html',
    'dataset.json',
  ]
  for (let time = 0; time < TAMPERED; time++) {
    if (random.datatype.boolean(0.3)) {
      const [what, [change, told]] = random.helpers.arrayElement(Object.entries(TAMPERINGS))
      const copy = changedCopy(certified.folder, (folder) => change(folder, random))
      if (random.datatype.boolean()) fitDigests(copy)

      expect(await faultsOf(copy), what).toContainEqual(expect.stringMatching(told))
      rmSync(copy, { recursive: true })
      continue
    }
    const file = random.helpers.arrayElement(files)
    const copy = changedCopy(certified.folder, (folder) => {
      const content = readFileSync(path.join(folder, file))
      const at = random.number.int({ max: content.length - 1 })
      content.writeUInt8(content.readUInt8(at) === 0x31 ? 0x32 : 0x31, at)
      writeFileSync(path.join(folder, file), content)
    })
    const said = await faultsOf(copy).catch((error: Error) => [error.message])

    expect(said.join('\n'), `a byte of ${file}`).toContain(file)
    rmSync(copy, { recursive: true })
  }
})

const EXCHANGE_CHANGES: Readonly<
  Record<string, readonly [change: (entries: unknown[], at: number) => unknown, told: RegExp]>
> = {
  'left out': [(entries, at) => entries.splice(at, 1), /exchange\(s\) were left out of the evidence/],
  added: [
    (entries, at) => entries.splice(at, 0, structuredClone(entries[at])),
    /exchange\(s\) were added to the evidence/,
  ],
  'exchanged with another': [
    (entries, at) => ([entries[at], entries[at + 7]] = [entries[at + 7], entries[at]]),
    /Exchanges \d+ and \d+ of the evidence were exchanged/,
  ],
}

for (const [what, [change, told]] of Object.entries(EXCHANGE_CHANGES))
  test(`an exchange that was ${what} is told, also where all digests were made to fit`, async ({ certified }) => {
    const copy = changedCopy(certified.folder, (folder) =>
      edit<Har>(path.join(folder, 'evidence.har'), ({ log }) => change(log.entries, 300)),
    )
    expect((await faultsOf(copy)).join('\n')).toMatch(told)

    fitDigests(copy)
    const faults = await faultsOf(copy)
    expect(faults.length).toBeGreaterThan(0)
    expect(faults.join('\n')).not.toContain('digest')
  })

test('an outcome, a count, an observation and a seed that were edited by hand are told, also where all digests fit', async ({
  certified,
}) => {
  const edits: Readonly<Record<string, (report: EditableReport) => void>> = {
    'listTickets.filter.userId: the report says failed': (report) =>
      Object.assign(
        report.requirements.find(({ id }) => id === 'listTickets.filter.userId')!,
        { outcome: 'failed' },
      ),
    'differ from what the evidence shows': (report) =>
      Object.assign(
        report.requirements.find(({ id }) => id === 'listTickets.filter.userId')!,
        { examined: { tickets: 7 } },
      ),
    "The report's observations differ": (report) => Object.assign(report.observations[0]!, { value: 'another' }),
    'The run was not made for the nonce': (report) => Object.assign(report.settings!, { seed: 4 }),
  }
  for (const [told, change] of Object.entries(edits)) {
    const copy = changedCopy(certified.folder, (folder) => {
      edit<EditableReport>(path.join(folder, 'conformance.json'), change)
      fitDigests(folder)
    })

    expect((await faultsOf(copy)).join('\n')).toContain(told)
  }
})

test("an older version's certificate is judged again: what it counts otherwise is listed, what it cannot confirm is refused", async ({
  certified,
}) => {
  const { privateKey, publicKey } = newKeys()
  const sign = (folder: string): void => {
    fitDigests(folder)
    edit<Certificate>(path.join(folder, 'certificate.json'), (certificate) =>
      Object.assign(certificate, { signature: signed(vouchedText(certificate), signingKey(privateKey)!) }),
    )
  }
  const aged = (): string =>
    changedCopy(certified.folder, (folder) => {
      editSuite(folder, { version: '0.0.1' })
      edit<EditableReport>(path.join(folder, 'conformance.json'), (report) => {
        report.requirements = report.requirements.filter(({ id }) => id !== 'listTickets.filter.userId')
        Object.assign(report.totals, { passed: report.totals.passed - 1 })
      })
      edit<{ -readonly [K in keyof Certificate]: Certificate[K] }>(
        path.join(folder, 'certificate.json'),
        (certificate) => {
          const { levels, operations } = certificate.passed
          Object.assign(levels, { implied: levels['implied']! - 1 })
          Object.assign(operations, { listTickets: operations['listTickets']! - 1 })
        },
      )
      sign(folder)
    })
  const given = { publishedDataset: DATASET_FILE, publicKey }
  const older = await verify(contract, aged(), given)
  expect(older.faults).toEqual([])
  expect(older.remarks[0]).toMatch(/^Not checked: certificate\.html and index\.html, as version/)
  expect(older.remarks.join('\n')).toMatch(/Made by version 0\.0\.1 .*judged again by version/)
  expect(older.remarks.join('\n')).toContain(
    'listTickets.filter.userId is not in the report; judged from the evidence, it is passed.',
  )

  // Without the key, anybody could have signed it.
  const [fault, ...more] = await faultsOf(aged())
  expect(fault).toMatch(/^Only version 0\.0\.1 of the suite, .*: verify it with that, or give the key .* by --key\.$/)
  expect(more).toEqual([])

  const later = changedCopy(certified.folder, (folder) => {
    editSuite(folder, { version: '99.0.0' })
    fitDigests(folder)
  })
  expect((await faultsOf(later)).join('\n')).toContain('Made by version 99.0.0 of the suite, which is later')

  const forged = aged()
  edit<Har>(path.join(forged, 'evidence.har'), ({ log }) => {
    // Either company's tickets are asked for, in an order that chance decides.
    for (const { request, response } of log.entries)
      if (request.url.endsWith('/tickets?status=open') && response.status === 200)
        response.content.text = response.content.text!.replace(/"status": ?"open"/, '"status":"closed"')
  })
  sign(forged)
  expect((await verify(contract, forged, given)).faults).toContain(
    'listTickets.filter.status-open: the report says passed, and this version of the suite cannot confirm it.',
  )
})

function inReportAndCertificate(folder: string, report: (report: EditableReport) => void, certificate: object): void {
  edit<EditableReport>(path.join(folder, 'conformance.json'), report)
  edit<Certificate>(path.join(folder, 'certificate.json'), (given) => Object.assign(given, certificate))
}

test('a page, an address and a date that nothing bears out are told, also where all digests fit', async ({
  certified,
}) => {
  const { target } = reportOf(certified)
  const elsewhere = { ...target!, baseUrl: 'https://crm.example.com' }
  const edits: Readonly<Record<string, (folder: string) => void>> = {
    'certificate.html does not show': (folder) =>
      writeFileSync(path.join(folder, 'certificate.html'), '<h1>Platinum</h1>'),
    'index.html does not show': (folder) => writeFileSync(path.join(folder, 'index.html'), '<h1>Platinum</h1>'),
    'Exchange 1 went to another address': (folder) =>
      inReportAndCertificate(folder, (report) => Object.assign(report, { target: elsewhere }), { target: elsewhere }),
    'dated otherwise than the exchanges': (folder) =>
      inReportAndCertificate(folder, (report) => Object.assign(report, { finishedAt: '2025-01-01T00:00:00.000Z' }), {
        date: '2025-01-01T00:00:00.000Z',
      }),
    'dated in the future': (folder) =>
      inReportAndCertificate(folder, (report) => Object.assign(report, { finishedAt: '2099-01-01T00:00:00.000Z' }), {
        date: '2099-01-01T00:00:00.000Z',
      }),
    'its level is not implied': (folder) =>
      inReportAndCertificate(folder, (report) => Object.assign(report.settings!, { level: 'stated' }), {}),
    'cannot be judged again': (folder) =>
      edit<Har>(path.join(folder, 'evidence.har'), ({ log }) => {
        log.entries.at(-1)!.startedDateTime = '2001-01-01T00:00:00.000Z'
      }),
  }
  for (const [told, change] of Object.entries(edits)) {
    const copy = changedCopy(certified.folder, (folder) => {
      change(folder)
      fitDigests(folder)
    })

    expect.soft((await faultsOf(copy)).join('\n')).toContain(told)
  }
})

test('a file that is not even what it should be is named, and does not end the check', async ({ certified }) => {
  const edits: Readonly<Record<string, readonly [change: (text: string) => string, told: RegExp]>> = {
    'evidence.har': [(text) => text.slice(0, -1000), /evidence\.har can't be read as JSON/],
    'conformance.json': [() => '{}', /conformance\.json is not a report of this version: formatVersion is missing\.$/],
    'dataset.json': [() => '[]', /dataset\.json\) is no data set: it must be object\.$/],
  }
  const changed = (file: string, change: (text: string) => string): string =>
    changedCopy(certified.folder, (folder) => {
      const whole = path.join(folder, file)
      writeFileSync(whole, change(readFileSync(whole, 'utf8')))
    })
  for (const [file, [change, told]] of Object.entries(edits)) {
    const faults = await faultsOf(changed(file, change))

    expect(faults[0]).toContain(`${file} was changed`)
    expect(faults.at(-1)).toMatch(told)
  }
  const { exitCode, output } = await run('verify', [
    changed('certificate.json', (text) => text.replace('"conformant"', '"platinum"')),
  ])
  expect(output).toMatch(/^NOT VERIFIED:\n {2}\S+certificate\.json is not .*: \/verdict must be "conformant"\.$/m)
  expect(exitCode).toBe(1)
})

test('a signature does not survive that digests are made to fit', async ({ certified }) => {
  const copy = changedCopy(certified.folder, (folder) => {
    const { signature } = JSON.parse(readFileSync(path.join(folder, 'certificate.json'), 'utf8')) as Certificate
    edit<Report>(path.join(folder, 'conformance.json'), (report) => Object.assign(report.target!, { name: 'another' }))
    fitDigests(folder)
    edit<Certificate>(path.join(folder, 'certificate.json'), (certificate) =>
      Object.assign(certificate, { target: { ...certificate.target, name: 'another' }, signature }),
    )
  })

  expect((await faultsOf(copy)).join('\n')).toContain('the signature does not fit')
})

test('a folder without a certificate, and one with a file missing, are told in a sentence', async ({ certified }) => {
  const none = await run('verify', [test.info().outputDir])
  const copy = changedCopy(certified.folder, (folder) => rmSync(path.join(folder, 'evidence.har')))

  expect([none.exitCode, none.output]).toEqual([2, expect.stringContaining('holds no certificate.json')])
  expect(await faultsOf(copy)).toEqual(['evidence.har: not in the folder.'])
})

const GIVEN = { DATASET: DATASET_FILE, OTHER_ACCESS_TOKEN: 'b', ALLOW_WRITES: 'true' } as const

for (const [what, settings, told] of [
  [
    'without DATASET, a second token and writes',
    { DATASET: '' },
    'needs DATASET and OTHER_ACCESS_TOKEN and ALLOW_WRITES=true',
  ],
  ['at another LEVEL', { ...GIVEN, LEVEL: 'stated' }, 'LEVEL is "stated"'],
  [
    'whose nonce would decide nothing',
    { ...GIVEN, OPERATIONS: 'listTags,listCampaigns', CERTIFICATION_NONCE: 'n' },
    'CERTIFICATION_NONCE decides nothing that is asked of listTags and listCampaigns',
  ],
  ['signed with what is no key', { ...GIVEN, CERTIFICATION_KEY_FILE: DATASET_FILE }, 'holds no private Ed25519 key'],
  ['of no known operation', { DATASET: DATASET_FILE, OPERATIONS: 'listUsers' }, 'OPERATIONS names "listUsers"'],
] as const)
  test(`a certificate ${what} is refused in a sentence, before anything is asked`, async () => {
    const { exitCode, output } = await run('certify', [], {
      BASE_URL: 'http://127.0.0.1:9',
      ACCESS_TOKEN: 'a',
      ...settings,
    })

    expect(output).toContain(told)
    expect(output).not.toContain('    at ')
    expect(exitCode).toBe(2)
  })

test('a command line that selects is refused', async () => {
  const { exitCode, output } = await run('certify', ['--grep', 'tickets'])

  expect([exitCode, output]).toEqual([2, expect.stringContaining("Unknown option '--grep'")])
})

test('a partial implementation is certified for its operations alone, and says so first', async () => {
  const folder = test.info().outputPath('report')
  const { output, exitCode } = await run('certify', [], { OPERATIONS: 'listContacts,listTickets', REPORTS_DIR: folder })

  expect(output).toContain('CERTIFIED, narrowed to listContacts, listTickets')
  expect(exitCode).toBe(0)
  const page = textOf({ folder }, 'certificate.html')
  expect(page.indexOf('Narrowed to listContacts, listTickets')).toBeLessThan(
    page.indexOf('Certificate of conformance</p>'),
  )
  expect(entriesOf({ folder }).every(({ request }) => /\/api\/(contacts|tickets)\/?(\?|$)/.test(request.url))).toBe(
    true,
  )
  expect(await faultsOf(folder)).toEqual([])
})

test('a later run takes the certificate of an earlier one away', async () => {
  const folder = test.info().outputPath('report')
  await run('certify', [], { OPERATIONS: 'listCampaigns', REPORTS_DIR: folder })
  expect(existsSync(path.join(folder, 'certificate.json'))).toBe(true)
  const { faults } = await verify(contract, folder, { publishedDataset: DATASET_FILE, nonce: 'new' })
  expect(faults).toContain('A nonce decides nothing that is asked of listCampaigns: the evidence may be older.')

  const { output, exitCode } = await run('certify', [], { OPERATIONS: 'listTickets', REPORTS_DIR: folder })
  expect(exitCode).toBe(4)
  expect(output).toContain('NO CERTIFICATE')
  expect(output).toContain('listTickets.search.finds not exercised: OPERATIONS leaves listContacts out.')
  expect(existsSync(path.join(folder, 'conformance.json'))).toBe(true)
  expect(existsSync(path.join(folder, 'certificate.json'))).toBe(false)
})

test('the requirements of a certificate are those of any run and five of updates in depth', () => {
  const ids = certificationRequirements(contract).map(({ id }) => id)

  expect(ids.filter((id) => id.includes('.depth.'))).toHaveLength(5)
  expect(new Set(ids).size).toBe(ids.length)
})

test('two reports that are the same do not differ', ({ certified }) => {
  const report = reportOf(certified)
  const recording = { unanswered: [], unasked: [], early: [] }

  expect(differencesOf(report, { report, recording: recording as never, changed: [] })).toEqual([])
})

test('the documentation of a certified target says that it was verified; of a changed certificate none is built', async ({
  certified,
}) => {
  const out = test.info().outputPath('docs')
  const built = await run('docs', ['--certificate', certified.folder, '--out', out])
  expect(built.output).toContain('was conformant on')
  expect(readFileSync(path.join(out, 'requirements.html'), 'utf8')).toMatch(
    /Certified on [\d-]{10}, signed with the key SHA256:/,
  )

  const copy = changedCopy(certified.folder, (folder) => rmSync(path.join(folder, 'index.html')))
  const refused = await run('docs', ['--certificate', copy, '--out', out])
  expect([refused.exitCode, refused.output]).toEqual([
    2,
    expect.stringContaining('--certificate is not verified: index.html'),
  ])
})
