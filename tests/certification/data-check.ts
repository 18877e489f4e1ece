import type { Dataset as LoadableDataset } from '../../fixtures/dataset/records.ts'
import { variants } from '../../fixtures/faults/index.ts'
import { startService } from '../../fixtures/service/start-service.ts'
import { conformance } from '../engine/judging/conformance.ts'
import type { Contract } from '../engine/contract.ts'
import type { Dataset } from '../engine/data/dataset.ts'
import type { Requirement } from '../engine/judging/requirement.ts'
import type { RunSettings } from '../engine/settings/settings.ts'
import { begin } from '../requirements/beginning.ts'
import { PAGED, PLURAL } from '../requirements/operations.ts'
import { leaveAsItWas } from '../requirements/restoration/restoration.ts'

/** Page sizes of the reference service, and the variants that have them; the first is its own. */
const PAGE_SIZES: readonly (readonly [records: number, variant?: string])[] = [
  [20],
  [50, 'pages-of-50'],
  [1000, 'pages-of-1000'],
]

/** What a data set can't do for a requirement. */
export interface Shortcoming {
  readonly requirement: Requirement
  /** What the data lacks, or where it contradicts the contract or itself. */
  readonly reason: string
  /** Records on a page of the service that showed it. */
  readonly pageSize: number
}

/** The page sizes that a data set is tried with: those at which its longest list has several pages, within MAX_PAGES. */
export function pageSizesFor(
  { contacts, schedules, companyId }: Dataset,
  { maxPages }: Pick<RunSettings, 'maxPages'>,
): readonly number[] {
  const longest = Math.max(...[contacts, schedules].map((records) => ownCount(records, companyId)))
  const sizes = PAGE_SIZES.map(([records]) => records).filter(
    (size) => longest > size && Math.ceil(longest / size) < maxPages,
  )
  return sizes.length > 0 ? sizes : [PAGE_SIZES[0]![0]]
}

function ownCount(records: readonly { readonly companyId?: string }[], companyId: string): number {
  return records.filter((record) => record.companyId === companyId).length
}

/** Lists that have no second page: a target may show that it pages them all the same, and little of how. */
function unpaged(requirements: readonly Requirement[], dataset: Dataset, pageSize: number): readonly Shortcoming[] {
  return PAGED.flatMap((operation) => {
    const kind = PLURAL[operation] as 'contacts' | 'schedules'
    const requirement = requirements.find(({ id }) => id === `${operation}.paging.disjoint`)
    const isPaged = ownCount(dataset[kind], dataset.companyId) > pageSize
    return isPaged || !requirement ? [] : [{ requirement, reason: `Needs more than a page of ${kind}.`, pageSize }]
  })
}

/**
 * Tells which requirements a data set cannot exercise, by judging the reference service that is loaded with it.
 * @returns each requirement once, at the first page size at which it falls short.
 */
export async function shortcomings(
  contract: Contract,
  requirements: readonly Requirement[],
  dataset: Dataset,
  settings: RunSettings,
): Promise<readonly Shortcoming[]> {
  const found = new Map<string, Shortcoming>()
  for (const pageSize of pageSizesFor(dataset, settings)) {
    for (const one of unpaged(requirements, dataset, pageSize))
      if (!found.has(one.requirement.id)) found.set(one.requirement.id, one)
    const [, variant] = PAGE_SIZES.find(([records]) => records === pageSize)!
    const deviations = variants.filter(({ name }) => name === variant).map(({ deviation }) => deviation)
    const service = await startService({ dataset: dataset as unknown as LoadableDataset, deviations })
    const { url: baseUrl, accessToken, otherAccessToken } = service
    const target = { name: 'reference service', baseUrl, accessToken, otherAccessToken, allowWrites: true }
    try {
      const frame = { begin, restore: leaveAsItWas, dataset }
      const { results } = await conformance(target, settings, contract, requirements, frame)
      for (const { requirement, outcome, reason, findings } of results)
        if (outcome !== 'passed' && !found.has(requirement.id))
          found.set(requirement.id, { requirement, reason: reason ?? findings[0]!.message, pageSize })
    } finally {
      await service.close()
    }
  }
  return [...found.values()]
}
