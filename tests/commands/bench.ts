import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { besideABareClient } from '../bench/bare-client.ts'
import { certificate } from '../bench/certificate.ts'
import { tableOf, type Bench, type Figure } from '../bench/figure.ts'
import { curvesOf } from '../bench/curves.ts'
import { growth } from '../bench/growth.ts'
import { requests } from '../bench/requests.ts'
import { runByPlaywright } from '../bench/run-by-playwright.ts'
import { slowAnswers } from '../bench/slow-answers.ts'
import { runReportsDirectory } from '../engine/settings/settings.ts'
import { suite } from '../reporting/result/report.ts'
import { chosen, readNumber, runCommand } from './command.ts'

const BENCHES = [runByPlaywright, requests, besideABareClient, slowAnswers, growth, certificate]

const USAGE = `Usage: npm run bench -- [--only NAME]... [--runs N]

Measures what the suite costs, against the reference service on this machine, and prints each figure beside its goal. It
takes some minutes; whatever else the machine does in them is measured too.

  --only NAME  ${BENCHES.map(({ name }) => name).join(', ')} (default: all)
  --runs N     how often what varies is measured; the median counts (default 5)
  --help       this text

Writes bench.json, bench.md and, of growth, growth.svg to REPORTS_DIR. A goal that is not met does not fail it.`

await runCommand(async () => {
  const options = readOptions()
  if (!options) return console.log(USAGE)
  const figures: Figure[] = []
  for (const { name, measure } of options.benches) {
    console.error(`measuring ${name} …`)
    figures.push(...(await measure(options.runs)))
  }
  const folder = runReportsDirectory()
  mkdirSync(folder, { recursive: true })
  const table = tableOf(figures)
  const machine = { node: process.version, cores: availableParallelism(), processor: cpus()[0]?.model ?? 'unknown' }
  const result = { suite: suite(), machine, measuredAt: new Date(), runs: options.runs, figures }
  writeFileSync(path.join(folder, 'bench.json'), `${JSON.stringify(result, undefined, 2)}\n`)
  writeFileSync(path.join(folder, 'bench.md'), `${table}\n`)
  if (options.benches.includes(growth)) writeFileSync(path.join(folder, 'growth.svg'), curvesOf(figures))
  console.log(table)
})

function readOptions(): { readonly benches: readonly Bench[]; readonly runs: number } | undefined {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true },
      runs: { type: 'string', default: '5' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return undefined
  return {
    benches: chosen('--only', values.only, BENCHES, ({ name }) => name),
    runs: readNumber('--runs', values.runs, 99),
  }
}
