import { writeFileSync } from 'node:fs'
import { expect, test } from '@playwright/test'
import { readDataset } from '../engine/data/dataset.ts'
import type { Result } from '../engine/judging/requirement.ts'
import { register } from '../requirements/register.ts'
import { contract, judgeService } from './judge-service.ts'
import { FIELDS_ASIDE, FIELDS_OBSERVED, lacking, LACKS, type Lack } from '../proving/poor-data.ts'

/**
 * Exactly the requirements of all levels whose sentences the data can't tell true from false, by the patterns of
 * `idsLike`, and what the reason of each must name.
 */
type Expectation = readonly [ids: string, says?: RegExp]

/** What can be told of a list that has no record. */
const TOLD_OF_NONE = `-list*.{answer,authentication}.* -list*.search.any-text -listTags.{tags.count,observed.has-more}
  -list*.observed.{refusal,success-status,scheme,error-shape,rate-limit-headers,version-headers,media-types}`
const ON_DATES = 'listContacts.{date.*,observed.{date-*,range-format},second-company.dates}'
const ON_GROUPS = 'CampaignGroup.* listCampaigns.consistency.groups listCampaigns.observed.group-*'
/** Whether there are pages at all, a data set tells that fits on one, with an empty page after it. */
const ON_PAGES_OF_CONTACTS = 'listContacts.{date.pages,date.search-pages,search.pages,observed.page-size}'
const ON_MORE_THAN_A_TOKEN =
  'updateContact.* ContactUpdateAnswer.* *.known.* *.{isolation,second-company}.* -*.isolation.one-company'
const A_FIELD = /^Needs an? \w+ that has \w+; (none of [1-9]\d* seen had it|no \w+ was seen)\.$/

const EXPECTED: Readonly<Record<Lack, Expectation>> = {
  'everything there': [''],

  'tickets of one status': ['listTickets.filter.{status-*,all}', /status/],
  'no closed ticket': ['listTickets.filter.status-closed', /closed/],
  // One that doesn't say is not known to be left out rightly.
  'tickets that are open or do not say': ['listTickets.filter.{status-*,all}', /status/],
  'tickets without a status': ['Ticket.status listTickets.filter.{status-*,all}', /status/],
  'tickets of one user': ['listTickets.filter.{userId,all}', /userId/],
  // The only name is found with everything, and a message with what may be kept apart from the rest.
  'tickets of one contact': ['listTickets.filter.{contactId,all}', /contactId/],
  'tickets of one connection': ['listTickets.filter.{chatappId,all}', /chatappId/],
  'tickets of one queue': ['listTickets.filter.{queueId,all}', /queueId/],
  // One in no queue is known to be left out rightly, but by no other filter together with that of the queue.
  'tickets of one queue or of none': ['listTickets.filter.all', /queueId/],
  'tickets in no queue': ['listTickets.filter.{queueId,all}', /queueId/],
  // Of two filters together, each must be seen to hold.
  'tickets that differ in their users alone': [
    'listTickets.filter.{status-*,queueId,contactId,chatappId,two,three,all}',
    /status|queueId|contactId|chatappId|search/,
  ],
  'tickets that no filter tells apart': [
    'listTickets.filter.* -listTickets.filter.{*-unmatched,one-request} listTickets.known.filters',
    /ticket/,
  ],
  'one ticket': [
    'listTickets.filter.* -listTickets.filter.{*-unmatched,one-request} listTickets.known.filters listTickets.observed.order',
    /ticket/,
  ],
  // A search for its last message may find it, and need not.
  'tickets without a contact': [
    'Ticket.contactId listTickets.{filter.contactId,filter.all,search.finds,second-company.search}',
    /contact/,
  ],
  'no tickets': [`listTickets.* ${TOLD_OF_NONE} Ticket.* Schedule.ticketId`, /ticket/i],

  'one full page of contacts': ['listContacts.observed.page-size', /page/],
  'one contact more than a page': ['listContacts.date.{pages,search-pages}', /page/],
  'one contact': [
    `${ON_PAGES_OF_CONTACTS} -listContacts.search.pages ${ON_DATES} listContacts.observed.order updateContact.update.{active,isGroup,channel,chatappId,lasts,no-other}
      list{Tickets,Schedules}.filter.contactId listTickets.filter.all
      listSchedules.{filter.two,consistency.contact-fields}`,
    /contact|search/,
  ],
  'contacts created on one day': [ON_DATES, /created/],
  'contacts created on two days, a year apart': ['listContacts.date.search-pages', /created/],
  'contacts that do not say when they were created': [
    `Contact.createdAt listContacts.observed.created-at ${ON_DATES}`,
    /createdAt/,
  ],
  'contacts whose creation cannot be read': [ON_DATES, /createdAt/],
  'contacts created in one second': [ON_DATES, /created/],
  'contacts whose names have digits': [''],
  'contacts whose names are digits': [''],
  'names with a syllable that has its accent apart in some': [''],
  'contacts without a name': [
    `Contact.name updateContact.update.{name,found} updateContact.observed.{merge-or-replace,required-fields}
      list{Contacts,Tickets,Schedules}.{search.finds,second-company.search}`,
    /name|text/,
  ],
  'contacts of one channel and one connection': ['updateContact.update.{channel,chatappId}', /channel|chatappId/],
  'contacts of one channel and several connections': ['updateContact.update.channel', /channel/],
  'contacts of several channels and one connection': ['updateContact.update.chatappId', /chatappId/],
  'contacts without e-mail address, UTM terms and isOpen': [
    '{Contact,updateContact.update}.{email,utmTerms,isOpen}',
    /email|utmTerms|isOpen/,
  ],
  'no contacts': [
    `listContacts.* ${TOLD_OF_NONE} updateContact.* ContactUpdateAnswer.* Contact.*
      Ticket.contactId listTickets.{filter.contactId,filter.all,search.finds,second-company.search}
      Schedule.contact* listSchedules.{filter.contactId,filter.two,search.{finds,pages},consistency.contact*,second-company.search}
      {listTags,getTag}.consistency.contacts`,
    /contact|a success/i,
  ],

  'one full page of schedules': ['listSchedules.observed.page-size', /page/],
  'schedules of one contact': [
    'listSchedules.{filter.contactId,filter.two,consistency.contact-fields}',
    /contact|search/,
  ],
  'schedules of one user': ['listSchedules.filter.{userId,two}', /userId/],
  'schedules of one contact and one user': [
    'listSchedules.{filter.{contactId,userId,two,with-search,search-pages},consistency.contact-fields,known.filters}',
    /schedules/,
  ],
  'schedules of one contact, half of them without it inside': [
    'listSchedules.{filter.contactId,filter.two,consistency.contact-fields}',
    /contact/,
  ],
  'schedules without their contacts inside': [
    'Schedule.contact listSchedules.{search.{finds,pages},consistency.contact*,second-company.search} updateContact.*.embedded-by-listSchedules',
    /contact/,
  ],
  'schedules without a contact': [
    `Schedule.contact* listSchedules.{filter.{contactId,two},search.{finds,pages},consistency.contact*,second-company.search}
      updateContact.*.embedded-by-listSchedules`,
    /contact/,
  ],
  'schedules without their users inside': ['Schedule.user ScheduleUser.* listSchedules.consistency.user', /user/i],
  'no schedules': [
    `listSchedules.* ${TOLD_OF_NONE} Schedule.* FlowItem.* ScheduleUser.* updateContact.*.embedded-by-listSchedules`,
    /schedule|FlowItem/i,
  ],

  'no tags': [`listTags.* ${TOLD_OF_NONE} getTag.* Tag.* updateContact.*.embedded-by-{listTags,getTag}`, /tag/i],
  'campaigns with empty lists of groups': [ON_GROUPS, /group|initialMembers|settings|logs/i],
  'groups that do not name their campaigns': [
    'CampaignGroup.campaignId listCampaigns.consistency.groups',
    /campaignId/,
  ],
  'no campaigns': [`listCampaigns.* ${TOLD_OF_NONE} Campaign.* CampaignGroup.*`, /campaign/i],
  'campaigns of the second company alone': [
    'listCampaigns.{known,observed}.* -listCampaigns.observed.refusal',
    /campaigns/i,
  ],

  'no field that nothing looks at but the requirement of its type': [FIELDS_ASIDE, A_FIELD],
  'no field that only an observation looks at too': [
    `${FIELDS_OBSERVED} listTickets.observed.{order-values,channels,created-at}
      listSchedules.observed.{status-values,delay,created-at} listCampaigns.observed.{created-at,group-*}`,
  ],

  'a second company with contacts alone': [
    '*.{isolation,second-company}.* -*.isolation.one-company -{listContacts,updateContact}.*',
    /second company/,
  ],
  'no second company': ['*.{isolation,second-company}.* -*.isolation.one-company', /second company/],
  'a second company alone': [
    `list*.* ${TOLD_OF_NONE} -list*.consistency.{unique-ids,past,contact,user,groups} -listCampaigns.campaigns.groups
      getTag.* -getTag.answer.* -getTag.observed.success-status -list*.second-company.* -getTag.second-company.*
      updateContact.* -*.isolation.{lists,search,filter,by-id} ContactUpdateAnswer.* listContacts.second-company.dates`,
  ],
  'nothing at all': [`* ${TOLD_OF_NONE} -*List.*`],
}

interface Given {
  readonly token?: string
  readonly maxPages?: string
  /** No data set, no second company and no leave to write. */
  readonly nothingElse?: true
}

/** Runs that aren't given everything. */
const RUNS: readonly (readonly [what: string, lack: Lack, given: Given, ...expected: Expectation])[] = [
  ['nothing but a token', 'everything there', { nothingElse: true }, ON_MORE_THAN_A_TOKEN],
  [
    'one full page of contacts and nothing but a token',
    'one full page of contacts',
    { nothingElse: true },
    `listContacts.paging.* ${ON_PAGES_OF_CONTACTS} ${ON_MORE_THAN_A_TOKEN}`,
  ],
  [
    'a token without letters',
    'everything there',
    { token: '7316894502713369' },
    // On the list of tags, it is the second company's that is changed.
    '{updateContact,getTag,list{Contacts,Schedules,Tickets,Campaigns}}.authentication.other-case',
    /letters/,
  ],
  [
    'more pages than MAX_PAGES',
    'everything there',
    { maxPages: '2' },
    `list{Contacts,Schedules}.{paging.reach,known.{found,nothing-else},filter.part-of-list,observed.{past-the-end,hidden-scope}}
      listContacts.date.{with-search,search-pages} listSchedules.filter.search-pages
      list{Contacts,Schedules}.{search.pages,second-company.known}`,
    /MAX_PAGES/,
  ],
]

const SIGNS: Readonly<Record<string, string>> = { '{': '(', ',': '|', '}': ')' }

const requirements = register(contract)

for (const lack of LACKS) {
  const [ids, says] = EXPECTED[lack]
  test(`with ${lack}, exactly what needs more is not exercised`, () => expectUnexercised(lack, {}, ids, says))
}

for (const [what, lack, given, ids, says] of RUNS)
  test(`with ${what}, exactly what needs more is not exercised`, () => expectUnexercised(lack, given, ids, says))

async function expectUnexercised(lack: Lack, given: Given, ids: string, says = /^/): Promise<void> {
  const results = await run(lack, given)
  const others = results.filter(({ outcome }) => outcome !== 'passed')
  const poor = others.filter(({ reason = '' }) => !/^Needs \S.*\.$/.test(reason) || !says.test(reason))

  expect
    .soft(Object.fromEntries(others.map(({ requirement, outcome }) => [requirement.id, outcome])))
    .toEqual(Object.fromEntries(idsLike(ids).map((id) => [id, 'not exercised'])))
  expect(
    poor.map(({ requirement, reason }) => `${requirement.id}: ${reason}`),
    'reasons that do not name what is missing',
  ).toEqual([])
}

/** Judges the reference service, loaded with data that lacks something. */
async function run(lack: Lack, { token, maxPages, nothingElse }: Given): Promise<readonly Result[]> {
  const data = lacking(lack)
  const file = test.info().outputPath('dataset.json')
  writeFileSync(file, JSON.stringify(data))
  const dataset = readDataset(contract, 'DATASET', file)
  const options = { dataset: data, ...(token !== undefined && { companyToken: token }) }
  const given = nothingElse ? {} : ({ mode: 'everything', dataset } as const)
  return (await judgeService(options, requirements, { ...given, maxPages })).results
}

/**
 * The ids of the requirements that patterns name, of which each must name one: `*` is any text, `{one,another}` a
 * choice, and `-` takes away what the patterns before it named.
 */
function idsLike(patterns: string): readonly string[] {
  let named: readonly string[] = []
  for (const [, minus, pattern] of patterns.matchAll(/(?<=^|\s)(-?)(\S+)/g)) {
    const source = pattern!
      .replaceAll('.', '\\.')
      .replaceAll('*', '.*')
      .replaceAll(/[{,}]/g, (sign) => SIGNS[sign]!)
    const regExp = new RegExp(`^${source}$`)
    const like = requirements.map(({ id }) => id).filter((id) => regExp.test(id))
    expect(like, `${pattern} names no requirement`).not.toEqual([])
    named = minus === '-' ? named.filter((id) => !like.includes(id)) : [...named, ...like]
  }
  return named
}
