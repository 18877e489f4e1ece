import { expect, test } from '@playwright/test'
import type { Deviation } from '../../fixtures/service/deviation.ts'
import { judgeEverything } from './judge-everything.ts'

/** Makes another value of one that an update is sent; a channel and a connection, by which a contact is addressed, stay. */
type Write = (value: unknown) => unknown

/** What an update makes of what it is sent, however often: nobody could put it back. */
const ALTERING: Readonly<Record<string, Write>> = {
  'flags that are on once they are sent': (value) => (typeof value === 'boolean' ? true : value),
  'flags that are the other way round': (value) => (typeof value === 'boolean' ? !value : value),
  'letters without their marks': (value) =>
    typeof value === 'string' ? value.normalize('NFD').replaceAll(/\p{M}/gu, '') : value,
  'escaped signs': (value) => (typeof value === 'string' ? value.replaceAll('&', '&amp;') : value),
  'texts of forty characters': (value) => (typeof value === 'string' ? value.slice(0, 40) : value),
}

const KEPT: ReadonlySet<string> = new Set(['channel', 'chatappId'])
const MOST_LEFT = 3

for (const [what, write] of Object.entries(ALTERING))
  test(`what an update alters for good is altered in few contacts: ${what}`, async () => {
    const { verdict, left } = await judgeEverything(
      () => () => undefined,
      {},
      {
        store: (_call, changes) =>
          Object.fromEntries(
            Object.entries(changes).map(([field, value]) => [field, KEPT.has(field) ? value : write(value)]),
          ),
      },
    )

    expect(verdict).toBe('broken')
    expect(left.length).toBeGreaterThan(0)
    expect(left.length, left.join('\n')).toBeLessThanOrEqual(MOST_LEFT)
  })

/** How a service loses what it is told to store. */
const LOSING: Readonly<Record<string, { readonly most: number; readonly store: NonNullable<Deviation['store']> }>> = {
  'an update is undone half a second later': {
    most: 10,
    store: ({ time }, changes, contact) => {
      const before = { ...contact }
      time.later(500, () => Object.assign(contact, before))
      return changes
    },
  },
  'an update deletes the contact': {
    most: MOST_LEFT,
    store: ({ state }, changes, contact) => {
      state.contacts.splice(state.contacts.indexOf(contact), 1)
      return changes
    },
  },
  'an update of a contact that is not active deletes it': {
    most: 5,
    store: ({ state }, changes, contact) => {
      if (changes.active === false) state.contacts.splice(state.contacts.indexOf(contact), 1)
      return changes
    },
  },
}

for (const [what, { most, store }] of Object.entries(LOSING))
  test(`what nobody can put back is told, contact by contact: ${what}`, async () => {
    const { verdict, left } = await judgeEverything(() => () => undefined, {}, { store })

    expect(verdict).toBe('broken')
    expect(left.length, left.join('\n')).toBeGreaterThan(1)
    expect(left.length, left.join('\n')).toBeLessThanOrEqual(most)
  })
