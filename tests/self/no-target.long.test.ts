import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from '@playwright/test'
import { dataset, DATASET_FILE, test } from './own-target.ts'
import { reportOf, textOf } from './child-run.ts'

const ONE = ['--grep', 'listTags.tags.count']
const BUILT_IN = 'No target was named: this judged the built-in reference service.'

const REMEDY =
  'give the base address of the target, or unset all that names one to judge the built-in reference service.'
/** Settings that mean a target and name none, each with what is said of them. */
const SLIPS: Readonly<Record<string, readonly [settings: Readonly<Record<string, string>>, says: string]>> = {
  'an empty address': [
    { BASE_URL: '', ACCESS_TOKEN: 'a-token' },
    `BASE_URL is set and empty (in the environment); ${REMEDY}`,
  ],
  'an empty address alone': [{ BASE_URL: '' }, 'BASE_URL is set and empty'],
  'an empty token': [
    { BASE_URL: 'http://127.0.0.1:1', ACCESS_TOKEN: '' },
    'ACCESS_TOKEN is empty; give the bearer token of the workspace behind BASE_URL.',
  ],
  'a command that prints more than a token': [
    { BASE_URL: 'http://127.0.0.1:1', ACCESS_TOKEN_COMMAND: 'echo two words' },
    'What ACCESS_TOKEN_COMMAND printed holds a space,',
  ],
  'a token alone': [{ ACCESS_TOKEN: 'a-token' }, `BASE_URL is not set, but ACCESS_TOKEN is; ${REMEDY}`],
  'a token and a data set': [
    { ACCESS_TOKEN: 'a-token', DATASET: DATASET_FILE },
    'BASE_URL is not set, but ACCESS_TOKEN and DATASET are;',
  ],
  'a misspelt address': [{ BASEURL: 'http://x' }, 'BASE_URL is not set, but BASEURL is, which is not a setting;'],
  'an address with two letters exchanged': [
    { BASE_ULR: 'http://x' },
    'BASE_URL is not set, but BASE_ULR is, which is not a setting;',
  ],
  'an address in small letters': [
    { base_url: 'http://x' },
    'BASE_URL is not set, but base_url is, which is not a setting;',
  ],
  'a .env that is not there': [
    { DOTENV_CONFIG_PATH: 'nowhere/.env' },
    'DOTENV_CONFIG_PATH names nowhere/.env, which is not there.',
  ],
  'a misspelt data set': [{ DATA_SET: DATASET_FILE }, 'DATASET is not set, but DATA_SET is, which is not a setting;'],
}

for (const [what, [settings, says]] of Object.entries(SLIPS))
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
  const { settings } = await target()
  const folder = testInfo.outputPath('elsewhere')
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'data.json'), JSON.stringify(dataset))

  const finished = await run({ ...settings, DATASET: 'data.json', INIT_CWD: folder }, ONE)

  expect(finished.exitCode).toBe(0)
  expect(reportOf(finished).dataset?.file).toBe('data.json')
})

test("the reference service's reports do not take the place of a target's", async ({ run, target }) => {
  const { settings } = await target()
  const first = await run(settings, ONE)
  const before = textOf(first, 'conformance.json')

  const second = await run({ REPORTS_DIR: first.folder }, ONE)

  expect(second.exitCode).toBe(0)
  expect(textOf(first, 'conformance.json')).toBe(before)
  const own = JSON.parse(textOf(first, 'reference-service/conformance.json')) as ReturnType<typeof reportOf>
  expect(own.target).toMatchObject({ builtIn: true })
})

test('two runs at once do not write into one folder', async ({ run, target }) => {
  const { settings } = await target({
    deviations: [{ reply: (_call, reply) => new Promise((resolve) => void setTimeout(() => resolve(reply), 300)) }],
  })

  const slow = run(settings, ['tags'])
  const folder = test.info().outputPath('reports-1')
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
