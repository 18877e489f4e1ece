import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { devNull } from 'node:os'
import path from 'node:path'
import { expect } from '@playwright/test'
import type { Deviation } from '../../fixtures/service/deviation.ts'
import type { Service } from '../../fixtures/service/start-service.ts'
import { projectRoot } from '../engine/settings.ts'
import { runNode } from '../run/node-process.ts'
import { test } from './own-target.ts'

/** How many runs are killed by each signal, at moments of their own. */
const KILLS = Number(process.env['KILLS'] ?? 2)
const MOST_UPDATES = 60

type Contact = Readonly<Record<string, unknown>>

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'] as const)
  for (let kill = 1; kill <= KILLS; kill++)
    test(`${signal} in the middle of updates leaves no contact changed (${kill})`, async ({ target }, testInfo) => {
      const moment = Math.floor((MOST_UPDATES * (kill - Math.random())) / KILLS)
      let updates = 0
      let reached: () => void
      const isTime = new Promise<void>((resolve) => (reached = resolve))
      const counting: Deviation = {
        arrive: ({ operation }) => {
          if (operation === 'updateContact' && ++updates > moment) reached()
          return undefined
        },
      }
      const service = await target({ deviations: [counting] })
      const before = await contactsOf(service)
      const folder = testInfo.outputPath('reports')
      const env = {
        ...process.env,
        INIT_CWD: projectRoot,
        DOTENV_CONFIG_PATH: devNull,
        BASE_URL: service.url,
        ACCESS_TOKEN: service.accessToken,
        OTHER_ACCESS_TOKEN: service.otherAccessToken,
        ALLOW_WRITES: 'true',
        REPORTS_DIR: folder,
      }
      const run = spawn(
        process.execPath,
        [path.join(projectRoot, 'node_modules/@playwright/test/cli.js'), 'test', 'updates'],
        {
          cwd: projectRoot,
          env,
          stdio: 'ignore',
        },
      )
      const ended = new Promise<number | null>((resolve) => run.once('exit', resolve))

      await Promise.race([isTime, ended])
      run.kill(signal)
      const since = performance.now()
      const status = await ended

      expect(performance.now() - since).toBeLessThan(10_000)
      if (signal === 'SIGKILL') {
        const restored = await runNode(['--import', 'tsx', 'tests/commands/restore.ts'], env)
        expect(restored.exitCode, restored.output).toBe(0)
      } else if (status !== 0) {
        expect(status).toBe(130)
        expect(existsSync(path.join(folder, 'conformance.json'))).toBe(true)
      }
      expect(await contactsOf(service)).toEqual(before)
      expect(existsSync(path.join(folder, 'journal.json'))).toBe(false)
    })

/** Every contact of both companies, but for the time of its last update. */
async function contactsOf({ url, accessToken, otherAccessToken }: Service): Promise<Contact[]> {
  const contacts: Contact[] = []
  for (const token of [accessToken, otherAccessToken])
    for (let page = 1; ; page++) {
      const answer = await fetch(`${url}/api/contacts?pageNumber=${page}`, {
        headers: { authorization: `Bearer ${token}` },
      })
      const { contacts: some } = (await answer.json()) as { contacts: Contact[] }
      if (some.length === 0) break
      contacts.push(...some.map((contact) => ({ ...contact, updatedAt: undefined })))
    }
  return contacts
}
