import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { devNull } from 'node:os'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { expect } from '@playwright/test'
import { inAnswersOf } from '../../fixtures/faults/building/answers.ts'
import { combine } from '../../fixtures/faults/variants/combinations.ts'
import type { Deviation } from '../../fixtures/service/deviation.ts'
import { Refusal } from '../../fixtures/service/refusal.ts'
import type { Service } from '../../fixtures/service/start-service.ts'
import { projectRoot } from '../engine/settings/settings.ts'
import { runScript, type Ended, type Variables } from '../run/node-process.ts'
import { reportOf, textOf, UNSET } from './child-run.ts'
import { runMatrix, startMatrix } from './matrix-run.ts'
import { dataset, DATASET_FILE, test, type OwnTarget } from './own-target.ts'

/** How many runs are killed by each signal, at moments of their own. */
const KILLS = Number(process.env['KILLS'] ?? 2)
const MOST_UPDATES = 60

type Contact = Record<string, unknown>

for (const [signal, what, ...variants] of [
  ['SIGINT', ''],
  ['SIGTERM', ''],
  ['SIGHUP', ''],
  ['SIGKILL', ''],
  ['SIGKILL', ' that turn flags off', 'update-turns-off-flags-that-are-not-sent'],
] as const)
  for (let kill = 1; kill <= KILLS; kill++)
    test(`${signal} in the middle of updates${what} leaves no contact changed (${kill})`, async ({
      target,
    }, testInfo) => {
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
      const service = await target({ deviations: [combine(variants).deviation, counting] })
      const before = await contactsOf(service)
      const folder = testInfo.outputPath('reports')
      const { env, run, ended } = startUpdates(service, folder)

      await Promise.race([isTime, ended])
      run.kill(signal)
      const since = performance.now()
      const status = await ended

      expect(performance.now() - since).toBeLessThan(10_000)
      if (signal === 'SIGKILL') {
        const restored = await runScript('restore', [], env)
        expect(restored.exitCode, restored.output).toBe(0)
      } else if (status !== 0) {
        expect(status).toBe(130)
        expect(reportOf({ folder }).interrupted).toBe(true)
        expect(textOf({ folder }, 'summary.md')).toMatch(
          /Interrupted(; nothing was| after [\d.]+ s: \d+ of \d+) judged/,
        )
      }
      expect(await contactsOf(service)).toEqual(before)
      expect(existsSync(path.join(folder, 'journal.json'))).toBe(false)
    })

test('a signal before anything was judged is told in a line, and in every report', async ({ target }, testInfo) => {
  let reached: () => void
  const isTime = new Promise<void>((resolve) => (reached = resolve))
  const arrive = async (): Promise<undefined> => {
    reached()
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  const service = await target({ deviations: [{ arrive }] })
  const folder = testInfo.outputPath('reports')
  mkdirSync(folder)
  const files = ['junit.xml', 'summary.md', 'ctrf.json', 'conformance.json', 'index.html']
  for (const file of files) writeFileSync(path.join(folder, file), 'what an earlier run said')
  const { run, ended, output } = startUpdates(service, folder)

  await isTime
  run.kill('SIGTERM')

  expect(await ended).toBe(130)
  await expect
    .poll(output)
    .toBe(`Judging ${service.url} (BASE_URL from the environment).\nInterrupted; nothing was judged.\n`)
  for (const file of files) expect(textOf({ folder }, file), file).toContain('Interrupted; nothing was judged.')
})

for (const hanging of ['searchParam', 'pageNumber'])
  test(`two signals leave no contact changed, though what is asked with ${hanging} hangs from then on`, async ({
    target,
  }, testInfo) => {
    let updates = 0
    let isHanging = false
    const service = await target({
      deviations: [
        {
          arrive: ({ operation, request }) => {
            if (operation === 'updateContact') updates++
            const hangs = isHanging && new URL(request.url).searchParams.has(hanging)
            return hangs ? new Promise(() => undefined) : undefined
          },
        },
      ],
    })
    const before = await contactsOf(service)
    const folder = testInfo.outputPath('reports')
    const { run, ended } = startUpdates(service, folder)
    await expect.poll(() => updates, { intervals: [1], timeout: 60_000 }).toBeGreaterThan(20)

    isHanging = true
    run.kill('SIGTERM')
    setTimeout(() => run.kill('SIGINT'), 300)

    expect(await ended).toBe(130)
    isHanging = false
    expect(await contactsOf(service)).toEqual(before)
    expect(reportOf({ folder })).not.toHaveProperty('leftChanged')
  })

test('a signal leaves no contact changed where updates show two seconds later', async ({ target }, testInfo) => {
  let changes = 0
  const service = await target({
    deviations: [
      {
        store: (_call, sent, contact) => {
          if (sent.name !== undefined && sent.name !== contact.name) changes++
          setTimeout(() => Object.assign(contact, sent), 2000)
          return {}
        },
      },
    ],
  })
  const before = await contactsOf(service)
  const { run, ended } = startUpdates(service, testInfo.outputPath('reports'))
  await expect.poll(() => changes, { intervals: [1], timeout: 60_000 }).toBeGreaterThan(0)

  run.kill('SIGINT')

  expect(await ended).toBe(130)
  await new Promise((resolve) => setTimeout(resolve, 2500))
  expect(await contactsOf(service)).toEqual(before)
})

test('a target that stores every update and answers 500 is left as it was', async ({ run, target }) => {
  const service = await target({
    deviations: [
      { reply: ({ operation }, reply) => (operation === 'updateContact' ? { ...reply, status: 500 } : reply) },
    ],
  })
  const before = await contactsOf(service)

  const settings = { ...service.settings, OTHER_ACCESS_TOKEN: service.otherAccessToken, ALLOW_WRITES: 'true' }
  const finished = await run(settings, ['updates', 'answers'])

  expect(finished.exitCode, finished.output).toBe(1)
  expect(await contactsOf(service)).toEqual(before)
})

for (const signal of ['SIGTERM', 'SIGHUP', 'SIGKILL'] as const)
  test(`${signal} to npm alone ends the run, which leaves no contact changed`, async ({ target }, testInfo) => {
    let updates = 0
    let last = 0
    const service = await target({
      deviations: [
        {
          arrive: ({ operation }) => {
            if (operation === 'updateContact') updates++
            last = performance.now()
            return undefined
          },
        },
      ],
    })
    const before = await contactsOf(service)
    const folder = testInfo.outputPath('reports')
    const { run } = startUpdates(service, folder, ['npm', 'run', 'conformance', '--', 'updates'])
    await expect.poll(() => updates, { intervals: [1], timeout: 60_000 }).toBeGreaterThan(20)

    run.kill(signal)

    await expect.poll(() => existsSync(path.join(folder, 'conformance.json')), { timeout: 10_000 }).toBe(true)
    await expect.poll(() => performance.now() - last, { timeout: 10_000 }).toBeGreaterThan(1000)
    expect(reportOf({ folder }).interrupted).toBe(true)
    expect(await contactsOf(service)).toEqual(before)
  })

for (const signal of ['SIGTERM', 'SIGKILL'] as const)
  test(`${signal} to a matrix leaves no contact changed, at the latest when it is run again`, async ({
    target,
  }, testInfo) => {
    let updates = 0
    const service = await target({
      deviations: [
        {
          arrive: ({ operation, request }) => {
            if (operation === 'updateContact' && request.headers.has('authorization')) updates++
            return undefined
          },
        },
      ],
    })
    const before = await contactsOf(service)
    const { url: baseUrl, accessToken, otherAccessToken } = service
    const folder = testInfo.outputPath()
    const entry = { name: 'target', baseUrl, accessToken, otherAccessToken, allowWrites: true }
    const { run, ended } = startMatrix(folder, [entry])

    await expect.poll(() => updates, { intervals: [1], timeout: 60_000 }).toBeGreaterThan(12)
    run.kill(signal)
    const status = await ended

    if (signal === 'SIGTERM') {
      expect(status).toBe(130)
      expect(existsSync(path.join(folder, 'matrix.json'))).toBe(true)
    } else {
      expect((await runMatrix(folder, [{ ...entry, allowWrites: false }])).exitCode).toBe(0)
    }
    expect(await contactsOf(service)).toEqual(before)
    expect(readdirSync(folder).filter((name) => name.endsWith('journal.json'))).toEqual([])
  })

test('a target that replaces, and shows e-mail addresses only where contacts are embedded, loses none', async ({
  run,
  target,
}) => {
  let isShown = true
  let updates = 0
  const service = await target({
    deviations: [
      {
        store: (_call, changes) => {
          updates++
          return { ...Object.fromEntries([['email', undefined]]), ...changes }
        },
      },
      inAnswersOf('listContacts', ({ contacts }) => {
        if (!isShown) for (const contact of contacts as Contact[]) delete contact['email']
      }),
    ],
  })
  const before = await contactsOf(service)
  isShown = false

  const finished = await run({ ...service.settings, ALLOW_WRITES: 'true' }, ['updates'])

  isShown = true
  expect(finished.exitCode, finished.output).toBe(0)
  expect(updates).toBe(2)
  expect(
    reportOf(finished)
      .requirements.map(({ reason }) => reason)
      .join('\n'),
  ).toContain('Needs a list of contacts that shows email, which schedules and tags show')
  expect(await contactsOf(service)).toEqual(before)
})

for (const answered of ['with a success', 'with status 400'])
  test(`what was stored, answered ${answered} and cannot be put back is told last, breaks the run, and is put back later by the journal`, async ({
    run,
    target,
  }) => {
    // The first new name that is stored is the last update that is accepted.
    let isLocked = false
    let isRefused = false
    const service = await target({
      deviations: [
        {
          checks: (_call, checks) => {
            if (isLocked) throw new Refusal(403, 'FORBIDDEN', 'no updates any more')
            return checks
          },
          store: (_call, changes, { name }) => {
            isLocked = changes.name !== undefined && changes.name !== name
            isRefused = isLocked && answered !== 'with a success'
            return changes
          },
          reply: (_call, reply) => {
            const { status } = isRefused ? { status: 400 } : reply
            isRefused = false
            return { ...reply, status }
          },
        },
      ],
    })
    const before = await contactsOf(service)
    const settings = { ...service.settings, ALLOW_WRITES: 'true', DATASET: DATASET_FILE }

    const finished = await run(settings, ['updates'])

    expect(finished.exitCode).toBe(3)
    const { verdict, leftChanged } = reportOf(finished)
    expect(verdict).toBe('broken')
    const changed = (await contactsOf(service)).filter((contact, index) => !isDeepStrictEqual(contact, before[index]))
    expect(changed.length).toBeGreaterThan(0)
    for (const { id } of changed) expect(leftChanged?.join('\n')).toContain(`contact ${String(id)}: `)
    const lastWords = finished.output.slice(finished.output.indexOf('Judged '))
    expect(lastWords).toContain('Contacts of the target are NOT as they were before the run, or not known to be:')
    expect(textOf(finished, 'index.html')).toContain('not as they were before the run')
    const journal = path.join(finished.folder, 'journal.json')
    expect(statSync(journal).mode & 0o077).toBe(0)
    expect(readFileSync(journal, 'utf8')).not.toContain(service.accessToken)

    const elsewhere = await target()
    const refused = await run({ ...elsewhere.settings, REPORTS_DIR: finished.folder }, ['tags'])
    expect(refused.exitCode).toBe(2)
    expect(refused.output).toContain('put that back first: npm run restore')

    isLocked = false
    const next = await run({ ...settings, REPORTS_DIR: finished.folder }, ['tags'])
    expect(next.exitCode, next.output).toBe(0)
    expect(next.output).toContain('they have been put back')
    expect(await contactsOf(service)).toEqual(before)
    expect(existsSync(journal)).toBe(false)
  })

/** Starts a run of the updates as Playwright's, or as npm's. */
function startUpdates(
  { settings, otherAccessToken }: OwnTarget,
  folder: string,
  [command, ...args]: readonly [string, ...string[]] = [
    process.execPath,
    path.join(projectRoot, 'node_modules/@playwright/test/cli.js'),
    'test',
    'updates',
  ],
): {
  readonly env: NodeJS.ProcessEnv
  readonly run: ChildProcess
  readonly ended: Promise<number | null>
  readonly output: () => string
} {
  const env = {
    ...process.env,
    INIT_CWD: projectRoot,
    DOTENV_CONFIG_PATH: devNull,
    ...settings,
    OTHER_ACCESS_TOKEN: otherAccessToken,
    ALLOW_WRITES: 'true',
    REPORTS_DIR: folder,
  }
  const run = spawn(command, args, { cwd: projectRoot, env })
  let output = ''
  for (const stream of [run.stdout, run.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  return { env, run, ended: new Promise((resolve) => run.once('exit', resolve)), output: () => output }
}

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

test('a journal that is named and is not there is an error, where a run that left none is not', async () => {
  const [named, unnamed] = await Promise.all([restoreBy(['no-such-journal.json']), restoreBy()])

  expect(named.exitCode).toBe(2)
  expect(named.output).toMatch(/^There is no \S+no-such-journal\.json; name the journal\.$/m)
  expect(unnamed.exitCode).toBe(0)
})

test("a journal is kept where the token is another company's, and not where the contact was deleted", async ({
  target,
}) => {
  const { url, accessToken, otherAccessToken } = await target()
  const contact = dataset.contacts.find(({ companyId }) => companyId === dataset.companyId)!
  const journal = test.info().outputPath('journal.json')
  const restoreOf = async (id: string, token: string) => {
    const { name, companyId } = contact
    const change = { path: { contactId: id }, owner: 'main', stored: { name, companyId }, sent: { name: ['Another'] } }
    writeFileSync(journal, JSON.stringify({ formatVersion: 1, baseUrl: url, changes: [change] }))
    const { exitCode, output } = await restoreBy([], { BASE_URL: url, ACCESS_TOKEN: token })
    return { exitCode, output, isKept: existsSync(journal) }
  }

  const another = await restoreOf(contact.id, otherAccessToken)
  expect(another).toMatchObject({ exitCode: 3, isKept: true })
  expect(another.output).toContain(`contact ${contact.id} is not listed: give the tokens that the run had`)
  expect(await restoreOf(contact.id.replaceAll(/\d/g, '0'), accessToken)).toMatchObject({ exitCode: 0, isKept: false })
  expect(await restoreOf(contact.id, accessToken)).toMatchObject({ exitCode: 0, isKept: false })
})

test('a contact that is as it was, and refuses updates while a flag is on, is left alone', async ({ target }) => {
  const { url, accessToken } = await target({ deviations: [combine(['update-refused-while-the-bot-talks']).deviation] })
  const { companyId, contacts } = dataset
  const { id, name } = contacts.find((one) => one.companyId === companyId && one.isBotEnabled === true)!
  const lookUp = async (): Promise<string> => {
    const query = new URLSearchParams({ searchParam: name! }).toString()
    return (await fetch(`${url}/api/contacts?${query}`, { headers: { authorization: `Bearer ${accessToken}` } })).text()
  }
  const before = await lookUp()
  const stored = { name, isBotEnabled: true }
  const change = { path: { contactId: id }, owner: 'main', stored, sent: { name: ['Another'], isBotEnabled: [false] } }
  writeFileSync(
    test.info().outputPath('journal.json'),
    JSON.stringify({ formatVersion: 1, baseUrl: url, changes: [change] }),
  )

  const { exitCode, output } = await restoreBy([], { BASE_URL: url, ACCESS_TOKEN: accessToken })

  expect(exitCode, output).toBe(0)
  expect(await lookUp()).toBe(before)
})

function restoreBy(args: readonly string[] = [], settings: Variables = {}): Promise<Ended> {
  return runScript('restore', args, { ...UNSET, ...settings, REPORTS_DIR: test.info().outputPath() })
}
