import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect } from '@playwright/test'
import { liveDataVariants } from '../../fixtures/faults/variants/live-data-variants.ts'
import type { Call } from '../../fixtures/service/call.ts'
import { reportOf } from './child-run.ts'
import { judgeEverything, told } from './judge-everything.ts'
import { dataset, DATASET_FILE, test } from './own-target.ts'

/** For how long ten seeds are judged, one run after another; one run of one seed where it is left out. */
const LIVE_MINUTES = Number(process.env['LIVE_MINUTES'] ?? 0)
const SEEDS = LIVE_MINUTES > 0 ? 10 : 1
const MODES = ['everything', 'a token alone'] as const
const CHANGES_A_SECOND = 50

for (let seed = 1; seed <= SEEDS; seed++)
  for (const mode of MODES)
    test(`records that others create, change, move and delete all the time are no fault (${mode}, SEED=${seed})`, async ({
      target,
      run,
    }) => {
      const ms = (LIVE_MINUTES * 60_000) / SEEDS / MODES.length
      // As long as the last run may take.
      test.setTimeout(330_000 + 2 * ms)
      const until = performance.now() + ms
      do {
        // The data set is what is there when a run begins.
        let call: Call | undefined
        const service = await target({ deviations: [{ arrive: (one) => void (call = one) }] })
        let nth = 0
        const others = setInterval(() => {
          nth++
          for (const { deviation } of call ? liveDataVariants : []) void deviation.arrive?.({ ...call!, nth })
        }, 1000 / CHANGES_A_SECOND)
        const everything = { OTHER_ACCESS_TOKEN: service.otherAccessToken, DATASET: DATASET_FILE, ALLOW_WRITES: 'true' }
        const { exitCode, output, folder } = await run({
          ...service.settings,
          SEED: String(seed),
          ...(mode === 'everything' && everything),
        }).finally(() => clearInterval(others))
        expect(reportOf({ folder }).totals, output).toMatchObject({ failed: 0, broken: 0 })
        expect(exitCode, output).toBe(0)
        expect(existsSync(path.join(folder, 'journal.json'))).toBe(false)
      } while (performance.now() < until)
    })

test('what others change in one contact before its first update, or in one that is not updated, is not written over', async () => {
  /** The first update of each contact, as the number of its call. */
  const updates = new Map<string, number>()
  const isEditKept = async (edited?: string, before?: number): Promise<boolean> => {
    let isKept = false
    const judged = await judgeEverything((time) => async ({ state, nth, operation, id }) => {
      const contact = state.contacts.find((one) => one.id === edited)
      if (contact && nth === before) contact.utmMedium = 'edited'
      isKept = contact?.utmMedium === 'edited'
      const isContact = state.contacts.some((one) => one.id === id)
      if (operation === 'updateContact' && isContact && !updates.has(id)) updates.set(id, nth)
      await time.hold(150)
      return undefined
    })
    expect(judged.results.filter(({ outcome }) => outcome === 'failed' || outcome === 'broken').map(told)).toEqual([])
    return isKept
  }
  await isEditKept()
  const [[first, begun], [later, nth]] = [[...updates][0]!, [...updates].at(-3)!]
  const { id: never } = dataset.contacts.find(
    ({ id, companyId }) => companyId === dataset.companyId && !updates.has(id),
  )!

  expect({
    'before the first update, in the first contact': await isEditKept(first, begun - 10),
    'before the first update, in a later contact': await isEditKept(later, begun - 10),
    'before its own first update': await isEditKept(later, nth - 20),
    'while others are updated': await isEditKept(never, begun + 50),
  }).toEqual({
    'before the first update, in the first contact': true,
    'before the first update, in a later contact': true,
    'before its own first update': true,
    'while others are updated': true,
  })
})
