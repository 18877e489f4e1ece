import type { Har } from 'har-format'
import type { Contract } from '../../engine/contract.ts'
import type { Requirement } from '../../engine/judging/requirement.ts'
import type { Proof } from '../../proving/proof.ts'
import type { Report } from '../result/report-format.ts'

/** What the documentation is made of; without a report, it tells what is demanded and not what became of it. */
export interface Sources {
  readonly contract: Contract
  /** The register. */
  readonly requirements: readonly Requirement[]
  readonly report?: Report | undefined
  /** The exchanges of the report's run, as masked as they were written. */
  readonly evidence?: Har | undefined
  readonly proof?: Proof | undefined
  /** What a verified certificate says of the report's run, in a sentence. */
  readonly certified?: string | undefined
  /** Address of the report that a person reads, as seen from the documentation, where there is one. */
  readonly reportFile?: string | undefined
}
