import type { KeyObject } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Har } from 'har-format'
import { conformance } from '../engine/judging/conformance.ts'
import type { Contract } from '../engine/contract.ts'
import type { Dataset } from '../engine/data/dataset.ts'
import { WHAT_IS_CUT } from '../engine/http/kept-bodies.ts'
import type { Requirement, Result } from '../engine/judging/requirement.ts'
import type { RunSettings, TargetSettings } from '../engine/settings/settings.ts'
import { RedactionPolicy } from '../reporting/redaction/redaction-policy.ts'
import { cutAnswers, evidenceHar } from '../reporting/result/evidence-har.ts'
import { CERTIFICATE_FILE, CERTIFICATE_PAGE_FILE, DATASET_FILE } from '../reporting/result/report-files.ts'
import type { Report } from '../reporting/result/report-format.ts'
import { reportOf } from '../reporting/result/report.ts'
import { begin } from '../requirements/beginning.ts'
import { leaveAsItWas } from '../requirements/restoration/restoration.ts'
import { CERTIFIED_FILES, exchangeDigests, statementOf, suiteCommit, textOf, type Certificate } from './certificate.ts'
import { certificatePage } from './certificate-page.ts'
import { differencesOf } from './differences-of-reports.ts'
import { asJson, digestOf } from './digest.ts'
import { judgeAgain, unshared } from './judge-again.ts'
import { publicKeyOf, signed } from './signature.ts'
import { tokenShape } from './token-shape.ts'

/** What is to be certified, and by what. */
export interface Candidate {
  readonly target: TargetSettings
  readonly settings: RunSettings
  readonly contract: Contract
  readonly requirements: readonly Requirement[]
  readonly dataset: Dataset
  readonly datasetFile: string
  readonly journal: string | undefined
}

/** A run in which nothing was left out, and why it earns no certificate, if it doesn't. */
export interface CertificationRun {
  readonly report: Report
  readonly evidence: Har
  /** In sentences; none where it earns one. */
  readonly denials: readonly string[]
}

/**
 * Judges a target by every requirement, and its evidence once more by itself: what nobody else could judge alike from
 * the evidence certifies nothing.
 * @throws PreflightError where the target can't be reached, refuses a token or was not loaded with the data set.
 */
export async function judgeForCertificate(
  { target, settings, contract, requirements, dataset, datasetFile, journal }: Candidate,
  onResult: (result: Result) => void,
  signal: AbortSignal,
): Promise<CertificationRun> {
  const startedAt = new Date()
  const policy = RedactionPolicy.ofPublicData(target)
  const { results, session, left } = await conformance(unshared(target), settings, contract, requirements, {
    begin,
    restore: leaveAsItWas,
    dataset,
    journal,
    onResult,
    signal,
    hide: (token) => policy.hide(token),
    tell: (text) => console.error(policy.text(text)),
  })
  const { isInterrupted: interrupted, trouble, waited, evidence: seen } = session.run
  const known = { contract, requirements, startedAt, settings, target, dataset, datasetFile, left, waited, policy }
  const report = reportOf({ ...known, interrupted, trouble, commit: suiteCommit() }, results, seen)
  const evidence = evidenceHar(seen.exchanges, policy, report)
  const denials = denialsOf(report)
  if (denials.length > 0) return { report, evidence, denials }
  const tokens = tokenShapes(target)
  const again = await judgeAgain({ report, evidence: asRead(evidence), dataset, tokens }, contract, requirements)
  const differences = differencesOf(report, again)
  const cut = cutAnswers(evidence)
  if (differences.length === 0 || cut === 0) return { report, evidence, denials: differences }
  const denial = `The evidence holds the beginning of ${cut} answers alone, so that nobody could judge them again (it cuts ${WHAT_IS_CUT}); certify with smaller pages, or fewer records.`
  return { report, evidence, denials: [denial] }
}

/**
 * Writes the certificate of a run that earns one beside its report.
 * @param privateKey signs it, where one is given.
 */
export async function writeCertificate(
  folder: string,
  { report, evidence }: CertificationRun,
  { target, dataset, datasetFile, published }: Candidate & { readonly published: Dataset },
  nonce: string | undefined,
  privateKey: KeyObject | undefined,
): Promise<Certificate> {
  const statement = statementOf(report, { given: dataset, published }, nonce, tokenShapes(target))
  const write = (file: string, content: string | Buffer): void => writeFileSync(path.join(folder, file), content)
  write(DATASET_FILE, readFileSync(datasetFile))
  const digests = (names: readonly string[]): Record<string, string> =>
    Object.fromEntries(names.map((name) => [name, digestOf(readFileSync(path.join(folder, name)))]))
  const shown = digests(CERTIFIED_FILES.filter((name) => name !== CERTIFICATE_PAGE_FILE))
  const publicKey = privateKey && publicKeyOf(privateKey)
  write(CERTIFICATE_PAGE_FILE, await certificatePage(statement, report, { files: shown, publicKey }))
  const files = { ...shown, ...digests([CERTIFICATE_PAGE_FILE]) }
  const vouched = { ...statement, files, exchanges: exchangeDigests(asRead(evidence)) }
  const text = textOf(vouched)
  const signature = privateKey === undefined ? {} : { signature: signed(text, privateKey) }
  const certificate: Certificate = { ...vouched, sha256: digestOf(text), ...signature }
  write(CERTIFICATE_FILE, asJson(certificate))
  return certificate
}

/** Why a run earns no certificate, in sentences. */
function denialsOf(report: Report): string[] {
  const { requirements, interrupted, trouble, leftChanged = [] } = report
  const decisive = requirements.filter(({ level, outcome }) => level !== 'observed' || outcome === 'broken')
  return [
    ...(interrupted ? ['The run was interrupted.'] : []),
    ...(trouble === undefined ? [] : [trouble]),
    ...leftChanged.map((sentence) => `Not put back: ${sentence}.`),
    ...decisive
      .filter(({ outcome }) => outcome !== 'passed')
      .map(({ id, outcome, reason, findings }) => `${id} ${outcome}: ${reason ?? findings[0]!.message}`),
  ]
}

/** Evidence as it is read from its file, where nothing is undefined. */
function asRead(evidence: Har): Har {
  return JSON.parse(JSON.stringify(evidence)) as Har
}

function tokenShapes({ accessToken, otherAccessToken }: TargetSettings): readonly [string, string] {
  return [tokenShape(accessToken), tokenShape(otherAccessToken!)]
}
