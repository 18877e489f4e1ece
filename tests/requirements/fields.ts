import type { Contract, Field, OperationId } from '../engine/contract.ts'
import { typeOf } from '../engine/http/answer.ts'
import { recordsIn, type ViolationGroup } from '../engine/judging/evidence.ts'
import type { Requirement } from '../engine/judging/requirement.ts'
import { Unanswered } from '../engine/trouble/unanswered.ts'
import { NotExercised, type Trial } from '../engine/judging/trial.ts'
import { makeSureOfAnAnswer } from './calls.ts'
import { updateWithStoredValues } from './checks/updates/learn-updates.ts'
import { isList } from './operations.ts'

/** Such a share of the records has what takes the place of a field; some may leave it out, as the field may be left out. */
const NEARLY_ALL = 0.9

/** Each field has the type that the document's tables give it, in every answer of the run: a requirement a field. */
export function fields(contract: Contract): readonly Requirement[] {
  return contract.fields.map((field) => ({
    id: `${field.schema}.${field.name}`,
    level: 'stated',
    title: `${field.schema}.${field.name} is ${withArticle(field.expected)}${field.required ? ', and always present' : ''}.`,
    source: field.section,
    operations: contract.operationsWith(field.schema),
    phase: 'review',
    check: (trial) => judgeField(trial, field),
  }))
}

async function judgeField(trial: Trial, field: Field): Promise<void> {
  const [unseen] = await seeEvery(trial)
  const coverage = trial.session.evidence.fields.get(`${field.schema}.${field.name}`)!
  trial.count('values', coverage.seen)
  for (const group of coverage.violations.values()) {
    const { expected, received, pointer, exchange } = group
    const message = messageOf(field, group)
    trial.fail({ message, expected, received, pointer, exchange, occurrences: recordsIn(group) })
  }
  if (coverage.seen > 0) return
  if (coverage.absent === 0)
    trial.notExercised(unseen ?? `Needs a ${field.schema} that has ${field.name}; no ${field.schema} was seen.`)
  trial.notExercised(
    `Needs a ${field.schema} that has ${field.name}; none of ${coverage.absent} seen had it${insteadOf(trial, field)}.`,
  )
}

/** What nearly all records have in place of a field that none has, in a clause: a member with a name that is much the same. */
function insteadOf({ session: { contract, evidence } }: Trial, { schema, name }: Field): string {
  const documented = contract.fieldNames(schema)
  // Records are many, and the names of their members are few.
  const alike = new Map<string, boolean>()
  const isLike = (other: string): boolean => {
    const isAlike =
      alike.get(other) ??
      (!documented.includes(other) && other.length <= 2 * name.length && bareName(other) === bareName(name))
    alike.set(other, isAlike)
    return isAlike
  }
  const times = new Map<string, number>()
  let records = 0
  // Equal answers may be one and the same body, which may be long.
  const bodies = new Map(
    evidence.answers.flatMap(({ exchange, usable, body }) => (usable ? [[body, exchange.operation]] : [])),
  )
  for (const [body, operation] of bodies)
    contract.visitResources(operation, body, (shown, record) => {
      if (shown !== schema) return
      records++
      for (const other of Object.keys(record)) if (isLike(other)) times.set(other, (times.get(other) ?? 0) + 1)
    })
  const found = [...times].find(([, often]) => often >= NEARLY_ALL * records)
  if (!found) return ''
  const [other, often] = found
  return `; ${often === records ? 'all' : often} of them have ${other}, which is not documented`
}

/** A name without what two spellings of it differ in: last_message is LastMessage, and isActive is active. */
function bareName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[-_. ]/g, '')
    .replace(/^is|s$/g, '')
}

/** What is wrong with a value: its type or, where that is right, the rest. */
function messageOf({ schema, name }: Field, { operation, missing, expected, received }: ViolationGroup) {
  if (missing) return `${operation} left out ${schema}.${name}`
  const type = typeOf(received)
  const wanted = `not ${withArticle(expected)}`
  const isOfType = TYPE[type]?.test(expected)
  const what = isOfType ? wanted : `${type === 'null' ? type : withArticle(type)}, ${wanted}`
  return `${operation} returned a ${schema}.${name} that is ${what}`
}

/** Which expectations a value of a type meets as far as its type goes. */
const TYPE: Readonly<Record<string, RegExp>> = {
  string: /string|^one of/,
  number: /number|integer/,
  boolean: /boolean/,
  array: /array/,
  object: /object/,
}

/**
 * Looks at every answer that can hold the field, so that its row is never empty for want of looking; gives the reasons
 * why some could not be had.
 */
async function seeEvery(trial: Trial): Promise<string[]> {
  const settled = await Promise.allSettled(trial.requirement.operations.map((operation) => see(trial, operation)))
  const problems = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
  return problems.flatMap((problem) => {
    if (problem instanceof NotExercised) return [problem.message]
    if (problem instanceof Unanswered) return [`${problem.message}.`]
    throw problem
  })
}

async function see(trial: Trial, operation: OperationId): Promise<void> {
  if (isList(operation)) await trial.list(operation)
  else if (operation === 'updateContact') await updateWithStoredValues(trial)
  else await makeSureOfAnAnswer(trial, operation)
}

function withArticle(expected: string): string {
  if (/^(an?|one) /.test(expected)) return expected
  return `${/^[aeio]/.test(expected) ? 'an' : 'a'} ${expected}`
}
