import { setTimeout as realWait } from 'node:timers/promises'
import { expect, test } from '@playwright/test'
import { SimulatedTime } from '../proving/simulated-time.ts'

const HOUR_MS = 3_600_000

test('what is waited for comes at once, in its order', async () => {
  const time = new SimulatedTime()
  const begun = { simulated: time.now(), real: performance.now() }
  const ended: number[] = []

  await Promise.all([2, 1, 3].map((hours) => time.sleep(hours * HOUR_MS).then(() => ended.push(hours))))

  expect(ended).toEqual([1, 2, 3])
  expect(time.now() - begun.simulated).toBe(3 * HOUR_MS)
  expect(performance.now() - begun.real).toBeLessThan(10_000)
})

test('no time passes while an answer is made, but for what holds it', async () => {
  const time = new SimulatedTime()
  let isOver = false
  const waiting = time.sleep(10).then(() => (isOver = true))

  await time.during(async () => {
    await realWait(50)
    expect(isOver).toBe(false)
    await time.hold(20)
    expect(isOver).toBe(true)
  })
  await waiting
})

test('an action comes later, and a wait that is aborted not at all', async () => {
  const time = new SimulatedTime()
  const abort = new AbortController()
  const begun = time.now()
  const aborted = time.sleep(HOUR_MS, abort.signal)
  const done: number[] = []
  time.later(5, () => done.push(time.now() - begun))
  abort.abort(new Error('nobody waits'))

  await expect(aborted).rejects.toThrow('nobody waits')
  await time.sleep(10)
  expect(done).toEqual([5])
  expect(time.now() - begun).toBe(10)
})
