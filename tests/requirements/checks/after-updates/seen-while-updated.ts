import { orElse } from '../../../engine/or-else.ts'
import { idOf, type Located, type Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { updatableContacts } from '../updates/learn-updates.ts'
import type { UpdateBody, UpdateField } from '../updates/update-body.ts'
import { contactsBeforeUpdates } from './as-it-is-now.ts'
import { searchForUpdated, type Found } from './found-when-updated.ts'
import { kept } from '../updates/kept.ts'
import { updatesThatLeaveOut } from '../updates/left-out.ts'
import { pageWithoutNumber, untilShown, walkAgain } from '../updates/read-back.ts'
import { datesOf, lookByDates, lookElsewhere, type Embedded, type NotFound, type Shown } from './shown-elsewhere.ts'
import { listedBeforeUpdates } from '../side-effects/watched-lists.ts'

type Contact = Located<Schemas['Contact']>
type Contacts = readonly Contact[]

/** What the target shows before, while and after contacts are updated: in the whole list, and where else the first one is. */
export class SeenWhileUpdated {
  /** The list before any update, while each contact's texts were changed, and after the last update. */
  readonly walks: Contacts[]
  /** The other company's list, before any update and later; none without its token. */
  readonly ofTheOther: Contacts[]
  /** The first contact, where dates find it. */
  readonly dated: (Shown | NotFound)[] = []
  /** The first contact, where schedules and tags embed it, unless updates of parts tell. */
  readonly embedded: Embedded[] = []
  /** Whether a search found the first contact by its new values, of what a search looks at; and what is its own. */
  readonly found: Found = new Map()
  readonly #trial: Trial
  readonly #first: Contact
  readonly #looksElsewhere: boolean
  /** A long list that comes again unchanged is kept once. */
  readonly #known: ReadonlyMap<Schemas['Contact'], Contact>

  private constructor(trial: Trial, first: Contact, looksElsewhere: boolean, before: Contacts, ofTheOther?: Contacts) {
    this.walks = [before]
    this.ofTheOther = ofTheOther ? [ofTheOther] : []
    this.#trial = trial
    this.#first = first
    this.#looksElsewhere = looksElsewhere
    this.#known = new Map(before.map((record) => [record.value, record]))
  }

  /** Looks at everything before the first update. */
  static async begin(trial: Trial): Promise<SeenWhileUpdated> {
    await listedBeforeUpdates(trial)
    const hasOther = trial.session.target.otherAccessToken !== undefined
    const ofTheOther = hasOther ? await orElse(contactsBeforeUpdates(trial.as('other')), undefined) : undefined
    const first = (await updatableContacts(trial))[0]!
    const { takesParts } = await updatesThatLeaveOut(trial)
    const before = await contactsBeforeUpdates(trial)
    await orElse(datesOf(trial, first), [])
    return new SeenWhileUpdated(trial, first, !takesParts, before, ofTheOther)
  }

  /** Looks for a contact while values that it was given show, `after` being what was read back; in the whole list if asked to. */
  async look(contact: Contact, values: UpdateBody, after: Contact | undefined, isWalked: boolean): Promise<void> {
    if (isWalked) this.walks.push(await untilShown(this.#trial, values, after, () => this.#walk()))
    if (!after || contact !== this.#first) return
    const shown = kept(values, after)
    if (this.embedded.length === 0 && this.#looksElsewhere)
      this.embedded.push(...(await lookElsewhere(this.#trial, idOf(contact.value)!, shown)))
    if (this.dated.length === 0) this.dated.push(...(await lookByDates(this.#trial, contact, shown)))
    await searchForUpdated(this.#trial, this.found, values, after, contact.value)
  }

  /**
   * The same, and the contact as the list shows it. What is done to others when texts are changed is done again when they are
   * put back, and shows then, unless all contacts have the same: the page of the one tells as much as the whole list.
   */
  async lookInList(contact: Contact, values: UpdateBody, after: Contact | undefined): Promise<Contact | undefined> {
    const isPageEnough = !(Object.keys(values) as UpdateField[]).some((field) => this.isAlike(field))
    const page = isPageEnough
      ? await untilShown(this.#trial, values, after, () => pageWithoutNumber(this.#trial, contact))
      : []
    const isOwn = ({ value }: Contact): boolean => idOf(value) === idOf(contact.value)
    await this.look(contact, values, after, !page.some(isOwn))
    return [...page, ...this.walks.at(-1)!].find(isOwn)
  }

  async lookAtTheOther(): Promise<void> {
    if (this.ofTheOther.length > 0) this.ofTheOther.push((await walkAgain(this.#trial.as('other'))).contacts)
  }

  /** Looks at the list after the last update. */
  async end(): Promise<void> {
    this.walks.push(await this.#walk())
  }

  /** Whether all contacts show one value, which would be theirs again once it is put back. */
  isAlike(field: UpdateField): boolean {
    return new Set(this.walks[0]!.map(({ value }) => JSON.stringify(value[field]))).size === 1
  }

  async #walk(): Promise<Contacts> {
    return (await walkAgain(this.#trial)).contacts.map((record) => this.#known.get(record.value) ?? record)
  }
}
