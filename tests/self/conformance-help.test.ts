import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@playwright/test'
import { projectRoot } from '../engine/settings/settings.ts'
import { EXIT_STATUS } from '../run/exit-status.ts'
import { UNSET } from './child-run.ts'

const WIDEST = 120

for (const args of [['--help'], ['updates', '-h']])
  test(`npm run conformance -- ${args.join(' ')} names every setting of a run and every exit status, in lines that a terminal has`, async () => {
    const output = await conformance(...args)

    const example = readFileSync(path.join(projectRoot, '.env.example'), 'utf8')
    const named = [...example.matchAll(/(?<=^# )[A-Z_]+(?==)/gm)].map(([name]) => name)
    for (const name of named.filter((each) => each !== 'CHROMIUM_PATH'))
      expect(output).toMatch(new RegExp(`^  ${name}=`, 'm'))
    expect(output).not.toContain('CHROMIUM_PATH')
    expect(output.split('\n').filter((line) => line.length > WIDEST)).toEqual([])
    for (const status of Object.values(EXIT_STATUS)) expect(output).toContain(`${status} (`)
    expect(output).not.toContain('Usage: npx playwright')
  })

test("other arguments are Playwright's, as they were given", async () => {
  const output = await conformance('--list', '--grep', 'listTags.tags.count|listTags.tags.no such')

  expect(output.trim()).toMatch(/^tests\/tags\.spec\.ts: .*listTags\.tags\.count.*$/)
})

test('an option that there is not is told in a sentence, and no earlier run passes for this one', async () => {
  const junit = test.info().outputPath('junit.xml')
  writeFileSync(junit, 'what an earlier run said')

  await expect(conformance('tags', '--level', 'stated')).rejects.toMatchObject({
    code: EXIT_STATUS.wrongUse,
    stdout: '',
    stderr: "npm run conformance: unknown option '--level'; --help tells more.\n",
  })

  expect(existsSync(junit)).toBe(false)
})

async function conformance(...args: readonly string[]): Promise<string> {
  const env: NodeJS.ProcessEnv = { ...process.env, ...UNSET, REPORTS_DIR: test.info().outputPath() }
  const { stdout } = await promisify(execFile)('npm', ['run', '-s', 'conformance', '--', ...args], {
    cwd: projectRoot,
    env,
  })
  return stdout
}
