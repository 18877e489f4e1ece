import { existsSync, readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from '@playwright/test'
import type { Contact } from '../../fixtures/dataset/records.ts'
import { Changes } from '../engine/judging/changes.ts'
import { deviationOf } from './deviation-of.ts'
import { failures, judgeEverything } from './judge-everything.ts'
import { dataset } from './own-target.ts'

test('records of two companies by the same id are kept apart: each is put back as it was', () => {
  const changes = new Changes('http://service.invalid')
  const path = { contactId: '32' }
  changes.begin({ path, owner: 'main', stored: { name: 'Ana', isAdmin: true }, sent: { name: ['Bia'] } })
  changes.begin({ path, owner: 'other', stored: { name: 'Rui' }, sent: { number: [] } })
  changes.confirm({ path, owner: 'other' })
  expect(changes.open).toEqual([
    { path, owner: 'main', stored: { name: 'Ana', isAdmin: true }, sent: { name: ['Bia'] } },
    { path, owner: 'other', stored: { name: 'Rui' }, sent: { number: [] }, isLikely: true },
  ])
  changes.settle({ path, owner: 'main' })
  expect(changes.find({ path, owner: 'main' })).toBeUndefined()
  expect(changes.find({ path, owner: 'other' })?.stored).toEqual({ name: 'Rui' })
})

test('what updates changed beside what they name is noted once, and written together', async () => {
  const file = test.info().outputPath('journal.json')
  const changes = new Changes('http://service.invalid', file)
  const noted = { owner: 'main', stored: { name: 'Ana' }, isSideEffect: true, sent: { name: ['Bia'] } } as const
  for (let nth = 0; nth < 2000; nth++) changes.begin({ ...noted, path: { contactId: String(nth % 100) } })

  expect(existsSync(file)).toBe(false)
  await setImmediate()

  const journal = JSON.parse(readFileSync(file, 'utf8')) as { changes: unknown[] }
  expect(journal.changes).toHaveLength(100)
  expect(journal.changes[7]).toEqual({ ...noted, path: { contactId: '7' } })
  changes.begin({ path: { contactId: '7' }, owner: 'main', stored: { name: 'Ana' }, sent: { name: ['Eva'] } })
  expect(readFileSync(file, 'utf8')).toContain('Eva')
})

test('where ids are counted by company and the list is cut short, no contact is updated in place of the other company’s', async () => {
  const [own, others] = [true, false].map((isOwn) =>
    dataset.contacts.filter(({ companyId }) => (companyId === dataset.companyId) === isOwn),
  )
  const ownNames = new Set(own!.map(({ name }) => name))
  const theirs = new Set(others!.flatMap(({ name }) => (ownNames.has(name) ? [] : [name])))
  const taken: unknown[] = []
  const judged = await judgeEverything(
    () => () => undefined,
    { MAX_PAGES: '2' },
    deviationOf('ids-counted-by-company'),
    deviationOf('ordered-by-name'),
    {
      store: ({ companyId, state }, changes) => {
        if (companyId === state.companyId && theirs.has(changes.name ?? '')) taken.push(changes.name)
        return changes
      },
    },
  )

  expect(taken).toEqual([])
  expect(failures(judged)).toEqual([])
})

test('what updates change a moment later in the contacts that they name is put back, and told where it comes again', async () => {
  expect((await judgeLateUpdates(Infinity)).left.join()).toMatch(/utmContent .*changed again/)
  expect((await judgeLateUpdates(1)).left).toEqual([])
})

test('letters that one of several servers misreads are put back, and told', async () => {
  const misreading = deviationOf('update-reads-latin-1')
  let contacts: readonly Contact[] = []
  let updates = 0
  const judged = await judgeEverything(
    () =>
      ({ state }) => {
        contacts = state.contacts
        return undefined
      },
    {},
    {
      store: (call, changes, contact) => (updates++ % 3 === 1 ? misreading.store!(call, changes, contact) : changes),
    },
  )

  expect(judged.verdict).toBe('nonconformant')
  expect(contacts.map(({ id, name, utmTerms }) => ({ id, name, utmTerms }))).toEqual(
    dataset.contacts.map(({ id, name, utmTerms }) => ({ id, name, utmTerms })),
  )
})

/** Judges a service whose first updates of each contact change it once more, a moment later. @param times how many. */
function judgeLateUpdates(times: number) {
  const counts = new Map<string, number>()
  return judgeEverything(
    () => () => undefined,
    {},
    {
      store: ({ time }, changes, contact) => {
        const count = (counts.get(contact.id) ?? 0) + 1
        counts.set(contact.id, count)
        if (count <= times) time.later(900, () => Object.assign(contact, { utmContent: 'crm' }))
        return changes
      },
    },
  )
}
