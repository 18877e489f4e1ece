import type { Har } from 'har-format'
import type { OpenAPIV3_1 } from 'openapi-types'
import { Contract, type OperationId } from '../engine/contract.ts'
import type { Exchange } from '../engine/http/exchange.ts'
import { proofOf, type Proof } from '../proving/proof.ts'
import { RedactionPolicy } from '../reporting/redaction/redaction-policy.ts'
import type { Sources } from '../reporting/documentation/sources.ts'
import { evidenceHar } from '../reporting/result/evidence-har.ts'
import { register } from '../requirements/register.ts'
import { HOSTILE as FOR_HTML, sampleReport } from './sample-report.ts'

export const contract = new Contract()
export const requirements = register(contract)

/** A text that would break out of HTML, of Markdown, of a table in either, or of Redoc's own additions to them. */
export const HOSTILE = `${FOR_HTML}

# taken

<SecurityDefinitions />
| taken | taken |
| --- | --- |
![taken](https://taken.example/image.png) <https://taken.example> \`\`\``

/** An answer as a run might have had it. */
export interface SampleAnswer {
  readonly operation: OperationId
  readonly body: unknown
  readonly status?: number
  readonly purpose?: Exchange['purpose']
  readonly caller?: Exchange['request']['caller']
}

/** Sources of everything: a report in which every outcome occurs, and answers as the contract's examples have them. */
export function sampleSources(text?: string): Sources {
  const { report } = sampleReport(text === undefined ? {} : { text })
  const answers = [...contract.operations.keys()].map((operation) => ({ operation, body: exampleOf(operation) }))
  const hostile = { operation: 'listTickets', body: { tickets: [hostileRecord(text ?? '')] } } as const
  const evidence = evidenceOf(text === undefined ? answers : [hostile, ...answers])
  return { contract, requirements, report, evidence, proof: PROOF, reportFile: '../index.html' }
}

export function evidenceOf(answers: readonly SampleAnswer[]): Har {
  const exchanges = answers.map(({ operation, body, status = 200, purpose, caller = 'main' }, index): Exchange => {
    const { method, path: target } = contract.operation(operation)
    return {
      number: index + 1,
      operation,
      purpose: purpose ?? (operation === 'updateContact' ? 'probe' : 'answer'),
      request: { method, url: `https://staging.example.com${target}`, target, headers: [], caller },
      response: {
        status,
        statusText: '',
        headers: [['content-type', 'application/json']],
        body: Buffer.from(JSON.stringify(body)),
      },
      startedAt: new Date('2026-11-21T09:00:01.000Z'),
      durationMs: 1,
    }
  })
  return evidenceHar(exchanges, RedactionPolicy.ofPublicData({ accessToken: 'mQ7vXz2LrTb9KdHs4WcYp8JnFa6GeUi3' }))
}

/** The first example of an operation's success in the contract. */
export function exampleOf(operation: OperationId): unknown {
  const { path, method } = contract.operation(operation)
  const { responses } = contract.document.paths![path]![method.toLowerCase() as 'get']!
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))![1]
  const { examples = {} } = (success as OpenAPIV3_1.ResponseObject).content!['application/json']!
  return (Object.values(examples)[0] as OpenAPIV3_1.ExampleObject).value
}

/** A record with members that mean something to who reads contracts. */
function hostileRecord(text: string): unknown {
  return JSON.parse(
    JSON.stringify({ id: text, [text]: text, $ref: 'https://taken.example/$ref', OWN: text, example: { $ref: '#/x' } })
      // No literal has such a member.
      .replace('"OWN"', '"__proto__"'),
  )
}

export const FILTER = 'listTickets.filter.status-open'
export const THREE_FILTERS = 'listTickets.filter.three'

const suite = { name: 'contact-centre-conformance', version: '1.0.0' }
/** A proof of which nothing has been judged. */
export const EMPTY_PROOF = proofOf({ suite, seed: 1, whole: false, startedAt: new Date(0), register: [] }, [])

export const PROOF: Proof = {
  ...EMPTY_PROOF,
  startedAt: '2026-11-20T08:00:00.000Z',
  finishedAt: '2026-11-20T08:03:00.000Z',
  faults: [
    fault('filter-ignored', 'The status filter is ignored.', FILTER, { 'read-only': [THREE_FILTERS, FILTER] }),
    fault('filter-lost', 'Of three filters, one is lost.', THREE_FILTERS, { dataset: [THREE_FILTERS] }, ['dataset']),
    { ...fault('id-lost', 'A ticket has no id.', 'Ticket.id', { 'read-only': ['Ticket.id'] }), derived: true },
  ],
}

function fault(
  name: string,
  sentence: string,
  caughtBy: string,
  failed: Proof['faults'][number]['failed'],
  needs: Proof['faults'][number]['needs'] = [],
): Proof['faults'][number] {
  return { name, derived: false, sentence, area: 'tickets', level: 'implied', caughtBy, needs, failed }
}
