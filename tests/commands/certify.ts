import type { KeyObject } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { certificationRequirements } from '../certification/certification-requirements.ts'
import { judgeForCertificate, writeCertificate, type CertificationRun } from '../certification/certify.ts'
import { pageSizesFor, shortcomings } from '../certification/data-check.ts'
import { differences } from '../certification/data-differences.ts'
import { isDecidedByNonce, seedOf } from '../certification/nonce.ts'
import { fingerprintOf, signingKey } from '../certification/signature.ts'
import { strangersIn } from '../certification/strangers.ts'
import { RunEnded } from '../engine/time/clock.ts'
import { Contract } from '../engine/contract.ts'
import { readDataset, type Dataset } from '../engine/data/dataset.ts'
import { standingFolder } from '../engine/settings/environment.ts'
import { PreflightError } from '../engine/judging/preflight.ts'
import type { Requirement } from '../engine/judging/requirement.ts'
import { Run } from '../engine/judging/run.ts'
import { Session } from '../engine/judging/session.ts'
import {
  readCertificationSettings,
  readSettings,
  runReportsDirectory,
  SettingError,
  type Settings,
  type TargetSettings,
} from '../engine/settings/settings.ts'
import { RedactionPolicy } from '../reporting/redaction/redaction-policy.ts'
import { withoutControls } from '../reporting/wording/finding-line.ts'
import { requestsOf } from '../reporting/result/finished-run.ts'
import {
  CERTIFICATE_FILE,
  CERTIFICATE_PAGE_FILE,
  HTML_FOLDER,
  JOURNAL_FILE,
  LOCK_FILE,
  OUTPUT_FOLDER,
} from '../reporting/result/report-files.ts'
import { ReportsFolder } from '../reporting/result/reports-folder.ts'
import { summaryOf } from '../reporting/exports/summary.ts'
import { finishEarlierRun } from '../requirements/restoration/restoration.ts'
import { EXIT_STATUS, INTERRUPTED } from '../run/exit-status.ts'
import { onEnd } from '../run/grace.ts'
import { openTarget, PUBLISHED_DATASET } from '../run/target-under-test.ts'
import { runCommand } from './command.ts'

const USAGE = `Usage: npm run certify

Judges the target by every requirement and, where each stated and implied one was exercised and passed, writes a
certificate into REPORTS_DIR. There is nothing to select: a certificate leaves nothing out.

Needs, as settings (environment or .env):
  BASE_URL, ACCESS_TOKEN  the target; without them the built-in reference service is certified
  DATASET                 the data set that it was loaded with: the published one, or one that
                          npm run dataset -- --check finds able to exercise everything
  OTHER_ACCESS_TOKEN      the token of the second company
  ALLOW_WRITES=true       contacts are updated, and put back

May have:
  CERTIFICATION_NONCE     what the party that asks for the certificate has issued for it
  CERTIFICATION_KEY_FILE  a private key that signs it (npm run certify:key makes one)
  OPERATIONS              the operations of a partial implementation; the certificate then speaks of those alone
                          (listTickets, listSchedules and updateContact need listContacts, getTag needs listTags)
  MAX_PAGES               for a data set with more pages than the default of 25

Exits with 0 only where there is a certificate.`

const BETWEEN_PROGRESS = 25

/** What the command ends with where there is no certificate; a conformant target is denied one for what it left out. */
const DENIED = {
  conformant: EXIT_STATUS.incomplete,
  incomplete: EXIT_STATUS.incomplete,
  nonconformant: EXIT_STATUS.nonconformant,
  broken: EXIT_STATUS.broken,
} as const

await runCommand(async () => {
  const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } })
  if (values.help) return console.log(USAGE)
  const settings = readSettings()
  const { nonce, keyFile } = readCertificationSettings()
  const privateKey = keyFile === undefined ? undefined : readKey(keyFile)
  const contract = new Contract()
  const requirements = certificationRequirements(contract, settings.operations)
  checkSettings(settings)
  checkNonce(contract, settings, nonce)
  for (const warning of settings.warnings) console.log(warning)
  const { target, close } = await openTarget(settings)
  try {
    const datasetFile = target.dataset!
    const dataset = readDataset(contract, 'DATASET', datasetFile)
    const published = readDataset(contract, 'The published data set', PUBLISHED_DATASET)
    if (differences(dataset, published).length > 0) await checkData(contract, requirements, dataset, settings)
    const directory = runReportsDirectory()
    const folder = new ReportsFolder(directory)
    folder.clear()
    for (const name of [HTML_FOLDER, OUTPUT_FOLDER])
      rmSync(path.join(directory, name), { recursive: true, force: true })
    const judged = requirements.filter(({ level }) => level !== 'observed')
    console.log(
      `Certifying ${target.baseUrl} by ${judged.length} requirements and ${requirements.length - judged.length} observations${settings.operations ? ` of ${settings.operations.join(', ')}` : ''}.`,
    )
    const journal = target.builtIn ? undefined : path.join(directory, JOURNAL_FILE)
    await putBackWhatWasLeft(target, settings, contract, journal)
    const seed = nonce === undefined ? settings.seed : seedOf(nonce)
    const candidate = { target, settings: { ...settings, seed }, contract, requirements, dataset, datasetFile, journal }
    const interruption = new AbortController()
    onEnd(() => interruption.abort())
    let done = 0
    const onResult = () => {
      if (++done % BETWEEN_PROGRESS === 0) console.error(`${done} of ${requirements.length} judged or observed`)
    }
    const run = await judgeForCertificate(candidate, onResult, interruption.signal)
    await folder.write(run.report, run.evidence)
    console.log(`\n${summaryOf(run.report, requestsOf(run.report))}\n`)
    const nearby = path.relative(standingFolder(), directory) || '.'
    const shown = nearby.startsWith('..') ? directory : nearby
    if (run.denials.length > 0) return deny(run, shown, interruption.signal.aborted)
    const certificate = await writeCertificate(directory, run, { ...candidate, published }, nonce, privateKey)
    const { signature, narrowedTo } = certificate
    console.log(
      `CERTIFIED${narrowedTo ? `, narrowed to ${narrowedTo.join(', ')}` : ''}: ${shown}/${CERTIFICATE_FILE} and ${CERTIFICATE_PAGE_FILE}${signature ? `, signed with the key ${fingerprintOf(signature.publicKey)}` : ', not signed'}.`,
    )
    const besides = strangersIn(directory).filter((name) => name !== LOCK_FILE)
    if (besides.length > 0)
      console.log(`Hand it over without what it does not vouch for, which verify refuses: ${besides.join(', ')}.`)
    if (nonce === undefined) console.log('Without CERTIFICATION_NONCE, nobody can tell when the evidence was recorded.')
  } catch (error) {
    if (!(error instanceof PreflightError || error instanceof RunEnded)) throw error
    process.exitCode = EXIT_STATUS.broken
    console.error(`No certificate: ${RedactionPolicy.ofPublicData(target).text(error.message)}`)
  } finally {
    await close()
  }
})

/** @throws SettingError naming everything that is missing. */
function checkSettings({ target, allowWrites, level, failOn, operations }: Settings): void {
  const isRead = operations?.includes('updateContact') === false
  const missing = [
    ...(target && target.dataset === undefined ? ['DATASET'] : []),
    ...(target && target.otherAccessToken === undefined && target.otherAccessTokenCommand === undefined
      ? ['OTHER_ACCESS_TOKEN']
      : []),
    ...(isRead || (target ? target.allowWrites : (allowWrites ?? true)) ? [] : ['ALLOW_WRITES=true']),
  ]
  if (missing.length > 0)
    throw new SettingError(`A certificate leaves nothing out, and needs ${missing.join(' and ')}; --help tells more.`)
  if (level === 'stated') throw new SettingError('LEVEL is "stated", and a certificate needs all levels; unset it.')
  if (failOn.length > 0)
    throw new SettingError('FAIL_ON is for npm run conformance; a certificate needs everything, so unset it.')
}

/** @throws SettingError where nothing that is asked follows from the nonce, and older evidence would fit it. */
function checkNonce(contract: Contract, { operations }: Settings, nonce: string | undefined): void {
  if (nonce !== undefined && operations && !isDecidedByNonce(contract, operations))
    throw new SettingError(
      `CERTIFICATION_NONCE decides nothing that is asked of ${operations.join(' and ')}, and proves nothing: unset it, or certify another operation with them.`,
    )
}

/** @throws SettingError where a data set of somebody's own could not exercise everything. */
async function checkData(
  contract: Contract,
  requirements: readonly Requirement[],
  dataset: Dataset,
  settings: Settings,
): Promise<void> {
  const demands = requirements.filter(({ level }) => level !== 'observed')
  const lacking = await shortcomings(contract, demands, dataset, settings)
  if (lacking.length === 0) return
  const [{ requirement, reason }] = lacking as [(typeof lacking)[number]]
  throw new SettingError(
    `DATASET cannot exercise ${lacking.length} of ${demands.length} requirements on pages of ${pageSizesFor(dataset, settings).join(' or ')} records, such as ${requirement.id} (${reason}); npm run dataset -- --check tells them all.`,
  )
}

/** What an earlier run left changed is put back before, so that the evidence is of this run alone. */
async function putBackWhatWasLeft(
  target: TargetSettings,
  settings: Settings,
  contract: Contract,
  journal: string | undefined,
): Promise<void> {
  if (journal === undefined) return
  const session = new Session(new Run(target, settings, contract, { journal }))
  try {
    const restored = await finishEarlierRun(session)
    if (restored > 0)
      console.log(`A run that was killed had left ${restored} contact(s) changed; they have been put back.`)
  } finally {
    await session.run.close()
  }
}

function deny({ denials, report }: CertificationRun, folder: string, isInterrupted: boolean): void {
  process.exitCode = isInterrupted ? INTERRUPTED : DENIED[report.verdict]
  console.log(`Reports: ${folder}\n\nNO CERTIFICATE, for these reasons:`)
  for (const denial of denials) console.log(`  ${withoutControls(denial)}`)
  const outcomes = new Set(report.requirements.map(({ level, outcome }) => level !== 'observed' && outcome))
  if (outcomes.has('failed'))
    console.log(`What failed: ${folder}/index.html shows the answers, and repeats each request.`)
  if (outcomes.has('not exercised') && !isInterrupted)
    console.log(
      'What was not exercised: load all of DATASET, with its times of creation and both companies, as spec/guides/loading-data.md describes.',
    )
}

function readKey(file: string): KeyObject {
  const key = signingKey(readFileSync(file, 'utf8'))
  if (key) return key
  throw new SettingError(
    'CERTIFICATION_KEY_FILE holds no private Ed25519 key without a passphrase; name the file that npm run certify:key wrote.',
  )
}
