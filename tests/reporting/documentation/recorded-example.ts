import type { OpenAPIV3_1 } from 'openapi-types'
import { parseJson } from '../../engine/http/answer.ts'
import type { OperationId } from '../../engine/contract.ts'
import { printable } from '../../engine/settings/settings.ts'
import type { EvidenceEntry } from '../result/evidence-har.ts'
import { shortened } from './shortened.ts'
import type { Sources } from './sources.ts'
import { judged, nameOf } from './verification.ts'

/** An answer of the verified target, as the evidence holds it; undefined where none of its answers was JSON. */
export function recordedExample(
  operation: OperationId,
  { contract, report, evidence }: Sources,
): OpenAPIV3_1.ExampleObject | undefined {
  if (!judged(report)) return undefined
  const { listMember } = contract.operation(operation)
  const answers = ((evidence?.log.entries ?? []) as unknown as readonly EvidenceEntry[]).filter(
    ({ _operation: own, _caller: caller, response: { status } }) =>
      own === operation && caller === 'main' && status >= 200 && status < 300,
  )
  const [asked, probed] = (['answer', 'probe'] as const).map((wanted) =>
    answers.filter(({ _purpose: purpose }) => purpose === wanted).flatMap(bodyOf),
  )
  // What a probe gets is open; but an update, which may always be refused, is never asked otherwise.
  const bodies = asked!.length > 0 ? asked! : probed!
  const chosen = bodies.find(({ body }) => !isEmptyList(body, listMember)) ?? bodies[0]
  if (!chosen) return undefined
  return {
    summary: `Recorded: ${printable(nameOf(report))}, ${report.startedAt.slice(0, 10)}`,
    description: `As it came${report.dataset ? '' : ', with personal values masked'}; lists are cut to two records.`,
    value: shortened(chosen.body),
  }
}

/** The body of an answer, if it is JSON. */
function bodyOf({ response: { content } }: EvidenceEntry): { readonly body: unknown }[] {
  if (content.text === undefined || content.encoding === 'base64') return []
  const parsed = parseJson(Buffer.from(content.text))
  return 'body' in parsed ? [parsed] : []
}

function isEmptyList(body: unknown, member: string | undefined): boolean {
  const list = member === undefined ? undefined : (body as Readonly<Record<string, unknown>> | null)?.[member]
  return Array.isArray(list) && list.length === 0
}
