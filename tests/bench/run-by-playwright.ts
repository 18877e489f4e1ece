import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { startService } from '../../fixtures/service/start-service.ts'
import { faults } from '../../fixtures/faults/index.ts'
import { Contract } from '../engine/contract.ts'
import { projectRoot } from '../engine/settings/settings.ts'
import { register } from '../requirements/register.ts'
import { runNode } from '../run/node-process.ts'
import { median, repeat, timed, type Bench, type Figure } from './figure.ts'
import { PLAYWRIGHT, runOfPlaywright, type MeasuredRun } from './playwright-run.ts'
import { published, settingsOf } from './target.ts'

/** Faults that dozens of requirements find. */
const WIDE_FAULTS = [
  ...['every-id-is-a-number', 'every-absent-member-of-a-contact-is-null', 'every-boolean-is-a-digit'],
  ...['every-number-is-a-text', 'every-timestamp-is-a-number', 'every-phone-number-is-a-number'],
  ...['contact-search-ignored', 'ticket-queue-ignored', 'schedule-user-ignored', 'tag-count-one-short'],
]

/** What passes between a run's start and its end, by the marks at which each part ends. */
const PARTS = {
  start: 'begun',
  'reaching the target': 'target reached',
  'learning and judging': 'judged',
  'telling the tests': 'tests ended',
} as const

/** A run out of the box beside as many empty tests in a stock Playwright project, and a failing run beside it. */
export const runByPlaywright: Bench = {
  name: 'run',
  measure: async (runs) => {
    const outOfTheBox = await repeat(runs, () => runOfPlaywright({}))
    const empty = await repeat(runs, emptyTests)
    const [sound, faulty] = [await ofFaults(runs, []), await ofFaults(runs, WIDE_FAULTS)]
    const seconds = median(outOfTheBox.map((run) => run.seconds))
    return [
      { what: 'a run out of the box, start of the service included', value: seconds, unit: 's', goal: 4 },
      { what: 'as many empty tests in a stock Playwright project', value: median(empty), unit: 's' },
      { what: 'a run beside empty tests', value: seconds / median(empty), unit: 'times', goal: 0.4 },
      ...partsOf(outOfTheBox),
      {
        what: `processor time of a run with ${faulty.failed} failing requirements, beside one with ${sound.failed}`,
        value: faulty.processorSeconds / sound.processorSeconds,
        unit: 'times',
        goal: 1.5,
      },
    ]
  },
}

function partsOf(runs: readonly MeasuredRun[]): Figure[] {
  const ends = Object.entries(PARTS).map(
    ([part, mark]) => [part, median(runs.map(({ marks }) => marks.get(mark)!))] as const,
  )
  const all = [...ends, ['reports and end', median(runs.map(({ seconds }) => seconds))] as const]
  return all.map(([part, end], at) => ({ what: `— ${part}`, value: end - (all[at - 1]?.[1] ?? 0), unit: 's' }))
}

/** How many seconds Playwright takes for as many tests as there are requirements, of which each does nothing. */
async function emptyTests(): Promise<number> {
  const count = register(new Contract()).length
  // Inside the project, where Playwright is found.
  mkdirSync(path.join(projectRoot, 'reports'), { recursive: true })
  const folder = mkdtempSync(path.join(projectRoot, 'reports/empty-tests-'))
  try {
    writeFileSync(
      path.join(folder, 'empty.spec.ts'),
      `import { test } from '@playwright/test'\nfor (let nth = 0; nth < ${count}; nth++) test(\`empty \${nth}\`, () => undefined)\n`,
    )
    // Both folders are where stock settings have them beside the package.json: here, that would be the project's.
    writeFileSync(
      path.join(folder, 'playwright.config.ts'),
      `export default { outputDir: 'results', reporter: [['html', { outputFolder: 'report' }]] }\n`,
    )
    const { seconds, result } = await timed(() =>
      runNode([PLAYWRIGHT, 'test', '--config', path.join(folder, 'playwright.config.ts')], {
        PLAYWRIGHT_HTML_OPEN: 'never',
      }),
    )
    if (result.exitCode !== 0) throw new Error(`the empty tests did not run:\n${result.output}`)
    return seconds
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function ofFaults(runs: number, names: readonly string[]): Promise<MeasuredRun> {
  const deviations = names.map((name) => faults.find((fault) => fault.name === name)!.deviation)
  const service = await startService({ dataset: published(), deviations })
  try {
    const measured = await repeat(runs, () => runOfPlaywright(settingsOf(service, 'everything')))
    return measured.toSorted((a, b) => a.processorSeconds - b.processorSeconds)[Math.floor(runs / 2)]!
  } finally {
    await service.close()
  }
}
