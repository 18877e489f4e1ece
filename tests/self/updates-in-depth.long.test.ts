import { isDeepStrictEqual } from 'node:util'
import { expect, test } from '@playwright/test'
import type { Contact } from '../../fixtures/dataset/records.ts'
import { variants } from '../../fixtures/faults/index.ts'
import type { Reply } from '../../fixtures/service/answer.ts'
import type { Deviation } from '../../fixtures/service/deviation.ts'
import { Refusal } from '../../fixtures/service/refusal.ts'
import type { State } from '../../fixtures/service/state.ts'
import { ACCESS_TOKEN, OTHER_ACCESS_TOKEN } from '../../fixtures/service/tokens.ts'
import { updatesInDepth } from '../certification/updates-in-depth.ts'
import { conformance } from '../engine/judging/conformance.ts'
import { Contract } from '../engine/contract.ts'
import type { Requirement, Result } from '../engine/judging/requirement.ts'
import { readRunSettings } from '../engine/settings/settings.ts'
import { begin } from '../requirements/beginning.ts'
import { register } from '../requirements/register.ts'
import { leaveAsItWas } from '../requirements/restoration/restoration.ts'
import { deviationOf } from './deviation-of.ts'
import { simulatedTarget, type SimulatedTarget } from './simulated-target.ts'

const contract = new Contract()

interface Judged {
  readonly outcomes: Readonly<Record<string, Result['outcome']>>
  /** The names of the requirements that failed, or broke. */
  readonly wrong: readonly string[]
  /** Messages of findings. */
  readonly messages: readonly string[]
  readonly examined: Readonly<Record<string, number>>
  /** Bodies of all updates. */
  readonly sent: readonly string[]
  /** What could not be put back, and whether the service's contacts are as they were. */
  readonly left: readonly string[]
  readonly isPutBack: boolean
  /** Ids of the contacts that are not. */
  readonly changed: readonly string[]
}

async function judgeInDepth(
  deviations: readonly Deviation[],
  requirements: readonly Requirement[] = updatesInDepth,
  seed = '1',
): Promise<Judged> {
  const settings = readRunSettings({ SEED: seed })
  const { service, target, way } = simulatedTarget(settings, () => deviations)
  const before = await contactsOf(service)
  const { results, left, session } = await conformance(target, settings, contract, requirements, {
    begin,
    restore: leaveAsItWas,
    ...way,
  })
  const after = await contactsOf(service)
  const changed = before.flatMap((contact, at) => (isDeepStrictEqual(contact, after[at]) ? [] : contact.id))
  const outcomes = results.map(({ requirement, outcome }) => [requirement.id.split('.').at(-1)!, outcome] as const)
  return {
    outcomes: Object.fromEntries(outcomes),
    wrong: outcomes.flatMap(([name, outcome]) => (outcome === 'failed' || outcome === 'broken' ? [name] : [])),
    messages: results.flatMap(({ findings }) => findings.map(({ message }) => message)),
    sent: session.evidence.exchanges.flatMap(({ request }) => request.body ?? []),
    examined: Object.assign({}, ...results.map(({ examined }) => examined)) as Record<string, number>,
    left,
    isPutBack: changed.length === 0,
    changed,
  }
}

/** Both companies' contacts on all pages, but for when they were updated. */
async function contactsOf(service: SimulatedTarget['service']): Promise<Pick<Contact, 'id'>[]> {
  const places = [ACCESS_TOKEN, OTHER_ACCESS_TOKEN].flatMap((token) =>
    Array.from({ length: 8 }, (_, index) => ({ token, page: index + 1 })),
  )
  const pages = await Promise.all(
    places.map(async ({ token, page }) => {
      const headers = { authorization: `Bearer ${token}` }
      const asked = new Request(`http://service.invalid/api/contacts?pageNumber=${page}`, { headers })
      let body: Reply['body'] = ''
      await service.fetch(asked, { take: (reply) => (body = reply.body) })
      return (JSON.parse(Buffer.from(body).toString()) as { contacts: Contact[] }).contacts
    }),
  )
  return pages.flat().map((contact) => ({ ...contact, updatedAt: undefined }))
}

/** Stores texts otherwise than they were sent. */
function storing(change: (text: string, field: string) => unknown): Deviation {
  return {
    store: (_call, changes) =>
      Object.fromEntries(
        Object.entries(changes).map(([field, value]) => [
          field,
          typeof value === 'string' ? change(value, field) : value,
        ]),
      ),
  }
}

/** Refuses updates with certain texts, once they have changed something. */
function refusing(
  isRefused: (text: string) => boolean,
  change: (contact: Contact, body: Readonly<Record<string, unknown>>) => void = () => undefined,
): Deviation {
  return {
    checks: (_call, checks) => [
      ...checks,
      (_now, body, contact) => {
        if (!Object.values(body).some((value) => typeof value === 'string' && isRefused(value))) return
        change(contact, body)
        throw new Refusal(422, 'INVALID', 'a text is not allowed')
      },
    ],
  }
}

function isMarkup(text: string): boolean {
  return text.includes('<')
}

/** Forgets which update is whose where one comes while another is being stored. */
function mixing(): Deviation {
  let inFlight: Record<string, unknown> = {}
  return {
    arrive: async ({ operation, request }) => {
      if (operation === 'updateContact') {
        inFlight = (await request.clone().json()) as Record<string, unknown>
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
      return undefined
    },
    store: (_call, changes) => ({
      ...changes,
      ...(typeof inFlight['name'] === 'string' && { name: inFlight['name'] }),
    }),
  }
}

/** Fails now and then where several updates come at the same time, as a database of one file does. */
function colliding(): Deviation {
  let inFlight = 0
  let collisions = 0
  return {
    arrive: async () => {
      inFlight++
      await new Promise((resolve) => setTimeout(resolve, 1))
      if (--inFlight > 0) collisions++
      return undefined
    },
    checks: (_call, checks) => {
      if (inFlight > 0 && collisions % 10 === 0) throw new Refusal(500, 'INTERNAL', 'the database is locked')
      return checks
    },
  }
}

/** Lets a job come by three seconds after each update, which knows the contact as it was before. */
function later(job: (contact: Contact, before: Contact, state: State) => void): Deviation {
  return {
    store: ({ state, time }, changes, contact) => {
      const before = { ...contact }
      time.later(3000, () => job(contact, before, state))
      return changes
    },
  }
}

const FAULTS: Readonly<Record<string, readonly [requirement: string, deviation: Deviation]>> = {
  'cuts texts after 60 characters': ['read-back', storing((text) => text.slice(0, 60))],
  'drops line breaks': ['read-back', storing((text) => text.replaceAll(/[\r\n]/g, ''))],
  'drops backslashes': ['read-back', storing((text) => text.replaceAll('\\', ''))],
  'keeps the basic plane alone': ['read-back', storing((text) => text.replaceAll(/[\u{10000}-\u{10FFFF}]/gu, '?'))],
  'decodes percent signs': ['read-back', storing((text) => text.replaceAll('%41', 'A'))],
  'escapes markup': ['read-back', storing((text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'))],
  'stores the word null as nothing': [
    'read-back',
    storing((text) => (text === 'null' ? 'none' : text.replaceAll('null', ''))),
  ],
  'carries out what it refuses': ['read-back', refusing(isMarkup, (contact, body) => Object.assign(contact, body))],
  'loses another text where it refuses one': [
    'read-back',
    refusing(isMarkup, (contact) => Object.assign(contact, { utmTerms: 'lost' })),
  ],
  'stores the beginning of a text that it refuses': [
    'read-back',
    refusing(isMarkup, (contact, body) => {
      if (typeof body['name'] === 'string') contact.name = body['name'].split('<')[0]!
    }),
  ],
  'adds to what it is sent again': [
    'repeated',
    {
      store: (_call, changes, contact) =>
        changes.utmTerms !== undefined && changes.utmTerms === contact.utmTerms && /[<"\\]/.test(changes.utmTerms)
          ? { ...changes, utmTerms: `${changes.utmTerms}!` }
          : changes,
    },
  ],
  'mixes updates that come at the same time': ['apart', mixing()],
  'undoes an update three seconds later, whatever has come since': [
    'lasting',
    later((contact, before) => Object.assign(contact, { utmTerms: before.utmTerms })),
  ],
  'copies what is updated to the next contact, three seconds later': [
    'lasting',
    later((contact, _before, { contacts }) => {
      const next = contacts[contacts.indexOf(contact) + 1]
      if (next && contact.utmSource !== undefined) next.utmSource = contact.utmSource
    }),
  ],
}

const VARIANTS: Readonly<Record<string, readonly Deviation[]>> = {
  'trims texts': [storing((text) => text.trim())],
  'composes characters and joins blanks': [storing((text) => text.normalize('NFC').replaceAll(/\s+/g, ' '))],
  'has one kind of line break': [storing((text) => text.replaceAll('\r\n', '\n'))],
  'refuses markup': [refusing(isMarkup)],
  'refuses long texts': [refusing((text) => text.length > 50)],
  'refuses empty texts': [refusing((text) => text.trim() === '')],
  'takes an empty text for none': [storing((text) => (text.trim() === '' ? undefined : text))],
  'refuses everything but ASCII': [refusing((text) => /[^\x20-\x7e]/.test(text))],
  ...Object.fromEntries(
    variants.filter(({ area }) => area === 'updates').map(({ name, deviation }) => [name, [deviation]]),
  ),
}

for (const [what, [requirement, deviation]] of Object.entries(FAULTS))
  test(`a target that ${what} is found out by updates in depth`, async () => {
    const { outcomes, left, changed } = await judgeInDepth([deviation])

    expect(outcomes[requirement]).toBe('failed')
    // What is another on one contact alone may be somebody else's.
    expect(left.length).toBeGreaterThanOrEqual(changed.length - 1)
  })

test('a target that fails where updates come at the same time is told just that', async () => {
  const { messages } = await judgeInDepth([colliding()])

  expect(messages.length).toBeGreaterThan(0)
  for (const message of messages) expect(message).toContain('failed at the same time as others, and was accepted alone')
})

for (const [what, deviations] of Object.entries(VARIANTS))
  test(`a target that does otherwise (${what}) fails nothing in depth, and is put back`, async () => {
    const { wrong, left, isPutBack } = await judgeInDepth(deviations)

    expect(wrong).toEqual([])
    expect(left).toEqual([])
    if (!what.startsWith('takes an empty') && !/replaces|normalis|plus|digit|lower/.test(what))
      expect(isPutBack).toBe(true)
  })

const updates = register(contract).filter(({ id }) => id.startsWith('updateContact.'))

/** What a target makes of texts that it stores, and was not loaded with. */
const REWRITTEN: Readonly<Record<string, (text: string) => string>> = {
  'cuts texts short': (text) => text.slice(0, 12),
  'keeps no letter beyond ASCII': (text) => text.replace(/\P{ASCII}/gu, '?'),
}

for (const [what, rewrite] of Object.entries(REWRITTEN))
  test(`a target that ${what} is not said to be as it was`, async () => {
    const rewriting = storing((text, field) => (/^(name|utm)/.test(field) ? rewrite(text) : text))
    const { left, changed } = await judgeInDepth([rewriting], updates)

    expect(changed).not.toEqual([])
    expect(left.map(contactOf).toSorted()).toEqual(changed.toSorted())
  })

/** The id of the contact that a sentence on what is left is about. */
function contactOf(sentence: string): string | undefined {
  return sentence.split(/ |: /)[1]
}

test('what every update changes without naming it is told of each contact, or put back', async () => {
  const always = await judgeInDepth([{ store: (_call, changes) => ({ ...changes, active: false }) }], updates)
  // No more are updated once a flag that is sent back as it was is another.
  expect(always.changed.length).toBe(2)
  expect(always.left.map(contactOf).toSorted()).toEqual(always.changed.toSorted())
  for (const sentence of always.left) expect(sentence).toContain('active is false and was true')

  const unlessSent = await judgeInDepth([{ store: (_call, changes) => ({ active: false, ...changes }) }], updates)
  expect([unlessSent.left, unlessSent.isPutBack]).toEqual([[], true])
})

test('two hundred updates are drawn, others for another seed, and accepted by the reference service', async () => {
  const one = await judgeInDepth([])
  const other = await judgeInDepth([], updatesInDepth, '2')

  expect(new Set(Object.values(one.outcomes))).toEqual(new Set(['passed']))
  expect(one.examined['accepted updates']).toBe(200)
  expect(one.sent).not.toEqual(other.sent)
  expect([one.isPutBack, other.isPutBack]).toEqual([true, true])
})

test('a contact that the target locks, and does not let be put back, is told after bad tokens too', async () => {
  const locked = new Set<string>()
  const locking: Deviation = {
    checks: (_call, checks) => [
      (_, _body, { id }) => {
        if (locked.has(id)) throw new Refusal(409, 'ERR_LOCKED', 'the contact is closed for good')
      },
      ...checks,
    ],
    store: (_call, changes, { id, isOpen }) => {
      if (isOpen && changes.isOpen === false) locked.add(id)
      return changes
    },
  }
  const judged = await judgeInDepth(
    [locking],
    register(contract).filter(({ id }) => /^updateContact\.(update\.isOpen|authentication)/.test(id)),
  )
  // One that was closed could be opened, and was closed again.
  expect(locked.size).toBe(2)
  expect(judged.left).toEqual([expect.stringContaining(`contact ${[...locked][1]}: `)])
  expect(judged.left[0]).toContain('isOpen is false and was true')
  expect(judged.isPutBack).toBe(false)
})

test('a target that replaces, and refuses what changes nothing, has what was left out of accepted updates put back', async () => {
  const off = { isGroup: false, isAdmin: false, isOpen: false, isBotEnabled: false }
  const replacing: Deviation = {
    checks: (_call, checks) => [
      (_, body, contact) => {
        const isKept = Object.entries({ ...off, ...body }).every(
          ([field, value]) => contact[field as keyof Contact] === value,
        )
        if (isKept || !('name' in body && 'number' in body)) throw new Refusal(400, 'ERR_VALIDATION', 'nothing to do')
      },
      ...checks,
    ],
    store: (_call, changes) => ({ ...off, ...changes }),
  }
  const { wrong, left, isPutBack } = await judgeInDepth([replacing], updates)
  expect(wrong).toEqual([])
  expect([left, isPutBack]).toEqual([[], true])
})

/** What a target that checks new values would not take again, be it in some contacts or in all. */
const OLD: Readonly<Partial<Contact>> = {
  email: 'n/a',
  profilePicUrl: 'none',
  number: '5511',
  utmTerms: 'summer  sale ',
  name: ' Zoe\u0301',
}

for (const [whose, isOld] of [
  ['some contacts', (index: number) => index % 3 !== 0],
  ['all contacts', () => true],
] as const)
  test(`old values of ${whose} that the target would not take again are not changed, and nothing is accused`, async () => {
    const checking: Deviation = {
      load: ({ contacts }) => {
        for (const [index, contact] of contacts.entries()) if (isOld(index)) Object.assign(contact, OLD)
      },
      checks: (_call, checks) => [
        (_, body, contact) => {
          const isBad = Object.entries(OLD).some(
            ([field, old]) => body[field] === old && contact[field as keyof Contact] !== old,
          )
          if (isBad) throw new Refusal(422, 'ERR_VALIDATION', 'this is not well-formed')
        },
        ...checks,
      ],
      store: (_call, changes, contact) =>
        Object.fromEntries(
          Object.entries(changes).map(([field, value]) => [
            field,
            typeof value === 'string' && value !== contact[field as keyof Contact]
              ? value.normalize('NFC').trim().replaceAll(/\s+/g, ' ')
              : value,
          ]),
        ),
    }
    const { outcomes, wrong, left, isPutBack } = await judgeInDepth([checking], updates)
    expect(wrong).toEqual([])
    expect(left).toEqual([])
    expect(isPutBack).toBe(true)
    expect(outcomes['utmCampaign']).toBe('passed')
    expect(outcomes['email']).toBe(whose === 'all contacts' ? 'not exercised' : 'passed')
  })

/** A target with contacts that have no email, and what an update stores of these. */
const withoutEmail = (storeOf: NonNullable<Deviation['store']>): Deviation => ({
  load: ({ contacts }) => {
    for (const [index, contact] of contacts.entries()) if (index % 4 === 1) delete (contact as Partial<Contact>).email
  },
  store: (call, changes, contact) => (contact.email === undefined ? storeOf(call, changes, contact) : changes),
})

test('contacts that lack an email are updated, given none, and put back', async () => {
  const { wrong, left, isPutBack } = await judgeInDepth([withoutEmail((_call, changes) => changes)], updates)
  expect(wrong).toEqual([])
  expect(left).toEqual([])
  expect(isPutBack).toBe(true)
})

for (const [what, store] of [
  ['stores nothing', () => ({})],
  ['empties what is not sent', (_call, changes) => ({ utmSource: '', ...changes })],
  ['writes a word for nothing', (_call, changes) => ({ email: 'undefined', ...changes })],
] as const satisfies readonly (readonly [string, NonNullable<Deviation['store']>])[])
  test(`a target that ${what} of contacts without an email is told, and the contacts are put back`, async () => {
    const { wrong, left } = await judgeInDepth([withoutEmail(store)], updates)
    expect(wrong).toContain('same-contact')
    expect(left).toEqual([])
  })

for (const [what, isHidden, untold] of [
  ['inactive contacts', ({ active }: Contact) => active === false, 'active'],
  ['groups', ({ isGroup }: Contact) => isGroup === true, 'isGroup'],
] as const)
  test(`a list that hides ${what} is not accused of losing what an update makes one of them`, async () => {
    const hiding: Deviation = {
      records: ({ operation }, records) =>
        operation === 'listContacts' ? records.filter((one) => !isHidden(one as unknown as Contact)) : records,
    }
    const { outcomes, wrong, isPutBack } = await judgeInDepth([hiding], updates)
    expect(wrong).toEqual([])
    expect([outcomes['isOpen'], outcomes['isAdmin'], outcomes[untold]]).toEqual(['passed', 'passed', 'not exercised'])
    expect(isPutBack).toBe(true)
  })

test('contacts without a connection are given none that could not be taken from them again', async () => {
  const without: Deviation = {
    load: ({ contacts }) => {
      for (const contact of contacts) {
        delete (contact as Partial<Contact>).channel
        if (contact.isGroup) delete (contact as Partial<Contact>).chatappId
      }
    },
  }
  const { wrong, isPutBack } = await judgeInDepth([without], updates)
  expect(wrong).toEqual([])
  expect(isPutBack).toBe(true)
})

test('an empty text that comes back as none is neither accused nor told as left changed', async () => {
  const emptying: Deviation = {
    load: ({ contacts }) => {
      for (const [index, contact] of contacts.entries()) if (index % 2 === 0) contact.utmTerms = ''
    },
    store: (_call, changes, contact) => {
      if (changes.utmTerms !== '') return changes
      delete (contact as Partial<Contact>).utmTerms
      const { utmTerms: _none, ...rest } = changes
      return rest
    },
  }
  const { wrong, left } = await judgeInDepth([emptying], updates)
  expect(wrong).toEqual([])
  expect(left).toEqual([])
})

for (const name of ['update-needs-company', 'update-needs-name-and-number', 'update-needs-every-field'])
  test(`what embeds an updated contact is judged of a target whose ${name.replaceAll('-', ' ')}`, async () => {
    const embedded = register(contract).filter(({ id }) => id.startsWith('updateContact.update.embedded'))
    const { outcomes } = await judgeInDepth([deviationOf(name)], embedded)
    expect(Object.entries(outcomes).filter(([, outcome]) => outcome !== 'passed')).toEqual([])
  })
