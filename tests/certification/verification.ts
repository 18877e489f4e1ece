import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Contract } from '../engine/contract.ts'
import { readDataset } from '../engine/data/dataset.ts'
import { SettingError } from '../engine/settings/settings.ts'
import { OtherFormatVersion, readJsonAs } from '../reporting/result/read-json.ts'
import { headOf, type EvidenceEntry } from '../reporting/result/evidence-har.ts'
import { readReport, type ReadReport } from '../reporting/result/read-report.ts'
import { reportPage } from '../reporting/report-page/report-page.ts'
import {
  CERTIFICATE_FILE,
  CERTIFICATE_PAGE_FILE,
  DATASET_FILE,
  EVIDENCE_FILE,
  PAGE_FILE,
} from '../reporting/result/report-files.ts'
import type { Report } from '../reporting/result/report-format.ts'
import { suite } from '../reporting/result/report.ts'
import {
  CERTIFIED_FILES,
  exchangeDigests,
  statementOf,
  textOf,
  type Certificate,
  type Statement,
} from './certificate.ts'
import { certificatePage } from './certificate-page.ts'
import { certificationRequirements } from './certification-requirements.ts'
import { differencesOf } from './differences-of-reports.ts'
import { asJson, digestOf } from './digest.ts'
import { judgeAgain } from './judge-again.ts'
import { isDecidedByNonce, seedOf } from './nonce.ts'
import { isSameKey, isSignatureOf } from './signature.ts'
import { strangersIn } from './strangers.ts'
import { faultsOfTimes } from './times-of-evidence.ts'

const DAY_MS = 24 * 3600 * 1000

/** What is expected of a certificate by the party that checks it. */
export interface Expected {
  /** Whether other files may lie beside those of the certificate. */
  readonly mayHoldMore?: boolean
  /** The nonce that was issued for it. */
  readonly nonce?: string
  /** PEM of the public key that must have signed it. */
  readonly publicKey?: string
  /** File of the published data set. */
  readonly publishedDataset: string
}

/** What checking a certificate came to. */
export interface Verification {
  /** Undefined where its file holds something else. */
  readonly certificate: Certificate | undefined
  /** What is wrong, in sentences; none where the certificate holds. */
  readonly faults: readonly string[]
  /** What a reader should know though nothing is wrong, in sentences. */
  readonly remarks: readonly string[]
}

/**
 * Checks a certificate and everything that it rests on, offline: digests, signature, nonce, and every requirement judged
 * again from the evidence.
 * @throws SettingError where the folder holds no certificate, or one of another format.
 */
export async function verify(contract: Contract, folder: string, expected: Expected): Promise<Verification> {
  const file = path.join(folder, CERTIFICATE_FILE)
  const certificate = readCertificate(contract, file)
  if (certificate === undefined)
    throw new SettingError(`${folder} holds no ${CERTIFICATE_FILE}; name a folder that npm run certify has written to.`)
  if (typeof certificate === 'string') return { certificate: undefined, faults: [certificate], remarks: [] }
  const besides = expected.mayHoldMore
    ? []
    : strangersIn(folder).map((name) => `${name} is in the folder, and not of the certificate: remove it.`)
  const missing = CERTIFIED_FILES.filter(
    (name) => !statSync(path.join(folder, name), { throwIfNoEntry: false })?.isFile(),
  )
  if (missing.length > 0)
    return { certificate, faults: [`${missing.join(', ')}: not in the folder.`, ...besides], remarks: [] }
  const ofItself = [...besides, ...faultsOfItself(certificate, readFileSync(file, 'utf8'), expected)]
  // Nobody else can have changed anything that it vouches for.
  const isVouchedFor = ofItself.length === 0 && expected.publicKey !== undefined
  const changed = changedFiles(folder, certificate)
  try {
    const read = readReport(contract, folder)
    const judged = await judgedAgain(contract, folder, certificate, read, isVouchedFor)
    return {
      certificate,
      faults: [
        ...ofItself,
        ...changed.map(changeOf),
        ...faultsOfEvidence(certificate, read, changed.includes(EVIDENCE_FILE)),
        ...faultsOfStatement(contract, folder, certificate, read, expected),
        ...faultsOfTarget(read),
        ...judged.faults,
      ],
      remarks: judged.remarks,
    }
  } catch (error) {
    // Of files that were changed, anything may go wrong.
    const { message } = error as Error
    const why =
      error instanceof SettingError || changed.length > 0 ? message : `The files cannot be checked: ${message}.`
    return { certificate, faults: [...ofItself, ...changed.map(changeOf), why], remarks: [] }
  }
}

/** The certificate of a folder, or a sentence on what its file holds instead; undefined where there is no file. */
function readCertificate(contract: Contract, file: string): Certificate | string | undefined {
  try {
    return readJsonAs<Certificate>(contract, file, 'certificate')
  } catch (error) {
    if (!(error instanceof SettingError) || error instanceof OtherFormatVersion) throw error
    return error.message
  }
}

function faultsOfItself(certificate: Certificate, text: string, { publicKey }: Expected): string[] {
  const { signature, sha256 } = certificate
  const isKept = digestOf(textOf(certificate)) === sha256 && asJson(certificate) === text
  return [
    ...(isKept ? [] : [`${CERTIFICATE_FILE} was changed: its content does not fit its own digest.`]),
    ...(signature && !isSignatureOf(textOf(certificate), signature)
      ? [`${CERTIFICATE_FILE} was changed after it was signed: the signature does not fit.`]
      : []),
    ...(publicKey !== undefined && !(signature && isSameKey(signature.publicKey, publicKey))
      ? [
          signature
            ? 'The certificate was signed with another key than the one given.'
            : 'The certificate is not signed.',
        ]
      : []),
  ]
}

function changedFiles(folder: string, { files }: Certificate): string[] {
  return CERTIFIED_FILES.filter((name) => digestOf(readFileSync(path.join(folder, name))) !== files[name])
}

function changeOf(file: string): string {
  return `${file} was changed: it does not fit the digest in the certificate.`
}

function faultsOfEvidence({ exchanges }: Certificate, { evidence, report }: ReadReport, isChanged: boolean): string[] {
  if (!evidence) return []
  const { entries, ...head } = evidence.log
  const isOfReport = isDeepStrictEqual({ ...evidence, log: head }, { log: headOf(report.suite) })
  return [
    ...(isChanged ? changedExchanges(exchanges, exchangeDigests(evidence)) : []),
    ...(isOfReport ? [] : [`${EVIDENCE_FILE} names another suite, or commit of it, than the report, or holds more.`]),
    ...misplaced(entries as unknown as readonly EvidenceEntry[]),
    ...faultsOfTimes(report, entries as unknown as readonly EvidenceEntry[]),
  ]
}

/** The first exchange that has not the number of its place, in a sentence. */
function misplaced(entries: readonly EvidenceEntry[]): string[] {
  const at = entries.findIndex((entry, index) => entry['_exchange'] !== index + 1)
  return at === -1 ? [] : [`Exchange ${at + 1} of the evidence has another number: ${entries[at]!['_exchange']}.`]
}

/** What the report says of the target and the run, and the evidence does not bear out. */
function faultsOfTarget({ report: { target, settings, finishedAt }, evidence }: ReadReport): string[] {
  const base = target?.baseUrl.replace(/\/+$/, '')
  const entries = (evidence?.log.entries ?? []) as unknown as readonly EvidenceEntry[]
  const elsewhere = entries.find(({ request }) => base !== undefined && !request.url.startsWith(`${base}/`))
  return [
    ...(elsewhere ? [`Exchange ${elsewhere['_exchange']} went to another address than that of the target.`] : []),
    ...(settings && settings.level !== 'implied' ? ['The run left requirements out: its level is not implied.'] : []),
    ...(Date.parse(finishedAt) > Date.now() + DAY_MS ? ['The run is dated in the future.'] : []),
  ]
}

/** Pages that are not as this version of the suite writes them: they follow from the certificate and the report. */
async function otherPages(folder: string, certificate: Certificate, read: ReadReport): Promise<string[]> {
  const { files, exchanges: _exchanges, sha256: _sha256, signature, ...statement } = certificate
  const pages = {
    [CERTIFICATE_PAGE_FILE]: await certificatePage(statement, read.report, { files, publicKey: signature?.publicKey }),
    [PAGE_FILE]: await reportPage(read.report, read.evidence),
  }
  return Object.entries(pages)
    .filter(([name, page]) => readFileSync(path.join(folder, name), 'utf8') !== page)
    .map(([name]) => name)
}

/** What was done to the exchanges of evidence that was changed, in a sentence. */
function changedExchanges(certified: readonly string[], found: readonly string[]): string[] {
  const at = certified.findIndex((digest, index) => found[index] !== digest)
  const gap = found.length - certified.length
  const number = (at === -1 ? certified.length : at) + 1
  if (gap < 0) return [`${-gap} exchange(s) were left out of the evidence, the first of them number ${number}.`]
  if (gap > 0) return [`${gap} exchange(s) were added to the evidence, the first of them as number ${number}.`]
  if (at === -1) return [`${EVIDENCE_FILE} was written in another way than the suite writes it.`]
  const other = found.indexOf(certified[at]!)
  return [
    other === -1
      ? `Exchange ${number} of the evidence was changed.`
      : `Exchanges ${number} and ${other + 1} of the evidence were exchanged with one another.`,
  ]
}

/** What the certificate says otherwise than the report, the data set and this suite. */
function faultsOfStatement(
  contract: Contract,
  folder: string,
  certificate: Certificate,
  { report }: ReadReport,
  { nonce, publishedDataset }: Expected,
): string[] {
  if (report.settings === null || report.target === null || report.dataset === null)
    return ['The report is of a run that judged nothing.']
  const data = {
    given: readDataset(contract, DATASET_FILE, path.join(folder, DATASET_FILE)),
    published: readDataset(contract, 'The published data set', publishedDataset),
  }
  const ought = statementOf(report, data, certificate.nonce ?? undefined, certificate.tokenShapes)
  const parts = Object.keys(ought) as (keyof Statement)[]
  const isSame = (part: keyof Statement): boolean =>
    isDeepStrictEqual(JSON.parse(JSON.stringify(ought[part])), certificate[part])
  const denied = report.requirements.filter(({ level, outcome }) => level !== 'observed' && outcome !== 'passed')
  return [
    ...parts
      .filter((part) => !isSame(part))
      .map((part) => `The certificate's ${part} is not what follows from the report and the data set.`),
    ...(certificate.narrowedTo && !report.settings.operations
      ? ['The certificate is narrowed, and the report is not.']
      : []),
    ...denied.map(({ id, outcome }) => `The report has no certificate's outcomes: ${id} is ${outcome}.`),
    ...(certificate.nonce !== null && seedOf(certificate.nonce) !== report.settings.seed
      ? ['The run was not made for the nonce of the certificate: its random values are others.']
      : []),
    ...(nonce !== undefined && nonce !== certificate.nonce
      ? [
          `The certificate was not made for the nonce given, but for ${certificate.nonce === null ? 'none' : JSON.stringify(certificate.nonce)}.`,
        ]
      : []),
    ...(nonce !== undefined && certificate.narrowedTo && !isDecidedByNonce(contract, certificate.narrowedTo)
      ? [`A nonce decides nothing that is asked of ${certificate.narrowedTo.join(' and ')}: the evidence may be older.`]
      : []),
    ...(digestOf(readFileSync(path.join(folder, DATASET_FILE))) === report.dataset.sha256
      ? []
      : [`${DATASET_FILE} is not the data set that the run was made with.`]),
  ]
}

/** Whether a version, such as 1.10.0, is later than another. */
function isLater(one: string, other: string): boolean {
  return one.localeCompare(other, 'en', { numeric: true }) > 0
}

/** What passed in a report and does not when this version judges its evidence, in sentences. */
function unconfirmedBy(again: Report, report: Report, version: string): string[] {
  const confirmed = new Set(again.requirements.flatMap(({ id, outcome }) => (outcome === 'passed' ? [id] : [])))
  const others = report.requirements.filter(({ id, outcome }) => outcome === 'passed' && !confirmed.has(id))
  if (others.length === 0) return []
  return [
    ...others.map(({ id }) => `${id}: the report says passed, and this version of the suite cannot confirm it.`),
    `Check the certificate with version ${version} of the suite, which made it.`,
  ]
}

/**
 * Judges the evidence again; a suite of another version says so, and lists what it judges otherwise.
 * @param isVouchedFor whether a known key has signed it.
 */
async function judgedAgain(
  contract: Contract,
  folder: string,
  certificate: Certificate,
  read: ReadReport,
  isVouchedFor: boolean,
): Promise<Pick<Verification, 'faults' | 'remarks'>> {
  const { report, evidence } = read
  if (!evidence || report.settings === null) return { faults: [], remarks: [] }
  const requirements = certificationRequirements(contract, report.settings.operations)
  const dataset = readDataset(contract, DATASET_FILE, path.join(folder, DATASET_FILE))
  let again: Awaited<ReturnType<typeof judgeAgain>>
  try {
    again = await judgeAgain({ report, evidence, dataset, tokens: certificate.tokenShapes }, contract, requirements)
  } catch (error) {
    if (error instanceof SettingError) throw error
    return { faults: [`The evidence cannot be judged again: ${(error as Error).message}`], remarks: [] }
  }
  const differences = differencesOf(report, again)
  const cut = again.recording.incomplete
  const remarks = [
    ...(cut.length > 0
      ? [
          `Answers of ${cut.length} exchange(s) are kept by their beginning and their digest alone; what rests on the rest of them cannot be judged again.`,
        ]
      : []),
  ]
  const others = (['contract', 'register'] as const).filter(
    (part) => certificate[part].sha256 !== again.report[part].sha256,
  )
  const pages = await otherPages(folder, certificate, read)
  const { version } = suite()
  const { version: made } = certificate.suite
  if (made !== version) {
    const isAlike = differences.length + others.length + pages.length === 0
    return {
      // Another version may count otherwise; but what passed is to pass again. And anybody could have written the number
      // of another version, to have less checked, into what no known key has signed.
      faults: [
        ...(isAlike || isVouchedFor
          ? []
          : [
              `Only version ${made} of the suite, which the certificate names, can check all of it: verify it with that, or give the key that signed it by --key.`,
            ]),
        ...(isLater(made, version)
          ? [`Made by version ${made} of the suite, which is later than this one, ${version}: check it with that.`]
          : []),
        ...unconfirmedBy(again.report, report, made),
      ],
      remarks: [
        ...(pages.length > 0
          ? [`Not checked: ${pages.join(' and ')}, as version ${version} of the suite does not write them so.`]
          : []),
        ...remarks,
        `Made by version ${made} of the suite, and judged again by version ${version}${differences.length === 0 ? ', with the same outcomes.' : ':'}`,
        ...differences,
        ...others.map((part) => `Its ${part} is another than this version's, and is not checked.`),
      ],
    }
  }
  return {
    faults: [
      ...pages.map((name) => `${name} does not show what the certificate and the report say.`),
      ...others.map((part) => `The certificate was made with another ${part} than this suite's.`),
      ...differences,
    ],
    remarks,
  }
}
