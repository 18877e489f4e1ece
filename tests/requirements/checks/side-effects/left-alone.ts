import { idOf } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { updateBody } from '../updates/learn-updates.ts'
import { put } from '../updates/send-update.ts'
import { storedBody, UPDATE_FIELDS } from '../updates/update-body.ts'
import { followsUpdates } from './follows-updates.ts'
import { putBack } from '../updates/put-back.ts'
import { noteSideEffect } from './side-effects.ts'
import type { RoundTrip } from '../updates/round-trip.ts'
import { isMany, shownIn, type Change, type Records, type WatchedList } from './watched-lists.ts'

/** A list that changes by itself goes on changing, be it behind a cache. */
const SECONDS = 4

/** So many of the updated contacts are updated once more, to see what that changes. */
const UPDATED_AGAIN = 12
/** On data that others may be changing, where most of what is seen is theirs. */
const UPDATED_AGAIN_ON_LIVE_DATA = 4

/**
 * What updates have nothing to do with is after them what it was before. What changes whenever a contact is updated again,
 * and never else, was changed by the update; so was what changed in a list of loaded data that stands still afterwards.
 * @param trips updates of all fields that are accepted.
 * @param updated ids of the contacts that were updated.
 */
export async function judgeLeftAlone(
  trial: Trial,
  lists: readonly WatchedList[],
  trips: Iterable<RoundTrip>,
  updated: ReadonlySet<string>,
): Promise<void> {
  const changed = lists.filter(({ changes }) => changes.length > 0)
  const lasting = new Map<WatchedList, readonly Change[]>()
  await trial.each(changed, async (list) => {
    const after = await standingStill(trial, list)
    // Later updates may have been of just these.
    const isSeen = ({ was, field }: Change): boolean =>
      list.changes.some((one) => idOf(one.was.value) === idOf(was.value) && one.field === field)
    if (after) lasting.set(list, list.changesBetween(list.before, after).filter(isSeen))
  })
  const left = (list: WatchedList): readonly Change[] => (list.tellsAlone && lasting.get(list)) || []
  const isEvident = (list: WatchedList): boolean => isMany(left(list))
  // What is known to change others need not be tried any more.
  const doubtful = trial.findings.length > 0 ? [] : changed.filter((list) => !isEvident(list))
  const following = doubtful.length > 0 ? await changesThatFollow(trial, doubtful, lasting, trips, updated) : new Set()
  for (const list of changed) {
    const followed = list.changes.filter((change) => following.has(change) || following.has(list))
    for (const change of followed.length > 0 ? followed : left(list)) {
      const isCertain = followed.length > 0 || isEvident(list)
      report(trial, list, change, isCertain)
      // What may be somebody else's is left as it is.
      if (isCertain) noteContact(list, change)
    }
  }
}

/** A list with changes as it is now, where it stays so for some seconds. */
async function standingStill(trial: Trial, list: WatchedList): Promise<Records | undefined> {
  if (!list.tellsByStandingStill) return undefined
  const after = await list.look()
  if (after.length === 0) return undefined
  for (let looks = 0; looks < list.looks; looks++) {
    await trial.session.pause((SECONDS * 1000) / list.looks)
    if (!list.isSame(after, await list.look())) return undefined
  }
  return after
}

/** The changes that come as often as a contact is updated, and never else; a list, where any change in it does. */
async function changesThatFollow(
  trial: Trial,
  lists: readonly WatchedList[],
  lasting: ReadonlyMap<WatchedList, unknown>,
  trips: Iterable<RoundTrip>,
  updated: ReadonlySet<string>,
): Promise<ReadonlySet<Change | WatchedList>> {
  const watched = new Map(lists.flatMap((list) => list.changes.map((change) => [change, list] as const)))
  const look = async (): Promise<ReadonlyMap<Change | WatchedList, string>> => {
    const looked = await trial.each(lists, async (list) => {
      const now = await list.look()
      const known = new Map(now.map(({ value }) => [idOf(value), value]))
      // Each time it may be another record.
      const all = list
        .changesBetween(list.before, now)
        .map((one) => [idOf(one.was.value), shownBy(one, one.now?.value)])
      const each = list.changes.map((change) => [change, shownBy(change, known.get(idOf(change.was.value)))] as const)
      return [[list, JSON.stringify(all)] as const, ...each]
    })
    return new Map<Change | WatchedList, string>(looked.flat())
  }
  const putThemBack = async (changes: Iterable<Change>): Promise<void> => {
    const owners = new Map([...changes].map((change) => [change.was, watched.get(change)!.owner]))
    for (const [{ value }, owner] of owners) if (owner) await putBack(owner, value)
  }
  // What somebody else may be changing is left as it is.
  const standing = [...watched].flatMap(([change, list]) => (lasting.has(list) ? [change] : []))
  const most = standing.length > 0 ? UPDATED_AGAIN : UPDATED_AGAIN_ON_LIVE_DATA
  const contacts = (await trial.list('listContacts')).records.filter(({ value }) => updated.has(idOf(value) ?? ''))
  const following = await followsUpdates(trial, contacts.slice(0, most), trips, look, () => putThemBack(standing))
  for (const change of standing)
    if (!following.has(change) && !following.has(watched.get(change)!))
      await leaveToOthers(watched.get(change)!, change)
  return following
}

/** Gives a contact that was put back, to see whether updates change it again, what others had given it. */
async function leaveToOthers({ owner }: WatchedList, { field, now }: Change): Promise<void> {
  if (!owner || !now || field === undefined) return
  owner.session.changes.settle({ path: { contactId: idOf(now.value)! }, owner: owner.session.caller })
  await put(owner, now.value, await updateBody(owner, now.value, storedBody(now.value)))
}

function shownBy({ field }: Change, record: Records[number]['value'] | undefined): string {
  return JSON.stringify(field === undefined ? !record : record && shownIn(record, field)) ?? ''
}

function noteContact({ owner }: WatchedList, { was, field, now }: Change): void {
  const changed = UPDATE_FIELDS.find((one) => one === field)
  if (owner && now && changed) noteSideEffect(owner, was.value, changed, now.value)
}

function report(trial: Trial, { of, owner }: WatchedList, { was, field, now }: Change, once: boolean): void {
  const done = now ? 'created' : 'deleted'
  trial.fail({
    message: `an update ${field === undefined ? done : `changed ${field} of`} ${of}${owner && field ? ' too' : ''}`,
    expected: field === undefined ? 'the records as before' : shownIn(was.value, field),
    received: field === undefined ? `the record ${idOf(was.value)} ${done}` : now && shownIn(now.value, field),
    record: idOf(was.value),
    exchange: (now ?? was).exchange,
    ...(now && field !== undefined && { pointer: `${now.pointer}/${field}` }),
    once,
  })
}
