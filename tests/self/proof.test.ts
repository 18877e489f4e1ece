import { mkdirSync } from 'node:fs'
import { expect } from '@playwright/test'
import { faults, variants, type Fault, type Variant } from '../../fixtures/faults/index.ts'
import { seededRandom } from '../engine/random.ts'
import { readRunSettings } from '../engine/settings.ts'
import { runMatrix, type MatrixRun } from './matrix-run.ts'
import { DATASET_FILE, test } from './own-target.ts'

/** Another sample each time; SEED, printed with it, repeats one. */
const { seed } = readRunSettings()
const random = seededRandom(seed)
const TRIED = 24

test.describe.configure({ mode: 'default', timeout: 300_000 })

test('the matrix catches faults', async ({ target }, testInfo) => {
  const sample = random.helpers.arrayElements(faults, TRIED)
  const { rows, output, exitCode } = await judgeAll(sample, target, testInfo.outputPath())
  const survivors = rows
    .filter(({ verdict }) => verdict !== 'nonconformant')
    .map(({ name, verdict }) => `${name}: ${verdict}`)
  expect(rows, output).toHaveLength(TRIED)
  expect(survivors, `faults that survived (SEED=${seed})`).toEqual([])
  expect(exitCode).toBe(1)
})

test('the matrix accuses no variant', async ({ target }, testInfo) => {
  const sample = random.helpers.arrayElements(variants, TRIED)
  const { rows, output, exitCode } = await judgeAll(sample, target, testInfo.outputPath())
  const accused = rows.filter(({ verdict }) => verdict !== 'conformant' && verdict !== 'incomplete')
  expect(rows, output).toHaveLength(TRIED)
  expect(
    accused.map(({ name, findings }) => ({ name, findings })),
    `variants that were accused (SEED=${seed})`,
  ).toEqual([])
  expect(exitCode).toBe(0)
})

test('the matrix finds the plain reference service conformant', async ({ target }, testInfo) => {
  const { rows, exitCode } = await judgeAll([{ name: 'plain', deviation: {} }], target, testInfo.outputPath())
  expect(rows[0]?.verdict, JSON.stringify(rows[0]?.findings)).toBe('conformant')
  expect(exitCode).toBe(0)
})

type Deviant = Pick<Fault | Variant, 'name' | 'deviation'>
type StartTarget = (options: { deviations: Fault['deviation'][] }) => Promise<{
  url: string
  accessToken: string
  otherAccessToken: string
}>

/** Judges services that deviate from the reference service, with everything that a run can be given. */
async function judgeAll(deviants: readonly Deviant[], start: StartTarget, folder: string): Promise<MatrixRun> {
  mkdirSync(folder, { recursive: true })
  const targets = await Promise.all(
    deviants.map(async ({ name, deviation }) => {
      const { url, accessToken, otherAccessToken } = await start({ deviations: [deviation] })
      return { name, baseUrl: url, accessToken, otherAccessToken, dataset: DATASET_FILE, allowWrites: true }
    }),
  )
  return runMatrix(folder, targets)
}
