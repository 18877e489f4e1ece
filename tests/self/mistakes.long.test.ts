import { expect } from '@playwright/test'
import type { Deviation } from '../../fixtures/service/deviation.ts'
import type { Reply } from '../../fixtures/service/answer.ts'
import { reportOf } from './child-run.ts'
import { DATASET_FILE, test } from './own-target.ts'

const BROKEN = 3

/** The data of somebody else: other ids, and nothing by which a record of the published data set could be known. */
const OTHER_DATA: Deviation = {
  load: (dataset) => {
    for (const records of [dataset.contacts, dataset.tickets, dataset.schedules, dataset.tags, dataset.campaigns])
      for (const [index, record] of records.entries()) record.id = `other-${index}`
    for (const [index, contact] of dataset.contacts.entries()) contact.number = `4420794${100_000 + index}`
    for (const [index, ticket] of dataset.tickets.entries()) ticket.lastMessage = `Message ${index}`
    for (const { flow } of dataset.schedules) for (const [index, item] of flow.entries()) item.content = `Text ${index}`
    for (const [index, record] of [...dataset.tags, ...dataset.campaigns].entries()) record.name = `Name ${index}`
  },
}

function answering(reply: Reply): Deviation {
  return { arrive: () => reply }
}

const PAGE: Reply = {
  status: 200,
  headers: { 'content-type': 'text/html' },
  body: '<!doctype html><title>Log in</title>',
}

interface Mistake {
  readonly deviations?: readonly Deviation[]
  /** Where below the target's address BASE_URL points. */
  readonly path?: string
  readonly settings?: (tokens: { readonly main: string; readonly other: string }) => Readonly<Record<string, string>>
  readonly says: RegExp
}

const LOADED = { DATASET: DATASET_FILE }
const MISTAKES: Readonly<Record<string, Mistake>> = {
  'a data set that was not loaded': {
    deviations: [OTHER_DATA],
    settings: () => LOADED,
    says: /^DATASET names a data set that the target does not seem to have been loaded with: none of its records is in any list; load it, or unset DATASET\.$/m,
  },
  'tokens that were exchanged': {
    settings: ({ main, other }) => ({ ...LOADED, ACCESS_TOKEN: other, OTHER_ACCESS_TOKEN: main }),
    says: /^ACCESS_TOKEN lists the records of .* and OTHER_ACCESS_TOKEN those of companyId; exchange the two tokens\.$/m,
  },
  'the token of the other company': {
    settings: ({ other }) => ({ ...LOADED, ACCESS_TOKEN: other }),
    says: /^ACCESS_TOKEN lists the records of the data set's otherCompanyId and none of its companyId; give the token of companyId\.$/m,
  },
  'a page at every address': {
    deviations: [answering(PAGE)],
    says: /^BASE_URL \S+ answers with a page of HTML where the interface has its lists, .*; give the address of the API\.$/m,
  },
  'an error at every address': {
    deviations: [answering({ status: 500, headers: {}, body: 'something went wrong' })],
    says: /^BASE_URL \S+ answers nothing but errors \(status 500\); check that the service behind it is up\.$/m,
  },
  'an outage that does not end': {
    deviations: [answering({ status: 503, headers: {}, body: '' })],
    says: /^BASE_URL \S+ answers nothing but errors \(status 503\); check that the service behind it is up\.$/m,
  },
  'an answer longer than is read at every address': {
    deviations: [answering({ status: 200, headers: {}, body: ' '.repeat(17 * 2 ** 20) })],
    says: /^BASE_URL \S+ gives an answer of more than 16 MB to each list, .*; judge a workspace with fewer records\.$/m,
  },
  'an address that ends with /api': {
    path: '/api',
    says: /^BASE_URL \S+\/api answers 404 .*; leave out \/api, with which the interface's own paths begin\.$/m,
  },
}

for (const [what, { deviations, path = '', settings, says }] of Object.entries(MISTAKES))
  test(`${what} is told in a sentence, and nothing is judged`, async ({ run, target }) => {
    const { url, accessToken, otherAccessToken } = await target(deviations ? { deviations } : {})

    const finished = await run({
      BASE_URL: url + path,
      ACCESS_TOKEN: accessToken,
      // A share of it is waited for a target that may be restarting.
      MAX_DURATION_S: '40',
      ...settings?.({ main: accessToken, other: otherAccessToken }),
    })

    expect(finished.output).toMatch(says)
    expect(finished.exitCode).toBe(BROKEN)
    expect(finished.seconds).toBeLessThan(15)
    expect(reportOf(finished)).toMatchObject({ verdict: 'broken', totals: { passed: 0, failed: 0 } })
  })

test('an outage that ends is waited out', async ({ run, target }) => {
  const down = performance.now() + 8000
  const { settings } = await target({
    deviations: [{ arrive: () => (performance.now() < down ? { status: 503, headers: {}, body: '' } : undefined) }],
  })

  const finished = await run(settings, ['tags'])

  expect(finished.exitCode).toBe(0)
  expect(reportOf(finished).verdict).toBe('incomplete')
})
