import { execFileSync } from 'node:child_process'
import type { Har } from 'har-format'
import type { Dataset } from '../engine/data/dataset.ts'
import { projectRoot } from '../engine/settings/settings.ts'
import type { Report, ReportedObservation } from '../reporting/result/report-format.ts'
import {
  CERTIFICATE_PAGE_FILE,
  DATASET_FILE,
  EVIDENCE_FILE,
  PAGE_FILE,
  REPORT_FILE,
} from '../reporting/result/report-files.ts'
import { differences, type PartDifference } from './data-differences.ts'
import { digestOf } from './digest.ts'
import type { Signature } from './signature.ts'

/** Digits of an exchange's digest: enough to tell which one was changed. */
const EXCHANGE_DIGITS = 16

/** Files that a certificate vouches for, beside itself. */
export const CERTIFIED_FILES = [REPORT_FILE, EVIDENCE_FILE, DATASET_FILE, PAGE_FILE, CERTIFICATE_PAGE_FILE] as const

/** What a certificate says, without what vouches for it. */
export interface Statement {
  readonly formatVersion: 1
  /** The operations that were judged, where they are not all seven: the verdict speaks of these alone. */
  readonly narrowedTo?: readonly string[]
  readonly verdict: Report['verdict']
  readonly target: NonNullable<Report['target']>
  /** When the run ended, as ISO 8601. */
  readonly date: string
  readonly suite: Report['suite'] & { readonly commit: string | null }
  readonly contract: Report['contract']
  readonly register: Report['register']
  readonly dataset: {
    readonly sha256: string
    readonly published: boolean
    readonly differences: readonly PartDifference[]
  }
  /** Given by the party that asked for the certificate. */
  readonly nonce: string | null
  readonly settings: NonNullable<Report['settings']>
  /** Requirements that passed, by level and by operation. */
  readonly passed: {
    readonly levels: Readonly<Record<string, number>>
    readonly operations: Readonly<Record<string, number>>
  }
  readonly observations: readonly ReportedObservation[]
  /** Tokens of the form of those that the run had, by which bad ones can be made of the same number. */
  readonly tokenShapes: readonly [string, string]
}

/** `certificate.json`: what it says, the digests of what it rests on, its own, and a signature where a key was given. */
export interface Certificate extends Statement {
  readonly files: Readonly<Record<string, string>>
  /** The beginning of each exchange's digest, in the order of the evidence. */
  readonly exchanges: readonly string[]
  /** Of everything above. */
  readonly sha256: string
  readonly signature?: Signature
}

/** What a certificate says of a run that deserves one. */
export function statementOf(
  report: Report,
  data: { readonly given: Dataset; readonly published: Dataset },
  nonce: string | undefined,
  tokenShapes: readonly [string, string],
): Statement {
  const { settings, target, suite, contract, register, dataset, finishedAt, observations, requirements } = report
  const passed = requirements.filter(({ outcome }) => outcome === 'passed')
  const different = differences(data.given, data.published)
  return {
    formatVersion: 1,
    ...(settings!.operations && { narrowedTo: settings!.operations }),
    verdict: report.verdict,
    target: target!,
    date: finishedAt,
    suite: { ...suite, commit: suite.commit ?? null },
    contract,
    register,
    dataset: { sha256: dataset!.sha256, published: different.length === 0, differences: different },
    nonce: nonce ?? null,
    settings: settings!,
    passed: {
      levels: counted(passed.map(({ level }) => level)),
      operations: counted(passed.flatMap(({ operations }) => operations)),
    },
    observations,
    tokenShapes,
  }
}

/** The text that is signed, and whose digest a certificate holds. */
export function textOf(certificate: Omit<Certificate, 'sha256' | 'signature'>): string {
  return JSON.stringify({ ...certificate, sha256: undefined, signature: undefined })
}

/** The beginning of the digest of each exchange. */
export function exchangeDigests({ log }: Har): string[] {
  return log.entries.map((entry) => digestOf(JSON.stringify(entry)).slice(0, EXCHANGE_DIGITS))
}

/** How often each word comes. */
function counted(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1
  return counts
}

/** The commit of the suite, marked where its files have been changed since; null where it is no clone. */
export function suiteCommit(): string | null {
  try {
    return (
      git('rev-parse', 'HEAD') + (git('status', '--porcelain', '--untracked-files=no') === '' ? '' : ' with changes')
    )
  } catch {
    return null
  }
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: projectRoot, encoding: 'utf8', stdio: 'pipe' }).trim()
}
