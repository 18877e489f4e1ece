import { expect, test } from '@playwright/test'
import { codeSpan } from '../reporting/exports/markdown.ts'
import { markdownSummary } from '../reporting/exports/markdown-summary.ts'
import { aFinding, aRequirement, aRun, HOSTILE } from './small-run.ts'

test('the verdict comes first, then what was judged and the counts', () => {
  const run = aRun([
    aRequirement({ id: 'listTickets.answer.usable' }),
    aRequirement({ id: 'listTickets.filter.a', outcome: 'failed', findings: [aFinding()] }),
    aRequirement({
      id: 'listTickets.filter.b',
      level: 'implied',
      outcome: 'not exercised',
      reason: 'Needs tickets.',
    }),
    aRequirement({ id: 'listTickets.observed.order', level: 'observed' }),
  ])

  const lines = markdownSummary(run).split('\n')
  expect(lines.slice(0, 10)).toEqual([
    '## NONCONFORMANT: `staging`',
    '',
    'Judged at `https://staging.example.com/crm` on 2026-01-02T03:04:05.000Z, `data discovered, read-only, one company, level implied, seed 1`;',
    '12 requests, 2 KiB, 2.5 s.',
    '',
    '| level | passed | failed | not exercised | broken |',
    '| --- | ---: | ---: | ---: | ---: |',
    '| stated | 1 | 1 | 0 | 0 |',
    '| implied | 0 | 0 | 1 | 0 |',
    '| observed | 1 | 0 | 0 | 0 |',
  ])
  expect(lines).toContain('- `listTickets.filter.b`: `Needs tickets.`')
  expect(lines.find((line) => line.startsWith('| listTickets |'))).toMatch(
    /^\| listTickets \|  \| 1 \|  \| 0 of 2, \*\*1 failed\*\* \|/,
  )
})

test('at LEVEL=stated, it says of one failure that does not count how many do', () => {
  const failures = (['stated', 'implied'] as const).map((level) =>
    aRequirement({ id: `listTickets.filter.${level}`, level, outcome: 'failed', findings: [aFinding()] }),
  )
  const { settings } = aRun([]).report!
  const run = aRun(failures, { report: { settings: { ...settings!, level: 'stated' } } })

  expect(markdownSummary(run)).toContain(
    '\n\n**1 stated requirement failed; 1 implied requirement failed, which LEVEL=stated does not count.**\n\n',
  )
  expect(markdownSummary(aRun(failures))).not.toContain('does not count')
})

test('a finding is told with its requirement, request, expectation, answer, count and exchange', () => {
  const findings = [aFinding({ occurrences: 41, exchange: 330 })]

  expect(markdownSummary(aRun([aRequirement({ outcome: 'failed', findings })]))).toContain(
    [
      '- **`listTickets: tickets were wrong`**',
      '  - `listTickets.filter.status-open` (stated): It is so.',
      '  - Request `GET /api/tickets?exchange=330`, exchange 330',
      '  - Found `tickets were wrong`, 41 times, first at `/tickets/3/status`',
      '  - Expected `"open"`, received `"closed"`',
    ].join('\n'),
  )
})

test('the gravest problems come first, and no more than a hundred', () => {
  const implied = Array.from({ length: 150 }, (_, index) =>
    aRequirement({
      id: `operation${index}.tags.it${index}`,
      level: 'implied',
      outcome: 'failed',
      findings: [aFinding({ exchange: index + 1, pointer: '' })],
    }),
  )
  const stated = aRequirement({ id: 'getTag.answer.json', outcome: 'failed', findings: [aFinding()] })
  const summary = markdownSummary(aRun([...implied, stated]))

  const ids = [...summary.matchAll(/^ {2}- `(\S+)` \(/gm)].map(([, id]) => id)
  expect(ids[0]).toBe('getTag.answer.json')
  expect(ids).toHaveLength(100)
  expect(summary).toContain('- and 51 more, in `conformance.json`')
})

test('equal reasons are one, the commonest first', () => {
  const gap = { outcome: 'not exercised' } as const
  const summary = markdownSummary(
    aRun([
      aRequirement({ ...gap, id: 'a.b.one', reason: 'Needs tags.' }),
      aRequirement({ ...gap, id: 'a.b.two', reason: 'No answer (exchange 1)' }),
      aRequirement({ ...gap, id: 'a.b.three', reason: 'No answer (exchange 2)' }),
    ]),
  )

  expect(summary).toContain('### Not exercised\n\n- 2 requirements: `No answer`\n- `a.b.one`: `Needs tags.`\n')
})

test('of a run that could not begin, it says why and nothing else', () => {
  const { report, ...nothing } = aRun([aRequirement()], { report: { fields: [] }, errors: ['LEVEL is "foo".'] })
  const said = '## BROKEN: nothing was judged\n\n- What went wrong: `LEVEL is "foo".`\n'

  expect(markdownSummary({ ...nothing, report })).toBe(said)
  expect(markdownSummary({ ...nothing, report: undefined })).toBe(said)
})

test('where the suite itself went wrong, it says so', () => {
  const tests = new Map([['a.b.passed: It is so.', { seconds: 1, failure: 'The worker died.' }]])
  const requirements = [
    aRequirement({ id: 'a.b.passed' }),
    aRequirement({ id: 'a.b.broken', outcome: 'broken', reason: 'TypeError: x\n  at y' }),
  ]

  const summary = markdownSummary(aRun(requirements, { tests, errors: ['The target could not be left as it was.'] }))
  expect(summary).toContain('- What went wrong: `The target could not be left as it was.`')
  expect(summary).toContain('- `a.b.passed: It is so.` ended with `The worker died.`')
  expect(summary).toContain('- `a.b.broken` ended with `TypeError: x`')
})

/** What is left of a line of Markdown without its code spans, found as CommonMark 6.1 has it. */
function outsideCode(line: string): string {
  let rest = line
  let outside = ''
  for (let fence = /`+/.exec(rest); fence; fence = /`+/.exec(rest)) {
    outside += rest.slice(0, fence.index)
    const after = rest.slice(fence.index + fence[0].length)
    const end = [...after.matchAll(/`+/g)].find(([run]) => run.length === fence[0].length)
    expect(end, `a code span that begins before ${after.slice(0, 40)}`).toBeDefined()
    rest = after.slice(end!.index + end![0].length)
  }
  return outside + rest
}

test('whatever a target says, it stays inside of code spans', () => {
  const texts = [HOSTILE, '`', '``', '` `` ```', ' `x', 'x` ', '\n', '', '\\`', '```js\ncode\n```', 'a\u2028# b']
  for (const text of texts) {
    const run = aRun(
      [
        aRequirement({
          id: 'a.b.failed',
          outcome: 'failed',
          findings: [aFinding({ message: text, expected: text, received: { [text]: text }, pointer: text })],
        }),
        aRequirement({ id: 'a.b.broken', outcome: 'broken', reason: text }),
        aRequirement({ id: 'a.b.missing', outcome: 'not exercised', reason: text }),
      ],
      {
        requestOf: () => text,
        errors: [text],
        report: { target: { name: text, baseUrl: text }, dataset: { file: text, sha256: '', companyId: '' } },
      },
    )

    // What the suite itself says in these places.
    const own = markdownSummary(run).split('\n').map(outsideCode)
    expect(own.join('\n')).not.toMatch(/[<>@#[\]\\](?<!^#+)|::|octocat|example\.invalid/m)
    expect(own.filter((line) => !/^(?:[#|]| *- |$|Judged|\d+ requests|The folder)/.test(line))).toEqual([])
  }
})

test('a code span holds its text as it is', () => {
  expect(codeSpan('a `b` | c')).toBe('``a `b` | c``')
  expect(codeSpan('`')).toBe('`` ` ``')
  expect(codeSpan(' a')).toBe('`  a `')
  expect(codeSpan('')).toBe('nothing')
  expect(codeSpan(`${'a'.repeat(300)}b`)).toBe(`\`${'a'.repeat(300)}…\``)
})

test('the longest summary is shorter than what GitHub takes', () => {
  const text = '\u{FFFD}`'.repeat(1000)
  const findings = Array.from({ length: 1000 }, () =>
    aFinding({ message: text, expected: text, received: text, pointer: text }),
  )
  const gaps = Array.from({ length: 400 }, (_, index) =>
    aRequirement({ id: `a.b.${index}`, outcome: index % 2 ? 'not exercised' : 'broken', reason: `${index}${text}` }),
  )
  const run = aRun([aRequirement({ outcome: 'failed', findings }), ...gaps], { requestOf: () => text })

  expect(Buffer.byteLength(markdownSummary(run))).toBeLessThan(1024 * 1024)
})
