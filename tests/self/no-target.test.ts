import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from '@playwright/test'
import { dataset, DATASET_FILE, test } from './own-target.ts'
import { reportOf, type ChildRun } from './child-run.ts'

const ONE = ['--grep', 'listTags.tags.count']
const BUILT_IN = 'No target was named: this judged the built-in reference service.'

interface Slip {
  readonly what: string
  readonly settings: Readonly<Record<string, string>>
  readonly says: string
}

const REMEDY =
  'give the base address of the target, or unset all that names one to judge the built-in reference service.'
const SLIPS: readonly Slip[] = [
  {
    what: 'an empty address',
    settings: { BASE_URL: '', ACCESS_TOKEN: 'a-token' },
    says: `BASE_URL is set and empty (in the environment); ${REMEDY}`,
  },
  { what: 'an empty address alone', settings: { BASE_URL: '' }, says: 'BASE_URL is set and empty' },
  {
    what: 'an empty token',
    settings: { BASE_URL: 'http://127.0.0.1:1', ACCESS_TOKEN: '' },
    says: 'ACCESS_TOKEN is empty; give the bearer token of the workspace behind BASE_URL.',
  },
  {
    what: 'a command that prints more than a token',
    settings: { BASE_URL: 'http://127.0.0.1:1', ACCESS_TOKEN_COMMAND: 'echo two words' },
    says: 'What ACCESS_TOKEN_COMMAND printed holds a space,',
  },
  {
    what: 'a token alone',
    settings: { ACCESS_TOKEN: 'a-token' },
    says: `BASE_URL is not set, but ACCESS_TOKEN is; ${REMEDY}`,
  },
  {
    what: 'a token and a data set',
    settings: { ACCESS_TOKEN: 'a-token', DATASET: DATASET_FILE },
    says: 'BASE_URL is not set, but ACCESS_TOKEN and DATASET are;',
  },
  {
    what: 'a misspelt address',
    settings: { BASEURL: 'http://127.0.0.1:1' },
    says: 'BASE_URL is not set, but BASEURL is, which is not a setting;',
  },
  {
    what: 'an address with two letters exchanged',
    settings: { BASE_ULR: 'http://127.0.0.1:1' },
    says: 'BASE_URL is not set, but BASE_ULR is, which is not a setting;',
  },
  {
    what: 'an address in small letters',
    settings: { base_url: 'http://127.0.0.1:1' },
    says: 'BASE_URL is not set, but base_url is, which is not a setting;',
  },
  {
    what: 'a .env that is not there',
    settings: { DOTENV_CONFIG_PATH: 'nowhere/.env' },
    says: 'DOTENV_CONFIG_PATH names nowhere/.env, which is not there.',
  },
  {
    what: 'a misspelt data set',
    settings: { DATA_SET: DATASET_FILE },
    says: 'DATASET is not set, but DATA_SET is, which is not a setting;',
  },
]

for (const { what, settings, says } of SLIPS)
  test(`${what} does not let the reference service pass for the target`, async ({ run }) => {
    const finished = await run(settings, ONE)

    expect(finished.exitCode).toBe(2)
    expect(finished.output.trim()).toContain(says)
    expect(finished.output.trim()).not.toContain('\n')
    expect(reportOf(finished).verdict).toBe('broken')
  })

test('where nothing names a target, the first line and the last say so, and every report', async ({ run }) => {
  const finished = await run({}, ONE)

  expect(finished.exitCode).toBe(0)
  const lines = finished.output.trim().split('\n')
  expect(lines[0]).toBe('No target was named: this judges the built-in reference service.')
  expect(lines.at(-1)).toContain(BUILT_IN)
  expect(reportOf(finished).target).toMatchObject({ builtIn: true })
  for (const file of ['index.html', 'summary.md', 'junit.xml'])
    expect(textOf(finished, file), file).toMatch(/no target was named/i)
})

test('the first line says where the address came from, and what looks like a setting and is none', async ({
  run,
  target,
}, testInfo) => {
  const { url, accessToken } = await target()
  const folder = testInfo.outputPath('where-the-user-stands')
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, '.env'), `BASE_URL=${url}\nACCESS_TOKEN=${accessToken}\n`)
  const misspelt = { ALLOW_WRITE: 'true', FAIL_ONN: 'incomplete', LEVELS: 'stated' }
  const ofOthers = { LOG_LEVEL: 'debug', AWS_PROFILE: 'staging', DATABASE_URL: 'x', CHROME_PATH: 'x', FTP_PROXY: 'x' }

  const finished = await run({ INIT_CWD: folder, DOTENV_CONFIG_PATH: '', ...misspelt, ...ofOthers }, ONE)

  expect(finished.exitCode).toBe(0)
  const lines = finished.output.trim().split('\n')
  const warnings = ['ALLOW_WRITE', 'FAIL_ONN', 'LEVELS'].map((name, index) => {
    const meant = ['ALLOW_WRITES', 'FAIL_ON', 'LEVEL'][index]
    return `${name} is no setting and was not read; is ${meant} meant?`
  })
  expect(lines.slice(0, 4)).toEqual([`Judging ${url} (BASE_URL from .env).`, ...warnings])
  expect(lines.slice(-4, -1)).toEqual(warnings)
  for (const warning of warnings) expect(textOf(finished, 'summary.md')).toContain(warning)
  for (const name of Object.keys(ofOthers)) expect(finished.output).not.toContain(name)
  expect(finished.output).not.toContain(BUILT_IN)
  expect(finished.output).not.toContain(accessToken)
})

test("a name in the suite's own file that is not quite that of a setting is an error", async ({ run }, testInfo) => {
  const folder = testInfo.outputPath('with-a-slip')
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, '.env'), 'FAIL_ONN=incomplete\n')

  const finished = await run({ INIT_CWD: folder, DOTENV_CONFIG_PATH: '' }, ONE)

  expect(finished.exitCode).toBe(2)
  expect(finished.output.trim()).toBe('FAIL_ONN (in .env) is no setting; rename it to FAIL_ON, or take it out.')
  expect(reportOf(finished).verdict).toBe('broken')
})

test('paths count from where the user stands', async ({ run, target }, testInfo) => {
  const { url, accessToken } = await target()
  const folder = testInfo.outputPath('elsewhere')
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'data.json'), JSON.stringify(dataset))
  const settings = { BASE_URL: url, ACCESS_TOKEN: accessToken, DATASET: 'data.json', INIT_CWD: folder }

  const finished = await run(settings, ONE)

  expect(finished.exitCode).toBe(0)
  expect(reportOf(finished).dataset?.file).toBe('data.json')
})

test("the reference service's reports do not take the place of a target's", async ({ run, target }) => {
  const { url, accessToken } = await target()
  const first = await run({ BASE_URL: url, ACCESS_TOKEN: accessToken }, ONE)
  const before = textOf(first, 'conformance.json')

  const second = await run({ REPORTS_DIR: first.folder }, ONE)

  expect(second.exitCode).toBe(0)
  expect(textOf(first, 'conformance.json')).toBe(before)
  const own = JSON.parse(textOf(first, 'reference-service/conformance.json')) as ReturnType<typeof reportOf>
  expect(own.target).toMatchObject({ builtIn: true })
})

test('two runs at once do not write into one folder', async ({ run, target }) => {
  const { url, accessToken } = await target({
    deviations: [{ reply: (_call, reply) => new Promise((resolve) => void setTimeout(() => resolve(reply), 300)) }],
  })
  const settings = { BASE_URL: url, ACCESS_TOKEN: accessToken }

  const slow = run(settings, ['tags'])
  const folder = path.join(test.info().outputPath('reports-1'))
  await expect.poll(() => existsSync(path.join(folder, '.running'))).toBe(true)
  const refused = await run({ ...settings, REPORTS_DIR: folder }, ONE)
  const finished = await slow

  expect(refused.exitCode).toBe(2)
  expect(refused.output).toMatch(
    /^REPORTS_DIR is in use by another run \(process \d+\); wait for it, or name another folder\.$/m,
  )
  expect(finished.exitCode).toBe(0)
  expect(reportOf(finished).verdict).toBe('incomplete')
  expect(existsSync(path.join(folder, '.running'))).toBe(false)
})

function textOf({ folder }: ChildRun, file: string): string {
  return readFileSync(path.join(folder, file), 'utf8')
}
