import type { Call } from '../../../engine/http/client.ts'
import type { OperationId } from '../../../engine/contract.ts'
import type { Company } from '../../../engine/http/credentials.ts'
import { recordsOf } from '../../../engine/data/listing.ts'
import {
  type AnyRecord,
  asText,
  idOf,
  idsOf,
  sameValue,
  valuesOf,
  type ListOperation,
  type Located,
  type RecordOf,
} from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { requireSettings } from '../../needs.ts'
import { everyRecord } from '../../../engine/data/every-record.ts'
import { LISTS, PLURAL, OPERATIONS } from '../../operations.ts'

/** The id of a company: the data set's where the target uses its ids, or else the one that most of its lists' records carry. */
export function companyIdOf(trial: Trial, caller: Company): Promise<string | undefined> {
  const { session } = trial.as(caller)
  return session.remember('company', async () => {
    await Promise.allSettled(LISTS.map((operation) => trial.as(caller).list(operation)))
    const companiesOf = (operation: OperationId): string[] =>
      valuesOf(
        everyRecord(trial, operation, caller).map(({ record }) => ({ value: record as { companyId?: unknown } })),
        'companyId',
      )
    const companies = OPERATIONS.map(companiesOf)
    const declared = session.dataset?.[caller === 'main' ? 'companyId' : 'otherCompanyId']
    if (declared && companies.flat().includes(declared)) return declared
    const [elected] = valuesOf(
      companies.map(([most]) => ({ value: { companyId: most } })),
      'companyId',
    )
    return elected
  })
}

/** The first page of a list as the second company sees it. */
export async function othersList<O extends ListOperation>(
  trial: Trial,
  operation: O,
): Promise<readonly Located<RecordOf<O>>[]> {
  requireSettings(trial, 'OTHER_ACCESS_TOKEN')
  const reading = await trial.session.as('other').ask(operation)
  const records = recordsOf(trial.session, operation, reading)
  return records.length > 0
    ? records
    : trial.notExercised(`Needs ${PLURAL[operation]} of the second company; it lists none.`)
}

const IN_A_HEADER = /^[\x21-\x7E]+$/

/** A company's id, where a header can hold it. */
export function inHeader(companyId: string | undefined): string | undefined {
  return companyId !== undefined && IN_A_HEADER.test(companyId) ? companyId : undefined
}

/** A call with the company of a record in its query, and in a header as of a gateway; none where the record shows none. */
export function namingCompanyOf(record: unknown, call: Call = {}): readonly Call[] {
  const companyId = inHeader(asText((record as { readonly companyId?: unknown } | undefined)?.companyId))
  if (companyId === undefined) return []
  return [{ ...call, query: { ...call.query, companyId }, headers: { 'X-Company-Id': companyId } }]
}

/** Records of the other company, and those of the one that asks. */
export interface Companies {
  readonly others: readonly Located<unknown>[]
  readonly own: readonly Located<unknown>[]
  /** Whether the one that asks has no other records than its own ones here. */
  readonly isWhole: boolean
}

/** An id, or another text, that two records of one kind have by no chance. */
export const TELLING = 11

/** As many records of two companies are not created at the same milliseconds by chance, nor by what fills both alike. */
const SAME_MOMENTS = 3

/** Whether two companies list the same records: what is said of whose they are aside, by their ids, and alike in all else. */
function areOneCompanys(
  trial: Trial,
  own: readonly Located<unknown>[],
  known: ReadonlyMap<string | undefined, unknown>,
  names: readonly string[],
): boolean {
  const besides = names.filter((name) => name !== 'companyId')
  const alike = (own as readonly Located<AnyRecord>[]).filter(({ value }) => {
    const other = known.get(idOf(value)) as AnyRecord | undefined
    return other && besides.every((name) => sameValue(value[name] ?? null, other[name] ?? null))
  })
  const moments = alike.map(({ value }) => trial.instantOf(value['createdAt'])?.earliest ?? 0)
  return new Set(moments.filter((ms) => ms % 1000 !== 0)).size >= SAME_MOMENTS
}

/**
 * Reports the records that one company sees and that are the other's: the same id and the same documented content. A
 * record may say that it is of the company that sees it, where that lists all of its own and none of the other's ids: ids may
 * be counted by company, and then records that show little may be alike.
 */
export function reportOthers(
  trial: Trial,
  operation: ListOperation,
  what: string,
  found: readonly Located<unknown>[],
  { others, own, isWhole }: Companies,
): void {
  const names = trial.session.contract.comparableFields(trial.session.contract.operation(operation).schema)
  const content = (value: unknown, id: string): unknown[] =>
    names.map((name) => {
      const isOpen = name === 'companyId' && (areTheSame || (isWhole && !areShared && !listed.has(id)))
      return isOpen ? null : ((value as Record<string, unknown>)[name] ?? null)
    })
  const known = new Map(others.map(({ value }) => [idOf(value), value] as const))
  const listed = idsOf(own)
  const areShared = [...known.keys()].some((id) => listed.has(id))
  const areTheSame = areShared && areOneCompanys(trial, own, known, names)
  for (const { value, exchange, pointer } of found) {
    trial.count('records')
    const id = idOf(value)
    const other = id === undefined ? undefined : known.get(id)
    if (id === undefined || other === undefined) continue
    const shown = content(value, id)
    const isTold = shown.some(
      (one, at) => names[at] !== 'companyId' && typeof one === 'string' && one.length >= TELLING,
    )
    if (isTold && sameValue(content(other, id), shown))
      trial.fail({
        message: `${what} brought ${PLURAL[operation]} of the other company`,
        expected: "no record that the other company's token lists",
        received: id,
        exchange,
        pointer,
      })
  }
}
