import type { Exchange } from '../../../engine/http/exchange.ts'
import { recordsOf } from '../../../engine/data/listing.ts'
import { seededRandom } from '../../../engine/random.ts'
import { asText, idsOf, isObject, type Located, type Schemas } from '../../../engine/data/records.ts'
import type { Run } from '../../../engine/judging/run.ts'
import { isFault, type Session } from '../../../engine/judging/session.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { eventually } from '../eventually.ts'
import { unlike } from '../unlike.ts'

const TAGS_FETCHED = 25

export interface Fetched {
  /** Undefined where the answer was no tag. */
  readonly fetched: Schemas['Tag'] | undefined
  readonly status: number | undefined
  readonly success: boolean
  readonly exchange: Exchange
}

/** Those of the listed tags that are fetched, the same for whichever check asks: the first, the last, and unlike ones. */
export async function tagsToFetch(trial: Trial): Promise<readonly Located<Schemas['Tag']>[]> {
  const tags = [...(await trial.list('listTags')).byId.values()]
  const between = seededRandom(trial.session.settings.seed).helpers.shuffle(tags.slice(1, -1))
  const chosen = [
    ...tags.slice(0, 1),
    ...tags.slice(1).slice(-1),
    ...unlike(between, traitsOf, TAGS_FETCHED),
    ...between,
  ]
  return [...new Set(chosen)].slice(0, TAGS_FETCHED)
}

/** The column that a tag is shown in, how many contacts it shows, and of what letters its name is. */
function traitsOf({ value: { kanban, contacts, name } }: Located<Schemas['Tag']>): string[] {
  const isBeyondAscii = /\P{ASCII}/u.test(asText(name) ?? '')
  return [`kanban ${kanban}`, `contacts ${contacts?.length}`, `name ${isBeyondAscii}`]
}

/** Fetches a tag, once per pass. */
export async function fetchTag(trial: Trial, tagId: string): Promise<Fetched> {
  return trial.session.remember(`tag ${tagId}`, () => fetchTagAgain(trial, tagId))
}

/** As `fetchTag`, but always sent. */
export async function fetchTagAgain(trial: Trial, tagId: string): Promise<Fetched> {
  const { success, body, status, exchange } = await trial.session.attempt('getTag', { path: { tagId } })
  // A server error for a tag that is listed has no other reason than the server's own.
  const isCertain = isFault(exchange) && !success && (await isStillListed(trial, tagId))
  if (isCertain) trial.session.judge(exchange)
  return { fetched: success && isObject(body) ? (body as Schemas['Tag']) : undefined, status, success, exchange }
}

/** Tags that stayed in the list of a run's company after they could not be fetched. */
const keptListed = new WeakMap<Run, Set<string>>()
/** The list of tags that is being asked for, which tells of as many of them as wait for it. */
const beingListed = new WeakMap<Session, Promise<ReadonlySet<string | undefined>>>()

/** Whether a tag is listed now, and stays so: a list may show it for some seconds after it was deleted. */
export async function isStillListed({ session }: Trial, tagId: string): Promise<boolean> {
  const kept = keptListed.get(session.run) ?? new Set()
  keptListed.set(session.run, kept)
  const look = async (): Promise<boolean> => (await tagsListedNow(session)).has(tagId)
  // Once is enough: what was listed for so long was not deleted when it could not be fetched first.
  const isListed = await eventually(session, look, (seen) => !seen, kept.has(tagId) ? 0 : undefined)
  if (isListed) kept.add(tagId)
  return isListed
}

function tagsListedNow(session: Session): Promise<ReadonlySet<string | undefined>> {
  const asked =
    beingListed.get(session) ??
    session
      .askAgain('listTags')
      .then((reading) => idsOf(recordsOf(session, 'listTags', reading)))
      .finally(() => beingListed.delete(session))
  beingListed.set(session, asked)
  return asked
}
