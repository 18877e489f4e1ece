import { recordsOf } from '../engine/data/listing.ts'
import { preflight, PreflightError } from '../engine/judging/preflight.ts'
import { idOf, type ListOperation } from '../engine/data/records.ts'
import type { Session } from '../engine/judging/session.ts'
import { Unanswered } from '../engine/trouble/unanswered.ts'
import { naturalKey } from './checks/known-data/pairing.ts'
import { LISTS, PLURAL } from './operations.ts'

/** How many records of a list are known ones of each company; none are `unknown` only where all could be told. */
interface Recognised {
  readonly main: number
  readonly other: number
  /** Records that show nothing by which they could be known. */
  readonly withoutKey: number
}

/**
 * Makes sure, before anything is judged, that there is a target, that it lets the tokens in, and that it has been loaded
 * with the data set which it is said to have.
 * @throws PreflightError with a sentence on what is probably wrong, and what to do.
 */
export async function begin(session: Session): Promise<void> {
  await preflight(session)
  if (!session.dataset) return
  const seen: Recognised[] = []
  // Most often one list tells; all of them are asked for later anyway.
  for (const operation of ['listTags', ...LISTS.filter((list) => list !== 'listTags')] as const) {
    const recognised = await recognise(session, operation)
    if (!recognised || recognised.main > 0) return
    seen.push(recognised)
  }
  if (seen.some(({ withoutKey }) => withoutKey > 0) || !LISTS.some((operation) => knows(session, operation))) return
  if (seen.every(({ other }) => other === 0))
    throw new PreflightError(
      'DATASET names a data set that the target does not seem to have been loaded with: none of its records is in any list; load it, or unset DATASET.',
    )
  throw new PreflightError(await swapped(session))
}

/** Whose records the token's lists hold, when they are not those of the company that it should belong to. */
async function swapped(session: Session): Promise<string> {
  const what = "ACCESS_TOKEN lists the records of the data set's otherCompanyId and none of its companyId"
  if (session.target.otherAccessToken === undefined) return `${what}; give the token of companyId.`
  const seen = await Promise.all(LISTS.map((operation) => recognise(session.as('other'), operation)))
  const isSwapped = seen.some((one) => one && one.main > 0)
  return isSwapped
    ? `${what}, and OTHER_ACCESS_TOKEN those of companyId; exchange the two tokens.`
    : `${what}; give the token of companyId.`
}

function knows({ dataset }: Session, operation: ListOperation): boolean {
  const records: readonly { readonly companyId?: string }[] = dataset![PLURAL[operation] as 'contacts']
  return records.some(({ companyId }) => companyId === dataset!.companyId)
}

/** Undefined where the list can't be had, which is for the requirements to judge. */
async function recognise(session: Session, operation: ListOperation): Promise<Recognised | undefined> {
  const { companyId, [PLURAL[operation] as 'contacts']: known } = session.dataset!
  try {
    const answer = await session.ask(operation)
    const keysOf = (record: object): unknown[] => [naturalKey(operation, record), idOf(record)]
    const listed = recordsOf(session, operation, answer).map(({ value }) => value as object)
    const listedKeys = new Set<unknown>(listed.flatMap(keysOf).filter((key) => key !== undefined && key !== null))
    const found = (known as readonly { readonly companyId?: string }[]).filter((record) =>
      keysOf(record).some((key) => listedKeys.has(key)),
    )
    return {
      main: found.filter((record) => record.companyId === companyId).length,
      other: found.filter((record) => record.companyId !== companyId).length,
      withoutKey: listed.filter((record) => naturalKey(operation, record) === undefined).length,
    }
  } catch (error) {
    if (error instanceof Unanswered) return undefined
    throw error
  }
}
