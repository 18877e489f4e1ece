import { totalsOf } from '../reporting/result/report.ts'
import type { FinishedRun, FinishedTest } from '../reporting/result/finished-run.ts'
import type { Report, ReportedFinding, ReportedRequirement } from '../reporting/result/report-format.ts'

/** A text that means something in a terminal, in XML, in HTML and in Markdown. */
export const HOSTILE =
  '\u0000\u001B[31m ]]> ]]> <b>&amp;</b> \uD800 \uFFFE `a` ```b``` | @octocat #1 [x](http://example.invalid) ![y](z) </code>\n\n# h\n- i\n::error::x'

export function aFinding(changes: Partial<ReportedFinding> = {}): ReportedFinding {
  return {
    message: 'tickets were wrong',
    expected: 'open',
    received: 'closed',
    pointer: '/tickets/3/status',
    occurrences: 1,
    exchange: 7,
    ...changes,
  }
}

export function aRequirement(changes: Partial<ReportedRequirement> = {}): ReportedRequirement {
  return {
    id: 'listTickets.filter.status-open',
    title: 'It is so.',
    level: 'stated',
    operations: ['listTickets'],
    source: '7. List tickets',
    outcome: 'passed',
    examined: {},
    findings: [],
    ...changes,
  }
}

/** A run of requirements, all of which were selected and took two seconds each. */
export function aRun(
  requirements: readonly ReportedRequirement[],
  { report, tests, ...changes }: Partial<Omit<FinishedRun, 'report'>> & { readonly report?: Partial<Report> } = {},
): FinishedRun {
  const titles = requirements.map(({ id, title }): [string, FinishedTest] => [`${id}: ${title}`, { seconds: 2 }])
  return {
    tests: new Map([...titles, ...(tests ?? [])]),
    errors: [],
    warnings: [],
    requestOf: (exchange) => `GET /api/tickets?exchange=${exchange}`,
    ...changes,
    report: aReport(requirements, report),
  }
}

/** A report on requirements, of a read-only run that knew nothing but a token. */
export function aReport(requirements: readonly ReportedRequirement[], changes: Partial<Report> = {}): Report {
  return {
    formatVersion: 1,
    verdict: 'nonconformant',
    target: { name: 'staging', baseUrl: 'https://staging.example.com/crm' },
    suite: { name: 'suite', version: '1.0.0' },
    contract: { title: 'contract', version: '1.0.0', sha256: 'a'.repeat(64) },
    register: { requirements: requirements.length, sha256: 'b'.repeat(64) },
    dataset: null,
    settings: {
      level: 'implied',
      allowWrites: false,
      secondCompany: false,
      dateFormat: null,
      seed: 1,
      requestTimeoutMs: 10_000,
      maxPages: 25,
      maxRequestsPerSecond: null,
      maxDurationS: 300,
    },
    startedAt: '2026-01-02T03:04:05.000Z',
    finishedAt: '2026-01-02T03:04:07.500Z',
    totals: totalsOf(requirements),
    requirements,
    observations: [],
    fields: [{ schema: 'Ticket', field: 'status', seen: 1, absent: 0, violations: 0 }],
    requests: { count: 12, bytes: 2048 },
    ...changes,
  }
}
