/** A requirement, and what it takes for granted. `@` is the operation that its id begins with, `*` anything, `{a,b}` a choice. */
type Dependency = readonly [requirement: string, ...needed: readonly string[]]

/** Answers that can be read, with one company's records, and pages that bring each record once. */
const LIST = ['@.answer.*', '@.isolation.*', '@.paging.*', '@.consistency.unique-ids', '@.known.found']
/** Such a list, and records with the values that they have: what is asked for by other values does not find them. */
const RECORDS = [...LIST, '@.known.values']
const SIMPLE_FILTERS = '@.filter.{status,userId,queueId,contactId,chatappId}*'
const ANY_LIST_CHECK = '@.{answer,isolation,paging,consistency,search,filter,date,tags,campaigns}.*'

/**
 * Which requirements rest on which others: where both failed, mending the others mends both, as a rule. Of several
 * that failed, the first counts; of several lines that name a requirement, the first, too.
 */
const DEPENDENCIES: readonly Dependency[] = [
  ['getTag.isolation.by-id', '@.answer.*', '@.tags.unknown'],
  [
    'getTag.tags.*',
    '@.{answer.*,isolation.one-company}',
    'listTags.{answer.*,isolation.*,consistency.unique-ids,known.nothing-else}',
  ],
  ['getTag.second-company.*', ANY_LIST_CHECK, '@.known.*', 'listTags.*'],
  ['updateContact.isolation.*', '@.answer.*', '@.update.unknown-id'],
  [
    'updateContact.update.same-contact',
    '@.answer.*',
    'listContacts.{answer.*,date.range,date.day-ranges,date.start-alone,date.end-alone}',
  ],
  ['updateContact.update.no-other', '@.{answer.*,isolation.update}', 'listContacts.answer.*'],
  ['updateContact.update.found', '@.answer.*', 'listContacts.{answer.*,search.finds}'],
  [
    'updateContact.second-company.*',
    '@.{answer,update}.*',
    'listContacts.answer.*',
    '{listContacts,listSchedules,listTags,getTag}.known.values',
  ],
  ['updateContact.update.*', '@.answer.*', 'listContacts.answer.*'],
  ['*.isolation.*', '@.answer.*', '@.isolation.one-company'],
  ['*.paging.*', '@.answer.*', '@.consistency.unique-ids', '@.paging.{disjoint,effect,reach}'],
  ['*.search.pages', ...RECORDS, '@.search.{finds,nothing}'],
  [
    '*.{filter,date}.search-pages',
    ...RECORDS,
    SIMPLE_FILTERS,
    '@.search.*',
    '@.date.{date,range,start-alone,end-alone,pages,with-search}',
    '@.filter.with-search',
  ],
  ['*.search.*', ...RECORDS, '@.search.nothing'],
  ['*.filter.{with-search,part-of-list}', ...RECORDS, SIMPLE_FILTERS, '@.search.*', '@.date.*'],
  ['*.filter.{two,three,all}', ...RECORDS, SIMPLE_FILTERS],
  ['*.filter.*', ...RECORDS, '@.consistency.{contact,user}'],
  ['*.date.*with-search', ...RECORDS, '@.search.*', '@.date.{date,range,start-alone,end-alone}'],
  ['*.date.*', ...RECORDS, '@.search.{finds,nothing}'],
  ['*.consistency.contact', '@.answer.*', '@.isolation.*', 'updateContact.update.same-contact'],
  ['*.{consistency,campaigns}.*', '@.answer.*', '@.isolation.*'],
  ['*.known.{found,nothing-else}', ...LIST],
  ['*.known.values', '@.{answer,isolation,paging,consistency,tags,campaigns}.*', '@.known.{found,nothing-else}'],
  ['*.known.*', ANY_LIST_CHECK, '@.known.{found,nothing-else}'],
  ['*.second-company.{filters,search,dates}', ANY_LIST_CHECK, '@.known.*', '@.second-company.known'],
  ['*.second-company.*', ANY_LIST_CHECK, '@.known.*'],
]

const patternsOf = new Map<string, readonly RegExp[]>()

/** Tells what a requirement rests on, as patterns of ids, the most telling first; none where it stands by itself. */
export function restsOn(id: string): readonly RegExp[] {
  const known = patternsOf.get(id)
  if (known) return known
  const [operation] = id.split('.')
  const [, ...needed] = DEPENDENCIES.find(([requirement]) => pattern(requirement).test(id)) ?? []
  const patterns = needed.map((one) => pattern(one.replace('@', operation!)))
  patternsOf.set(id, patterns)
  return patterns
}

const SIGNS: Readonly<Record<string, string>> = { '.': '\\.', '*': '.*', '{': '(', ',': '|', '}': ')' }

function pattern(glob: string): RegExp {
  return new RegExp(`^${glob.replaceAll(/[.*{,}]/g, (sign) => SIGNS[sign]!)}$`)
}
