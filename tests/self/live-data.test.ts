import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect } from '@playwright/test'
import { liveDataVariants } from '../../fixtures/faults/variants/live-data-variants.ts'
import type { Call } from '../../fixtures/service/call.ts'
import { reportOf } from './child-run.ts'
import { DATASET_FILE, test } from './own-target.ts'

/** How long each of ten seeds is judged, a run after another; one run of one seed where it is left out. */
const MINUTES_A_SEED = Number(process.env['LIVE_MINUTES'] ?? 0) / 10
const CHANGES_A_SECOND = 50

for (let seed = 1; seed <= (MINUTES_A_SEED > 0 ? 10 : 1); seed++)
  for (const mode of ['everything', 'a token alone'])
    test(`records that others create, change, move and delete all the time are no fault (${mode}, SEED=${seed})`, async ({
      target,
      run,
    }) => {
      test.setTimeout(120_000 + MINUTES_A_SEED * 60_000)
      let call: Call | undefined
      const service = await target({ deviations: [{ arrive: (one) => void (call = one) }] })
      let nth = 0
      const others = setInterval(() => {
        nth++
        for (const { deviation } of call ? liveDataVariants : []) void deviation.arrive?.({ ...call!, nth })
      }, 1000 / CHANGES_A_SECOND)
      const everything = { OTHER_ACCESS_TOKEN: service.otherAccessToken, DATASET: DATASET_FILE, ALLOW_WRITES: 'true' }
      const until = performance.now() + (MINUTES_A_SEED / 2) * 60_000
      try {
        do {
          const { exitCode, output, folder } = await run({
            BASE_URL: service.url,
            ACCESS_TOKEN: service.accessToken,
            SEED: String(seed),
            ...(mode === 'everything' && everything),
          })
          expect(reportOf({ folder }).totals, output).toMatchObject({ failed: 0, broken: 0 })
          expect(exitCode, output).toBe(0)
          expect(existsSync(path.join(folder, 'journal.json'))).toBe(false)
        } while (performance.now() < until)
      } finally {
        clearInterval(others)
      }
    })
