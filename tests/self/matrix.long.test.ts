import { expect } from '@playwright/test'
import type { JudgedRow } from '../commands/row.ts'
import { rowLines } from '../commands/row-lines.ts'
import { RedactionPolicy } from '../reporting/redaction/redaction-policy.ts'
import { runMatrix } from './matrix-run.ts'
import { DATASET_FILE, test } from './own-target.ts'

const UNREACHABLE = { name: 'nobody', baseUrl: 'http://127.0.0.1:9', accessToken: 'token-of-nobody' }

test('a row of the matrix says what became of every requirement', async ({ target }, testInfo) => {
  const { url, accessToken } = await target()
  const { rows, output } = await runMatrix(testInfo.outputPath(), [{ name: 'plain', baseUrl: url, accessToken }])
  const [row] = rows
  expect(output).toMatch(
    /^1\/1 plain: incomplete .*\n {2}\d+ requirements not exercised, \d+ of them .*: [^\n]*ALLOW_WRITES/m,
  )
  expect(row).toMatchObject({ name: 'plain', verdict: 'incomplete', findings: {} })
  expect(row!.outcomes['listTickets.filter.status-open']).toBe('passed')
  expect(row!.outcomes['updateContact.update.name']).toBe('not exercised')
  expect(row!.requests).toBeGreaterThan(100)
})

test('a target out of reach and one that refuses its token are broken rows, and do not stop the others', async ({
  target,
}, testInfo) => {
  const { url, accessToken, otherAccessToken } = await target()
  const good = {
    name: 'good',
    baseUrl: `${url}/`,
    accessToken,
    otherAccessToken,
    dataset: DATASET_FILE,
    allowWrites: true,
  }
  const refused = { name: 'refused', baseUrl: url, accessToken: 'a-token-that-nobody-was-given' }
  const halfRefused = { ...good, name: 'half refused', otherAccessToken: 'a-token-that-nobody-was-given' }
  const targets = [UNREACHABLE, good, refused, halfRefused]
  const { rows, exitCode, output } = await runMatrix(testInfo.outputPath(), targets)
  expect(rows.map(({ name, verdict }) => [name, verdict])).toEqual([
    ['nobody', 'broken'],
    ['good', 'conformant'],
    ['refused', 'broken'],
    ['half refused', 'broken'],
  ])
  expect(rows[0]!.findings['preflight']?.[0]).toContain("can't be reached")
  expect(rows[2]!.findings['preflight']?.[0]).toContain('ACCESS_TOKEN was refused')
  expect(rows[3]!.findings['preflight']?.[0]).toMatch(/^OTHER_ACCESS_TOKEN was .* valid token of the second company\.$/)
  expect(exitCode).toBe(1)
  expect(output + JSON.stringify(rows)).not.toContain(accessToken)
})

function nonconformant(titles: readonly string[]): JudgedRow {
  const problems = titles.map((title) => ({ title, requirements: ['a'], operations: ['listTags'] }))
  const counts = { durationMs: 1, requests: 1, outcomes: {}, findings: {} }
  return { row: { name: 'one', verdict: 'nonconformant', ...counts, problems }, exchanges: [] }
}

test('below the row of a target that is not conformant are its first problems, and how many more there are', () => {
  const policy = RedactionPolicy.ofPublicData({ accessToken: 'token-of-nobody' })

  expect(rowLines(nonconformant(['a\u001B[31m', 'b', 'c', 'd', 'e']), { policy })).toEqual([
    '  a\uFFFD[31m',
    '  b',
    '  c',
    '  and 2 more',
  ])
  expect(rowLines(nonconformant([]), { policy })).toEqual([])
})

const MALFORMED: readonly (readonly [what: string, targets: unknown, says: string])[] = [
  ['no list', { name: 'x' }, '--targets (targets.json) is no targets file'],
  [
    'an entry without a token',
    [{ name: 'x', baseUrl: 'http://127.0.0.1:9' }],
    '--targets (targets.json) is no targets file',
  ],
  ['no target', [], '--targets (targets.json) names no target'],
  ['a misspelt key', [{ ...UNREACHABLE, alowWrites: true }], '/0 has "alowWrites", where allowWrites may be meant'],
  ['an invalid base address', [{ ...UNREACHABLE, baseUrl: 'nowhere' }], 'baseUrl is "nowhere"'],
  ['a data set that is not there', [{ ...UNREACHABLE, dataset: 'none.json' }], 'no such file'],
  ['a token that no header can carry', [{ ...UNREACHABLE, accessToken: 'two words' }], 'accessToken holds a space'],
]

for (const [what, targets, says] of MALFORMED)
  test(`a targets file with ${what} is told in one sentence`, async () => {
    const { exitCode, output, rows } = await runMatrix(test.info().outputPath(), targets)
    expect(exitCode).toBe(2)
    expect(output).toContain(says)
    expect(output).not.toContain('    at ')
    expect(rows).toEqual([])
  })

test('an invalid number of jobs is told in one sentence', async () => {
  const { exitCode, output } = await runMatrix(test.info().outputPath(), [UNREACHABLE], ['--jobs', 'many'])
  expect(exitCode).toBe(2)
  expect(output.trim()).toMatch(/^--jobs is "many"; .*\.$/m)
})
