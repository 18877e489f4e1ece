import type { OperationId } from '../engine/contract.ts'
import type { Exchange } from '../engine/exchange.ts'
import { idOf, type ListOperation } from '../engine/records.ts'
import type { Requirement } from '../engine/requirement.ts'
import type { Trial } from '../engine/trial.ts'
import { LISTS, NOUN, SECTION } from './operations.ts'

interface Placed {
  readonly record: Record<string, unknown>
  readonly exchange: Exchange
  readonly pointer: string
}

/** What records say of each other, in every answer of the run. */
export const consistency: readonly Requirement[] = [
  ...LISTS.map((operation) => ({
    ...demand(operation, 'unique-ids', `No id occurs twice in one answer with ${NOUN[operation]}.`),
    check: (trial: Trial) => judgeUnique(trial, operation),
  })),
  {
    ...demand('listSchedules', 'contact', 'The contact embedded in a schedule is the one that contactId names.'),
    check: (trial) => judgeEmbedded(trial, 'contact', 'contactId'),
  },
  {
    ...demand('listSchedules', 'user', 'The user embedded in a schedule is the one that userId names.'),
    check: (trial) => judgeEmbedded(trial, 'user', 'userId'),
  },
  {
    ...demand('listCampaigns', 'groups', 'The groups of a campaign name it as their campaign.'),
    check: judgeGroups,
  },
]

function demand(operation: ListOperation, name: string, title: string): Omit<Requirement, 'check'> {
  return {
    id: `${operation}.consistency.${name}`,
    level: 'implied',
    title,
    source: SECTION[operation],
    operations: [operation],
    turn: 'everything',
  }
}

async function judgeUnique(trial: Trial, operation: ListOperation): Promise<void> {
  await trial.list(operation)
  const seen = new Set<string>()
  for (const { record, exchange, pointer } of everyRecord(trial, operation)) {
    const id = idOf(record)
    if (id === undefined) continue
    trial.count('records')
    const key = `${exchange.number} ${id}`
    if (seen.has(key))
      trial.fail({
        message: `two ${NOUN[operation]} of one answer have the same id`,
        expected: 'an id that no other record of the answer has',
        received: id,
        exchange,
        pointer: `${pointer}/id`,
      })
    seen.add(key)
  }
  if (!trial.examined['records']) trial.notExercised(`It takes ${NOUN[operation]}; the target lists none.`)
}

async function judgeEmbedded(trial: Trial, member: 'contact' | 'user', reference: string): Promise<void> {
  await trial.list('listSchedules')
  for (const { record, exchange, pointer } of everyRecord(trial, 'listSchedules')) {
    const embedded = idOf(record[member])
    const named = record[reference]
    if (embedded === undefined || (typeof named !== 'string' && typeof named !== 'number')) continue
    trial.count('schedules')
    if (embedded !== String(named))
      trial.fail({
        message: `the embedded ${member} is not the one that ${reference} names`,
        expected: named,
        received: embedded,
        exchange,
        pointer: `${pointer}/${member}/id`,
      })
  }
  if (!trial.examined['schedules']) trial.notExercised(`It takes schedules that show both ${member} and ${reference}.`)
}

async function judgeGroups(trial: Trial): Promise<void> {
  await trial.list('listCampaigns')
  for (const { record, exchange, pointer } of everyRecord(trial, 'listCampaigns')) {
    const groups = Array.isArray(record['groups']) ? record['groups'] : []
    const ids = new Set<string>()
    groups.forEach((group: unknown, index) => {
      const { campaignId } = (group ?? {}) as { campaignId?: unknown }
      const place = { exchange, pointer: `${pointer}/groups/${index}` }
      if (campaignId !== undefined && idOf(record) !== undefined) {
        trial.count('groups')
        if (campaignId !== record['id'])
          trial.fail({
            message: 'a group names another campaign',
            expected: record['id'],
            received: campaignId,
            ...place,
          })
      }
      const id = idOf(group)
      if (id !== undefined && ids.has(id))
        trial.fail({
          message: 'a group occurs twice in a campaign',
          expected: 'an id of its own',
          received: id,
          ...place,
        })
      if (id !== undefined) ids.add(id)
    })
  }
  if (!trial.examined['groups']) trial.notExercised('It takes campaigns with groups that show campaignId.')
}

/** Every record of an operation in every answer that could be used, each with its place. */
export function everyRecord(trial: Trial, operation: OperationId, caller: 'main' | 'other' | 'any' = 'any'): Placed[] {
  const { listMember } = trial.session.contract.operation(operation)
  return trial.session.evidence.answers.flatMap(({ exchange, usable, body }) => {
    if (!usable || exchange.operation !== operation) return []
    if (caller !== 'any' && exchange.request.caller !== caller) return []
    const records = listMember === undefined ? [body] : ((body as Record<string, unknown>)[listMember] as unknown[])
    return records.flatMap((record, index) =>
      typeof record === 'object' && record !== null
        ? [
            {
              record: record as Record<string, unknown>,
              exchange,
              pointer: listMember === undefined ? '' : `/${listMember}/${index}`,
            },
          ]
        : [],
    )
  })
}
