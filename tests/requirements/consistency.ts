import { COMPANIES } from '../engine/http/credentials.ts'
import { everyRecord, recordsInside, type Placed } from '../engine/data/every-record.ts'
import type { Exchange } from '../engine/http/exchange.ts'
import { asText, idOf, type ListOperation } from '../engine/data/records.ts'
import type { Requirement } from '../engine/judging/requirement.ts'
import type { Trial } from '../engine/judging/trial.ts'
import { judgeEmbedded, judgeNamesOfUsers } from './checks/lists/embedded-as-listed.ts'
import { judgeContactFields, judgeContactsOfTags, judgeTimesOfContacts } from './checks/lists/embedded-contacts.ts'
import { pairing } from './checks/known-data/pairing.ts'
import { judgePast } from './checks/times.ts'
import { implied } from './implied.ts'
import { LISTS, PLURAL } from './operations.ts'

const REVIEW = { phase: 'review' } as const

/** What records say of each other, in every answer of the run. */
export const consistency: readonly Requirement[] = [
  ...LISTS.flatMap((operation) => [
    implied(
      operation,
      'consistency.unique-ids',
      `No id occurs twice in one answer with ${PLURAL[operation]}, nor inside one of them.`,
      (trial) => judgeUnique(trial, operation),
      REVIEW,
    ),
    implied(
      operation,
      'consistency.past',
      `What has happened to ${PLURAL[operation]} did not happen in the future, nor at the zero of a calendar, and each was created once, before it was updated.`,
      (trial) => judgePast(trial, operation),
      REVIEW,
    ),
  ]),
  implied(
    'listSchedules',
    'consistency.contact',
    'The contact embedded in a schedule is the one that contactId names, with its own timestamps.',
    async (trial) => {
      await judgeEmbedded(trial, 'contact', 'contactId')
      await judgeTimesOfContacts(trial, 'listSchedules')
    },
    REVIEW,
  ),
  {
    ...implied(
      'listSchedules',
      'consistency.contact-fields',
      'The contact embedded in a schedule has the same fields as the contact in its list.',
      judgeContactFields,
      REVIEW,
    ),
    level: 'stated',
  },
  implied(
    'listSchedules',
    'consistency.user',
    'The user embedded in a schedule is the one that userId names, with a name of their own.',
    async (trial) => {
      await judgeNamesOfUsers(trial)
      await judgeEmbedded(trial, 'user', 'userId')
    },
    REVIEW,
  ),
  ...(['listTags', 'getTag'] as const).map((operation) =>
    implied(
      operation,
      'consistency.contacts',
      'The contacts of a tag are those of the list of contacts, with their values and their own timestamps.',
      (trial) => judgeContactsOfTags(trial, operation),
      REVIEW,
    ),
  ),
  implied(
    'listCampaigns',
    'consistency.groups',
    'The groups of a campaign name it as their campaign.',
    judgeGroups,
    REVIEW,
  ),
  {
    ...implied(
      'listCampaigns',
      'campaigns.groups',
      'Each campaign comes with its groups.',
      judgeCampaignsWithGroups,
      REVIEW,
    ),
    level: 'stated',
  },
]

async function judgeUnique(trial: Trial, operation: ListOperation): Promise<void> {
  await trial.list(operation)
  const byAnswer = new Map<Exchange, Placed[]>()
  for (const placed of everyRecord(trial, operation)) {
    const others = byAnswer.get(placed.exchange)
    if (others) others.push(placed)
    else byAnswer.set(placed.exchange, [placed])
  }
  for (const [exchange, placed] of byAnswer) {
    judgeUniqueAmong(trial, `two ${PLURAL[operation]} of one answer have the same id`, exchange, placed)
    for (const { record, pointer } of placed)
      for (const member of ['contacts', 'groups'])
        judgeUniqueAmong(
          trial,
          `two ${member} of one record have the same id`,
          exchange,
          recordsInside(record, member, pointer),
        )
  }
  if (!trial.examined['records']) trial.notExercised(`Needs ${PLURAL[operation]} that show their ids.`)
}

function judgeUniqueAmong(
  trial: Trial,
  message: string,
  exchange: Exchange,
  placed: readonly Omit<Placed, 'exchange'>[],
): void {
  const seen = new Set<string>()
  for (const { record, pointer } of placed) {
    const id = idOf(record)
    if (id === undefined) continue
    trial.count('records')
    if (seen.has(id))
      trial.fail({ message, expected: 'an id that no other has', received: id, exchange, pointer: `${pointer}/id` })
    seen.add(id)
  }
}

async function judgeGroups(trial: Trial): Promise<void> {
  await trial.list('listCampaigns')
  for (const { record, exchange, pointer } of everyRecord(trial, 'listCampaigns'))
    for (const group of recordsInside(record, 'groups', pointer)) {
      const campaignId = asText(group.record['campaignId'])
      if (campaignId === undefined || idOf(record) === undefined) continue
      trial.count('groups')
      if (campaignId !== idOf(record))
        trial.fail({
          message: 'a group names another campaign',
          expected: record['id'],
          received: campaignId,
          exchange,
          pointer: `${group.pointer}/campaignId`,
        })
    }
  if (!trial.examined['groups']) trial.notExercised('Needs campaigns with groups that show campaignId.')
}

/** Where another company's show their groups, fewer may have none yet, which a target may leave out. */
const CAMPAIGNS_WITHOUT = 3

function showsGroups({ record }: Placed): boolean {
  return 'groups' in record
}

/** Which campaigns have groups the data set tells; without it, where none shows any, the list leaves them out. */
async function judgeCampaignsWithGroups(trial: Trial): Promise<void> {
  await trial.list('listCampaigns')
  const areShown = everyRecord(trial, 'listCampaigns').some(showsGroups)
  for (const company of COMPANIES) {
    const campaigns = everyRecord(trial, 'listCampaigns', company)
    const [first] = campaigns
    const areFew = new Set(campaigns.map(({ record }) => idOf(record))).size < CAMPAIGNS_WITHOUT
    if (!first) continue
    trial.count('campaigns', campaigns.length)
    if (!campaigns.some(showsGroups) && !(areShown && areFew))
      trial.fail({
        message: 'campaigns came without their groups',
        expected: 'the member groups',
        received: undefined,
        exchange: first.exchange,
        pointer: first.pointer,
        occurrences: campaigns.length,
      })
  }
  if (!trial.examined['campaigns']) return trial.notExercised('Needs campaigns; the target lists none.')
  if (!trial.session.dataset || trial.findings.length > 0) return
  for (const { known, listed } of (await pairing(trial)).matches.listCampaigns.pairs)
    if (listed && listed.value.groups === undefined && known.groups && known.groups.length > 0)
      trial.fail({
        message: 'a campaign came without its groups',
        expected: `the ${known.groups.length} group(s) that the campaign was loaded with`,
        received: undefined,
        exchange: listed.exchange,
        pointer: `${listed.pointer}/groups`,
      })
}
