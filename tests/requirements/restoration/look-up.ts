import type { Change } from '../../engine/judging/changes.ts'
import type { Company } from '../../engine/http/credentials.ts'
import { recordsOf } from '../../engine/data/listing.ts'
import { type Schemas, askable, idOf, sameValue } from '../../engine/data/records.ts'
import type { Session } from '../../engine/judging/session.ts'
import type { Trial } from '../../engine/judging/trial.ts'
import { Unanswered } from '../../engine/trouble/unanswered.ts'
import { isAsItWas } from './as-it-was.ts'

type Contact = Schemas['Contact']

/** A contact cannot be seen. Somebody who was sent bad tokens may turn everybody away for some seconds: that is waited for once. */
export class NotAnswered extends Unanswered {}

/** For `catch`: gives a NotAnswered, and throws any other error on. */
export function unlessNotAnswered(error: Error): NotAnswered {
  if (error instanceof NotAnswered) return error
  throw error
}

/** What others add meanwhile pushes a contact past the last page that is read otherwise. */
const PAGES_BEYOND = 25

/**
 * A contact as its owner sees it now, or who owned it before it was moved.
 * @throws NotAnswered where no list can be looked through.
 */
export async function lookUp(trial: Trial, change: Change): Promise<Contact | undefined> {
  for (const caller of ownersOf(trial.session, change)) {
    const contact = await lookUpAs(trial.session.as(caller), change)
    if (contact) return contact
  }
  return undefined
}

/**
 * The companies that a contact may belong to now: its own, and the main one, to which an update may have moved it, unless that has
 * shown a contact of its own by the same id before, as where ids are counted by company.
 */
export function ownersOf(session: Session, { owner, path, stored, sent }: Change): ReadonlySet<Company> {
  const names = [stored['name'], ...(sent['name'] ?? [])]
  const isAnothers =
    owner !== 'main' &&
    session.evidence.answers.some(
      (answer) =>
        answer.exchange.operation === 'listContacts' &&
        answer.exchange.request.caller === 'main' &&
        recordsOf(session, 'listContacts', answer).some(
          ({ value }) => idOf(value) === path['contactId'] && !names.includes(value.name),
        ),
    )
  return new Set(isAnothers ? [owner] : [owner, 'main'])
}

/** Whether a token is of the company that a contact belonged to, as other contacts show. */
export async function isOfItsCompany({ session }: Trial, { owner, stored }: Change): Promise<boolean> {
  const probe = await session.as(owner).attempt('listContacts')
  return recordsOf(session, 'listContacts', probe).some(
    ({ value: { companyId } }) => companyId !== undefined && sameValue(companyId, stored['companyId']),
  )
}

/** Looks for it by the names that it had and may have, then page by page, then in the plain list: any of these may hang. */
async function lookUpAs(session: Session, change: Change): Promise<Contact | undefined> {
  const { path, stored, sent } = change
  let isAnswered = false
  // A part of the whole list that can't be read may hold it.
  let isUnread = false
  let shownLess: Contact | undefined
  const isIt = (contact: Contact): boolean => idOf(contact) === path['contactId']
  const pageOf = async (query: Record<string, string>): Promise<Contact[] | undefined> => {
    const probe = await session.attempt('listContacts', { query }).catch((error: Error) => {
      if (!(error instanceof Unanswered)) throw error
      isUnread ||= !('searchParam' in query)
      return undefined
    })
    if (!probe?.success) return undefined
    isAnswered = true
    return recordsOf(session, 'listContacts', probe).map(({ value }) => value)
  }
  const walk = async (search: Record<string, string>): Promise<Contact | undefined> => {
    const seen = new Set<string | undefined>()
    // The first page may be number 0, and is then walked past where it is repeated.
    for (let number = 0; number <= session.settings.maxPages + PAGES_BEYOND; number++) {
      const page = await pageOf({ ...search, pageNumber: String(number) })
      const found = page?.find(isIt)
      if (found || (number > 0 && !page) || (number > 1 && page?.every((contact) => seen.has(idOf(contact)))))
        return found
      for (const contact of page ?? []) seen.add(idOf(contact))
    }
    return undefined
  }
  for (const name of new Set([stored['name'], sent['name']?.at(-1)])) {
    if (typeof name !== 'string' || askable(name) === undefined) continue
    const first = (await pageOf({ searchParam: name })) ?? []
    const found = first.find(isIt) ?? (first.length > 0 ? await walk({ searchParam: name }) : undefined)
    // A search may show less of it than the list does, or what it showed before.
    if (found && Object.keys(stored).every((field) => field in found) && isAsItWas(change, found)) return found
    shownLess ??= found
  }
  const found = (await walk({})) ?? (await pageOf({}))?.find(isIt) ?? shownLess
  if (!found && (isUnread || !isAnswered))
    throw new NotAnswered('listContacts', 'the list of contacts is not answered in a way that can be read')
  return found
}
