import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from '@playwright/test'
import { inAnswersOf, inEvery, setting } from '../../fixtures/faults/building/answers.ts'
import { ACCESS_TOKEN } from '../../fixtures/service/tokens.ts'
import { PinnedProfile } from '../reporting/profile/pinned-profile.ts'
import { everythingOf, reportOf } from './child-run.ts'
import { deviationOf } from './deviation-of.ts'
import { known } from './judge-everything.ts'
import { contract, judgedReport, requirements, type Judged } from './judged-report.ts'
import { test } from './own-target.ts'
import type { Report } from '../reporting/result/report-format.ts'
import { schemaErrors } from './report-schema.ts'

// Each test is several runs.
test.describe.configure({ timeout: 300_000 })

const DRIFTED = 5
const SHARDS = 'PROFILE is heeded where the shards are merged: give it there.'

/** What nobody has seen yet of three kinds: an undocumented field, a value of an open enumeration, and another page size. */
const NEWS = [
  deviationOf('pages-of-40-and-20'),
  inEvery('listedContact', (contact) => (contact['nickname'] = 'x')),
  setting('ticket', 'channel', () => 'telepathy'),
  inAnswersOf('listTags', (body) => ({ ...body, total: 9 })),
]
const NEWS_IDS = [
  'listContacts.observed.page-size',
  'listContacts.observed.other-fields',
  'listTags.observed.other-fields',
  'listTickets.observed.channels',
]

interface ProfileFile {
  readonly formatVersion: number
  readonly observations: Record<string, { topic: string; value: unknown }>
}

function contentOf(file: string): ProfileFile {
  return JSON.parse(readFileSync(file, 'utf8')) as ProfileFile
}

const FLAGS_ALONE_LOST = 'update-turns-off-flags-that-are-not-sent'

/** The kinds of run that a target's profile must not tell apart by their seeds. */
const KINDS: Readonly<Record<string, Judged>> = {
  'read-only on unknown data': { more: { allowWrites: false } },
  'with writes': {},
  'with a data set and writes': { dataset: known },
  'of a service that keeps texts, and turns flags off': { deviations: [deviationOf(FLAGS_ALONE_LOST)] },
  'of a service that does otherwise': {
    deviations: ['first-page-0', 'refusal-drops-the-connection', 'past-the-end-last-page', 'search-with-case'].map(
      deviationOf,
    ),
    more: { allowWrites: false },
  },
}

/** Judges a target in this process, and holds it to the profile in a file. */
async function held(file: string, judged: Judged, update = false): Promise<Report> {
  const profile = new PinnedProfile(contract, { file, given: file, update }, requirements)
  return profile.hold((await judgedReport(judged)).report)
}

for (const [what, judged] of Object.entries(KINDS))
  test(`whatever the seed, the profile is the same, byte for byte: ${what}`, async () => {
    const texts = await Promise.all(
      ['1', '2', '3'].map(async (seed) => {
        const file = test.info().outputPath(`${seed}.json`)
        const report = await held(file, { ...judged, seed })
        expect(report.profile!.join()).toContain('was written, with')
        return readFileSync(file, 'utf8')
      }),
    )

    const [first, ...others] = texts
    for (const other of others) expect(other).toBe(first)
    expect(first).toMatch(/\}\n$/)
    for (const volatile of [ACCESS_TOKEN, 'service.invalid']) expect(first).not.toContain(volatile)
    const profile = JSON.parse(first!) as ProfileFile
    expect(schemaErrors(profile, 'profile.schema.json')).toEqual([])
    expect(Object.keys(profile.observations)).toEqual(Object.keys(profile.observations).toSorted())
    expect(Object.keys(profile.observations).length).toBeGreaterThan(50)
  })

for (const [value, ...lost] of [
  ['fields left out are kept'],
  ['fields left out are lost', 'update-replaces'],
  ['some fields left out are kept, others are lost', FLAGS_ALONE_LOST],
] as const)
  test(`the profile tells what becomes of what an update leaves out: ${value}`, async () => {
    const file = test.info().outputPath('profile.json')
    await held(file, { deviations: lost.map(deviationOf) })
    expect(contentOf(file).observations['updateContact.observed.merge-or-replace']!.value).toBe(value)
  })

test('data that moves, and a target that now and then has no time, are no drift', async () => {
  const file = test.info().outputPath('profile.json')
  const moving = ['contacts-come-in-at-the-beginning', 'tickets-are-worked-on', 'busy-every-20th-request']
  for (const seed of ['1', '2']) {
    const report = await held(file, { deviations: moving.map(deviationOf), more: { allowWrites: false }, seed })
    expect(report.totals).toMatchObject({ failed: 0, broken: 0 })
    expect(report.drift).toEqual([])
  }
})

test('drift fails the run and is told wherever the run is, until it is accepted', async ({ run, target }, testInfo) => {
  const file = testInfo.outputPath('profile.json')
  const [plain, changed] = [await target(), await target({ deviations: NEWS })]
  const settings = { ACCESS_TOKEN: plain.accessToken, PROFILE: file }
  const before = await run({ ...settings, BASE_URL: plain.url })
  expect(before.exitCode).toBe(0)
  const pinned = readFileSync(file, 'utf8')

  const drifted = await run({ ...settings, BASE_URL: changed.url })

  expect(drifted.exitCode).toBe(DRIFTED)
  const report = reportOf(drifted)
  expect(schemaErrors(report)).toEqual([])
  expect(report.verdict).toBe('incomplete')
  expect(report.drift!.map(({ id }) => id)).toEqual(NEWS_IDS)
  expect(report.drift![0]).toEqual({
    id: NEWS_IDS[0],
    topic: 'page size',
    operation: 'listContacts',
    pinned: 20,
    observed: 40,
  })
  expect(drifted.output).toContain('page-size: page size\n    - 20\n    + 40\n')
  expect(drifted.output).toContain('    + "nickname"\n')
  expect(drifted.output).toContain('PROFILE: 4 observations differ from')
  const shown = everythingOf(drifted)
  for (const name of ['conformance.json', 'index.html', 'summary.md', 'junit.xml', 'ctrf.json'])
    for (const text of [...NEWS_IDS, 'telepathy']) expect(shown.get(name), name).toContain(text)
  expect(shown.get('junit.xml')).toContain('failures="4"')
  expect((JSON.parse(shown.get('ctrf.json')!) as Ctrf).results.summary.failed).toBe(4)
  expect(shown.get('index.html')).toContain('Drift from the profile')
  expect(readFileSync(file, 'utf8')).toBe(pinned)

  const part = await run({ ...settings, BASE_URL: changed.url, UPDATE_PROFILE: 'true' }, ['observations'])

  expect(part.exitCode).toBe(DRIFTED)
  expect(part.output).toContain('was not written, as only a part of the run was selected.')
  expect(readFileSync(file, 'utf8')).toBe(pinned)

  const updated = await run({ ...settings, BASE_URL: changed.url, UPDATE_PROFILE: 'true' })

  expect(updated.exitCode).toBe(0)
  expect(updated.output).toContain(`PROFILE: changed: ${NEWS_IDS[0]}: - 20 + 40\n`)
  const { observations } = contentOf(file)
  expect(observations[NEWS_IDS[0]!]!.value).toBe(40)
  // Of a list, what was not seen this time stays.
  expect(observations[NEWS_IDS[3]!]!.value).toEqual(['instagram', 'telepathy', 'webchat', 'whatsapp'])

  const back = await run({ ...settings, BASE_URL: plain.url })

  expect(back.exitCode).toBe(DRIFTED)
  expect(reportOf(back).drift!.map(({ id }) => id)).toEqual(['listContacts.observed.page-size'])
})

interface Ctrf {
  readonly results: { readonly summary: { readonly failed: number } }
}

test('what is observed for the first time is told, and pinned when that is asked for', async () => {
  const file = test.info().outputPath('profile.json')
  const readOnly = { more: { allowWrites: false } }
  await held(file, readOnly)
  const pinned = contentOf(file)

  const { profile: writing } = await held(file, {})

  expect(writing!.join('\n')).toMatch(/updateContact\.observed\.unknown-id.*UPDATE_PROFILE=true adds them\./s)
  expect(contentOf(file)).toEqual(pinned)

  await held(file, {}, true)
  const whole = readFileSync(file, 'utf8')
  expect(whole).toContain('updateContact.observed.success-status')

  const { profile: again } = await held(file, readOnly, true)

  expect(again!.join()).toContain('is up to date.')
  expect(readFileSync(file, 'utf8')).toBe(whole)
})

test('a finding weighs more than drift', async ({ run, target }, testInfo) => {
  const file = testInfo.outputPath('profile.json')
  writeProfile(file, { 'listTickets.observed.channels': { topic: 'channel values of tickets', value: [] } })
  const { settings } = await target({ deviations: [setting('ticket', 'userId', () => 17)] })

  const finished = await run({ ...settings, PROFILE: file }, ['--grep', 'listTickets'])

  expect(finished.exitCode).toBe(1)
  expect(reportOf(finished).drift!.map(({ id }) => id)).toEqual(['listTickets.observed.channels'])
})

test('a part of the run writes no profile, and says so', async ({ run }, testInfo) => {
  const file = testInfo.outputPath('profile.json')

  const finished = await run({ PROFILE: file }, ['--grep', 'listTags', '--reporter=line'])

  expect(finished.exitCode).toBe(0)
  expect(finished.output).toContain('was not written, as only a part of the run was selected.')
  expect(() => readFileSync(file)).toThrow('ENOENT')
})

test('shards leave the profile to where they are merged', async ({ run, target }, testInfo) => {
  const [file, blobs] = [testInfo.outputPath('profile.json'), testInfo.outputPath('blobs')]
  const { settings } = await target()
  for (const number of [1, 2]) {
    const blob = { PLAYWRIGHT_BLOB_OUTPUT_FILE: path.join(blobs, `${number}.zip`), PWTEST_BLOB_DO_NOT_REMOVE: '1' }
    const shard = await run({ ...settings, PROFILE: file, ...blob }, [`--shard=${number}/2`, '--reporter=blob'])
    expect(shard.output).toContain(SHARDS)
  }
  const merge = (settings: Record<string, string>) =>
    run(settings, ['--config', 'playwright.config.ts', blobs], 'merge-reports')

  const written = await merge({ PROFILE: file })
  expect(written.exitCode).toBe(0)
  const { observations } = contentOf(file)
  observations['listContacts.observed.page-size']!.value = 21
  writeProfile(file, observations)
  const drifted = await merge({ PROFILE: file })

  expect(drifted.exitCode).toBe(DRIFTED)
  expect(reportOf(drifted).drift!.map(({ id }) => id)).toEqual(['listContacts.observed.page-size'])
  const wrong = await merge({ PROFILE: 'no/such/profile.json' })
  expect(wrong.exitCode).toBe(2)
  expect(wrong.output).toContain('PROFILE is "no/such/profile.json", and there is no such folder')
})

const UNUSABLE = "PROFILE can't be used: "
/** Settings that say nothing which can be used, by default a file at PROFILE, each with what is in it. */
const MISTAKES: Readonly<
  Record<
    string,
    readonly [says: string, content?: string | undefined, settings?: (file: string) => Record<string, string>]
  >
> = {
  'no JSON': [UNUSABLE, '# Profile'],
  'another JSON': [UNUSABLE, '{"formatVersion": 2}'],
  'an observation without a value': [UNUSABLE, '{"formatVersion": 1, "observations": {"a.b": {"topic": "x"}}}'],
  'a folder': ["PROFILE can't be used: tests", undefined, () => ({ PROFILE: 'tests' })],
  'a folder that is not there': ['PROFILE is "no/such', undefined, () => ({ PROFILE: 'no/such.json' })],
  'an update of nothing': [
    'UPDATE_PROFILE is set, but PROFILE is not; name the file that is to be updated.',
    undefined,
    () => ({ UPDATE_PROFILE: 'true' }),
  ],
  'an update that is neither true nor false': [
    'UPDATE_PROFILE is "yes"; give one of: true, false.',
    undefined,
    (file) => ({ PROFILE: file, UPDATE_PROFILE: 'yes' }),
  ],
}

for (const [what, [says, content, settings]] of Object.entries(MISTAKES))
  test(`a profile that can't be used is told before anything is asked: ${what}`, async ({ run }, testInfo) => {
    const file = testInfo.outputPath('profile.json')
    if (content !== undefined) writeFileSync(file, content)

    const finished = await run(settings?.(file) ?? { PROFILE: file }, ['tags'])

    expect(finished.exitCode).toBe(2)
    expect(finished.output).toContain(says)
    expect(finished.output.trim()).not.toContain('\n')
    expect(reportOf(finished).requests.count).toBe(0)
    if (content !== undefined) expect(readFileSync(file, 'utf8')).toBe(content)
  })

function writeProfile(file: string, observations: ProfileFile['observations']): void {
  writeFileSync(file, JSON.stringify({ formatVersion: 1, observations }))
}
