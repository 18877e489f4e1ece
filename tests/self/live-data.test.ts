import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect } from '@playwright/test'
import { liveDataVariants } from '../../fixtures/faults/variants/live-data-variants.ts'
import type { Call } from '../../fixtures/service/call.ts'
import { reportOf } from './child-run.ts'
import { DATASET_FILE, test } from './own-target.ts'

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
      test.setTimeout(120_000 + 2 * ms)
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
          BASE_URL: service.url,
          ACCESS_TOKEN: service.accessToken,
          SEED: String(seed),
          ...(mode === 'everything' && everything),
        }).finally(() => clearInterval(others))
        expect(reportOf({ folder }).totals, output).toMatchObject({ failed: 0, broken: 0 })
        expect(exitCode, output).toBe(0)
        expect(existsSync(path.join(folder, 'journal.json'))).toBe(false)
      } while (performance.now() < until)
    })
