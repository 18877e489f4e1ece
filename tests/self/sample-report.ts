import type { Har } from 'har-format'
import { Contract } from '../engine/contract.ts'
import type { EvidenceEntry } from '../reporting/result/evidence-har.ts'
import type { Report, ReportedRequirement } from '../reporting/result/report-format.ts'
import { register } from '../requirements/register.ts'
import { aReport } from './small-run.ts'

/** Text that would break out of a page, a table or a command, were it taken for more than text. */
export const HOSTILE = `</script></style><img src=x onerror="document.title='taken'">'"\`|[x](javascript:alert(1))&\u202E`

const requirements = register(new Contract())

/** What is special about a sample. */
export interface SampleOptions {
  /** Findings of each requirement that failed. */
  readonly findings?: number
  /** Takes each requirement of that many. */
  readonly each?: number
  /** Stands wherever a target's text does. */
  readonly text?: string
}

/** A report, and its evidence, in which every outcome occurs, with findings on each third of the demands. */
export function sampleReport({ findings = 1, each = 1, text = 'Ana' }: SampleOptions = {}): {
  report: Report
  evidence: Har
} {
  const body = JSON.stringify({ tickets: [{ id: text, status: text, lastMessage: text }], note: text })
  const chosen = requirements.filter((_, index) => index % each === 0)
  const reported = chosen.map(({ id, title, level, operations, source }, index): ReportedRequirement => {
    const common = { id, title, level, operations, source, examined: { records: index } }
    if (level === 'observed') return { ...common, outcome: 'passed', findings: [] }
    if (index % 3 === 1)
      return {
        ...common,
        outcome: 'failed',
        findings: Array.from({ length: findings }, (_, number) => ({
          message: `${text} ${number}`,
          expected: text,
          received: { text },
          pointer: '/tickets/0/status',
          occurrences: number + 1,
          exchange: 1,
        })),
      }
    if (index % 3 === 2) return { ...common, outcome: 'not exercised', reason: `Needs ${text}.`, findings: [] }
    return { ...common, outcome: 'passed', findings: [] }
  })
  const report = aReport(reported, {
    target: { name: text, baseUrl: 'http://127.0.0.1:1/crm' },
    suite: { name: 'contact-centre-conformance', version: '1.0.0' },
    contract: { title: 'Contact-centre service', version: '1.0.0', sha256: 'a'.repeat(64) },
    startedAt: '2026-11-21T09:00:00.000Z',
    finishedAt: '2026-11-21T09:00:06.000Z',
    observations: chosen
      .filter(({ level }) => level === 'observed')
      .map(({ id, operations }) => ({
        id,
        topic: `topic of ${id}`,
        operation: operations[0]!,
        value: { [text]: [text, true, null] },
      })),
    fields: new Contract().fields.map(({ schema, name }) => ({
      schema,
      field: name,
      seen: 3,
      absent: 1,
      violations: 0,
    })),
    requests: { count: 1, bytes: body.length },
  })
  return { report, evidence: { log: { version: '1.2', creator: report.suite, entries: [entry(text, body)] } } }
}

function entry(text: string, body: string): EvidenceEntry {
  return {
    _exchange: 1,
    _operation: 'listTickets',
    _purpose: 'answer',
    _caller: 'main',
    startedDateTime: '2026-11-21T09:00:01.000Z',
    time: 3,
    request: {
      method: 'GET',
      url: `http://127.0.0.1:1/crm/api/tickets?searchParam=${encodeURIComponent(text)}`,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: [{ name: 'authorization', value: 'Bearer [token]' }],
      queryString: [{ name: 'searchParam', value: text }],
      headersSize: -1,
      bodySize: 0,
    },
    response: {
      status: 200,
      statusText: text,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: [{ name: 'x-note', value: text }],
      content: { size: body.length, mimeType: 'application/json', text: body },
      redirectURL: '',
      headersSize: -1,
      bodySize: -1,
    },
    cache: {},
    timings: { send: 0, wait: 3, receive: 0 },
  }
}
