import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { projectRoot, TARGET_SETTINGS } from '../engine/settings/settings.ts'
import { runNode, type Variables } from '../run/node-process.ts'
import { notesIn, notingIn } from '../run/process-notes.ts'
import { timed } from './figure.ts'

export const PLAYWRIGHT = path.join(projectRoot, 'node_modules/@playwright/test/cli.js')

/** What a run of a command cost, and what its report tells. */
export interface MeasuredRun {
  readonly seconds: number
  /** Processor time, of its workers too. */
  readonly processorSeconds: number
  /** Seconds from its start to each moment that its processes have marked. */
  readonly marks: ReadonlyMap<string, number>
  readonly requests: number
  readonly failed: number
  /** The most requests of which each began after the one before had been answered. */
  readonly chain: number
}

/** Runs Playwright on a target; on none, it judges the reference service that comes along. */
export function runOfPlaywright(target: Variables): Promise<MeasuredRun> {
  return measuredRun([PLAYWRIGHT, 'test'], target)
}

/** Runs a script of tests/commands on a target. */
export function runOfCommand(name: string, target: Variables, ...args: readonly string[]): Promise<MeasuredRun> {
  return measuredRun(['--import', 'tsx', path.join(projectRoot, 'tests/commands', `${name}.ts`), ...args], target)
}

async function measuredRun(args: readonly string[], target: Variables): Promise<MeasuredRun> {
  const [own, notes] = [temporary(), temporary()]
  const folder = target['REPORTS_DIR'] ?? own
  const nothing = Object.fromEntries(TARGET_SETTINGS.map((name) => [name, undefined]))
  try {
    const begun = Date.now()
    const variables = { ...nothing, ...target, REPORTS_DIR: folder, ...notingIn(notes) }
    const { seconds, result } = await timed(() => runNode(args, variables))
    const report = readJson(path.join(folder, 'conformance.json')) as Report | undefined
    if (!report) throw new Error(`a run left no report:\n${result.output}`)
    const processes = notesIn(notes)
    return {
      seconds,
      processorSeconds: processes.reduce((sum, note) => sum + note.seconds, 0),
      marks: new Map(processes.flatMap(({ marks }) => marks.map(([name, at]) => [name, (at - begun) / 1000]))),
      requests: report.requests.count,
      failed: report.totals.failed,
      chain: chainOf(readJson(path.join(folder, 'evidence.har')) as Har),
    }
  } finally {
    for (const one of [own, notes]) rmSync(one, { recursive: true })
  }
}

interface Report {
  readonly requests: { readonly count: number }
  readonly totals: { readonly failed: number }
}

interface Har {
  readonly log: { readonly entries: readonly { readonly startedDateTime: string; readonly time: number }[] }
}

function chainOf({ log }: Har): number {
  const spans = log.entries.map(({ startedDateTime, time }) => {
    const start = Date.parse(startedDateTime)
    return { start, end: start + time }
  })
  let [chain, last] = [0, -Infinity]
  for (const { start, end } of spans.toSorted((a, b) => a.end - b.end)) {
    if (start < last) continue
    chain++
    last = end
  }
  return chain
}

function temporary(): string {
  return mkdtempSync(path.join(tmpdir(), 'conformance-bench-'))
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
