import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { certificationRequirements } from '../certification/certification-requirements.ts'
import { fingerprintOf } from '../certification/signature.ts'
import { verify } from '../certification/verification.ts'
import { Contract } from '../engine/contract.ts'
import { makeFolder } from '../engine/settings/make-folder.ts'
import { reportsDirectory, SettingError } from '../engine/settings/settings.ts'
import { documentation } from '../reporting/documentation/documentation.ts'
import type { Proof } from '../proving/proof.ts'
import { readJsonAs } from '../reporting/result/read-json.ts'
import { readReport, type ReadReport } from '../reporting/result/read-report.ts'
import { PAGE_FILE, REPORT_FILE } from '../reporting/result/report-files.ts'
import { register } from '../requirements/register.ts'
import { PUBLISHED_DATASET } from '../run/target-under-test.ts'
import { runCommand, UsageError } from './command.ts'

const USAGE = `Usage: npm run docs -- [--report DIR | --certificate DIR] [--proof FILE] [--out DIR]

Builds the documentation of the interface: the reference, every requirement, and the contract for client generators.
It is enriched by what a run has found out, and by what the proof has shown, where there are any.

  --report DIR       the folder of a conformance run (default: REPORTS_DIR)
  --certificate DIR  the folder of a certificate instead, which is verified first
  --proof FILE       what \`npm run prove\` wrote (default: proof.json in the folder of the run)
  --out DIR          where the documentation goes (default: docs in REPORTS_DIR)
  --help             this text`

const OPTIONS = {
  report: { type: 'string' },
  certificate: { type: 'string' },
  proof: { type: 'string' },
  out: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

await runCommand(async () => {
  const { values } = parseArgs({ options: OPTIONS })
  if (values.help) return console.log(USAGE)
  const contract = new Contract()
  if (values.report !== undefined && values.certificate !== undefined)
    throw new UsageError('--report and --certificate exclude each other; give one of them.')
  const folder = path.resolve(values.certificate ?? values.report ?? reportsDirectory())
  const certified = values.certificate === undefined ? undefined : await verified(contract, folder)
  const out = path.resolve(values.out ?? path.join(reportsDirectory(), 'docs'))
  const proofFile = path.resolve(values.proof ?? path.join(folder, 'proof.json'))
  if (values.proof !== undefined && !existsSync(proofFile))
    throw new UsageError(`--proof is "${values.proof}", and there is no such file.`)
  const isNeeded = values.report !== undefined || existsSync(path.join(folder, REPORT_FILE))
  const read = isNeeded ? readReport(contract, folder) : undefined
  const proof = readJsonAs<Proof>(contract, proofFile, 'proof')
  const hasReportPage = path.dirname(out) === folder && existsSync(path.join(folder, PAGE_FILE))
  const reportFile = hasReportPage ? `../${PAGE_FILE}` : undefined
  const requirements = (certified === undefined ? register : certificationRequirements)(contract)
  const files = await documentation({ contract, requirements, ...read, certified, proof, reportFile })
  write(out, files)
  console.log(`${path.join(out, 'index.html')}: ${whatOf(read, folder)}, ${proof ? 'with' : 'without'} a proof`)
})

/**
 * What a certificate says, in a sentence, once it has been verified.
 * @throws UsageError where it does not hold.
 */
async function verified(contract: Contract, folder: string): Promise<string> {
  const { certificate, faults } = await verify(contract, folder, {
    publishedDataset: PUBLISHED_DATASET,
    // The documentation and the proof may lie there, and nothing is made of what else does.
    mayHoldMore: true,
  })
  if (!certificate || faults.length > 0)
    throw new UsageError(`--certificate is not verified: ${faults[0]} npm run verify -- ${folder} tells it all.`)
  const { date, narrowedTo, signature } = certificate
  const scope = narrowedTo ? `, for ${narrowedTo.join(', ')} alone` : ''
  const by = signature ? `signed with the key ${fingerprintOf(signature.publicKey)}` : 'not signed'
  return `Certified on ${date.slice(0, 10)}${scope}, ${by}; every requirement was judged again from the evidence when this was built.`
}

function write(out: string, files: ReadonlyMap<string, string>): void {
  try {
    makeFolder(out)
    for (const [name, content] of files) writeFileSync(path.join(out, name), content)
  } catch (error) {
    throw new SettingError(
      `${out} can't be written to (${(error as NodeJS.ErrnoException).code}); name another by --out.`,
    )
  }
}

function whatOf(read: ReadReport | undefined, folder: string): string {
  if (!read) return `without a report, as ${folder} holds no ${REPORT_FILE}`
  const { verdict, target, startedAt } = read.report
  return `${target?.name ?? 'no target'} was ${verdict} on ${startedAt.slice(0, 10)}`
}
