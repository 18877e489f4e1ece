import { idOf, sameValue, type Located, type Schemas } from '../../../engine/data/records.ts'
import { isServerError } from '../../../engine/trouble/kinds-of-trouble.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { canBePutBack, hasMarkup, inForm, storedBody, type UpdateBody, type UpdateField } from './update-body.ts'
import { updatableContact } from './learn-updates.ts'
import { contrastingContact } from './contrasting-contact.ts'
import { isFoundByItsLetters } from '../after-updates/found-by-its-letters.ts'
import { isKept } from './kept.ts'
import { failNotReadBack } from './not-read-back.ts'
import { isReadBack, isSpoilt, roundTrip, roundTrips, type RoundTrip } from './round-trip.ts'
import { sharedValues } from './shared-values.ts'
import { updateEveryField } from './update-every-field.ts'

/** What templates, shells, markup, addresses and databases take for something else. */
const SIGNS = `US$& $1 {{x}} \${y} %s %41 100% n a\\n'b' "c" <i>1</i> &lt; (d) [e] f_g *h* ~i~ j|k=l: m? n! @o +#; p, q --`

/** A name that no code spoils. */
const PLAIN_NAME = /^[A-Za-z ]+$/

/** A name that is changed in letter case alone by the update after it. */
const NAME = `Ana "Lia" $1 100%25 O'Neill & <b>Co</b> &amp; Jr., Lda (@da/loja -- :)`

/** A name so long stays of its kind with some signs behind it. */
const SHORTEST_SIGNED = 20

interface KindOfText {
  readonly name: string
  readonly title: string
  readonly changes: UpdateBody
  /** A name of the kind that people have: it is no server error, where names are accepted. */
  readonly everyday?: string
}

/** Texts that careless code spoils, in each field; each kind is sent after the one before it. */
export const TEXTS: readonly KindOfText[] = [
  {
    name: 'non-ascii',
    title: 'Text in any script survives an update or is refused.',
    everyday: 'Zoë Muñoz',
    changes: {
      name: 'Zoë da Ñandú سارة 李雷 Ωμέγα 👩‍🚀 𠮷',
      utmCampaign: 'Ação de Páscoa 👩‍💻 ❤️',
      utmContent: 'नमस्ते दुनिया 🎉',
      utmMedium: 'Привет, Łódź 🙂',
      utmSource: 'İstanbul 東京 𝒳 🛒',
      utmTerms: 'promoção – “größer” שלום مرحبا 𝒳',
    },
  },
  {
    name: 'markup',
    title: 'Markup, quotes, backslashes and words of programs survive an update or are refused.',
    everyday: "Rose O'Neill",
    changes: {
      name: NAME,
      email: 'Ana+Lia.5@Example.com',
      profilePicUrl: 'https://example.com/a%20b.jpg?size=40&v=2#top',
      utmCampaign: SIGNS,
      utmContent: SIGNS,
      utmMedium: SIGNS,
      utmSource: `"${SIGNS}"`,
      utmTerms: `'${SIGNS}'`,
    },
  },
  {
    name: 'words',
    title:
      'A text that looks like a number, like no value, or like the one before it but for letter case, survives an update or is refused.',
    changes: {
      name: NAME.toUpperCase(),
      // More digits than a number of JavaScript can tell apart; no country has this code.
      number: '999000111222333445',
      utmCampaign: 'false',
      utmContent: '0',
      utmMedium: 'Null',
      utmSource: '1e3',
      utmTerms: 'undefined',
    },
  },
  {
    name: 'literals',
    title:
      'A text that looks like a date, an object, a flag, a formula, a number with zeros before it or a blank in an address, and a name that looks like no value, survive an update or are refused.',
    changes: {
      name: 'Null',
      email: 'ana_maria@mail-host.example.com',
      profilePicUrl: 'http://example.com:8080/a_b/c.jpeg?token=1&oh=2',
      utmCampaign: '2025-01-05',
      utmContent: '{"a":"\\u0041"}',
      utmMedium: 'true',
      utmSource: '007',
      utmTerms: '=summer+sale%20now',
    },
  },
  {
    name: 'long',
    title: 'Long text survives an update whole or is refused.',
    changes: {
      name: `Maria ${'Antonia '.repeat(31)}Lopes`,
      email: `${'long.'.repeat(11)}address@${'mail.'.repeat(12)}example.com`,
      profilePicUrl: `https://example.com/${'pictures/'.repeat(64)}end.jpg`,
      utmCampaign: `${'campaign '.repeat(31)}end`,
      utmContent: `${'content '.repeat(35)}end`,
      utmMedium: `${'medium '.repeat(40)}end`,
      utmSource: `${'source '.repeat(40)}end`,
      utmTerms: `${'long text '.repeat(29)}end`,
    },
  },
]

/** What becomes of a text that is emptied is open, and not what becomes of the rest of the contact. */
export const EMPTIED: UpdateBody = { utmCampaign: '', utmContent: '', utmMedium: '', utmSource: '', utmTerms: '' }

/** A text that is refused in one field may be accepted in another. */
const ALONE: readonly (readonly UpdateField[])[] = [
  ['name'],
  ['number'],
  ['email'],
  ['profilePicUrl'],
  ['utmCampaign', 'utmContent', 'utmMedium', 'utmSource', 'utmTerms'],
]

/** An update with texts, and whether a search found the contact by a name of letters beyond ASCII; undefined where that is open. */
type TripWithTexts = RoundTrip & { readonly isFound?: boolean | undefined }

/**
 * Updates of a contact, the contrasting one where none is given, with the texts of each kind, in the fields that are read
 * back when the text is plain; once per pass.
 */
export async function updatesWithTexts(
  trial: Trial,
  of?: Located<Schemas['Contact']>,
): Promise<ReadonlyMap<UpdateBody, TripWithTexts>> {
  const contact = of ?? (await contrastingContact(trial))
  return trial.session.remember(`updates with texts of ${idOf(contact.value)}`, async () => {
    const stored = storedBody(contact.value)
    const { trips: plain } = await updateEveryField(trial)
    const shared = await sharedValues(trial)
    const isUsable = (field: UpdateField): boolean =>
      canBePutBack(field, stored[field], shared) && isReadBack(plain.get(field), field) && !hasMarkup(stored[field])
    const steps = [...TEXTS.map(({ changes }) => changes), EMPTIED]
      .map((texts) => ({
        texts,
        changes: Object.fromEntries(
          Object.entries(withSignsOf(texts, stored)).filter(([field]) => isUsable(field as UpdateField)),
        ),
      }))
      .filter(({ changes }) => Object.keys(changes).length > 0)
    const found = new Map<UpdateBody, boolean | undefined>()
    const trips = await roundTrips(
      trial,
      contact,
      steps.map(({ texts, changes }) => ({
        changes,
        meanwhile: async (after) => {
          if (after) found.set(texts, await isFoundByItsLetters(trial, changes, after))
        },
      })),
    )
    return new Map(steps.map(({ texts }, index) => [texts, { ...trips[index]!, isFound: found.get(texts) }]))
  })
}

/**
 * Texts of which the name has the signs and digits of the stored one, which may be refused in new names: what is accepted can
 * be taken back then. A short name, which they would make another, is left out.
 */
function withSignsOf(texts: UpdateBody, { name: stored = '' }: UpdateBody): UpdateBody {
  const { name, ...others } = texts
  const signs = [...new Set(stored.match(/[^\p{L}\p{M}\s]/gu))].filter((sign) => !name?.includes(sign))
  if (name === undefined || signs.length === 0) return texts
  return name.length < SHORTEST_SIGNED ? others : { ...others, name: `${name} ${signs.join('')}` }
}

/** Texts are tried with a contact unlike the one that every field has been tried with, where its updates are accepted. */
export async function judgeText(trial: Trial, { changes: texts, everyday }: KindOfText): Promise<void> {
  const contacts = new Set([await contrastingContact(trial), await updatableContact(trial)])
  // What is stored has to be put back.
  const plainlyNamed = [...contacts].find(({ value }) => PLAIN_NAME.test(storedBody(value).name ?? ''))
  for (const contact of contacts) {
    const together = (await updatesWithTexts(trial, contact)).get(texts)
    if (!together) continue
    const trips = together.accepted ? [together] : []
    for (const fields of together.accepted ? [] : ALONE) {
      const some = fields.filter((field) => field in texts && !sameValue(together.sent[field], together.stored[field]))
      if (some.length > 0) trips.push(await roundTrip(trial, contact, inForm(together.sent, some)))
    }
    for (const refused of new Set([together, ...trips])) judgeCarriedOut(trial, refused)
    if (everyday !== undefined && plainlyNamed && [together, ...trips].some(({ exchange }) => isServerError(exchange)))
      await judgeEveryday(trial, plainlyNamed, everyday)
    const accepted = trips.filter((trip) => trip.accepted)
    for (const trip of accepted) judgeTextsOf(trial, texts, trip)
    if (accepted.length > 0 || trial.findings.length > 0) return
  }
  trial.notExercised(
    'Needs an update with such text that is accepted, in a field whose plain text is read back as it was sent.',
  )
}

function judgeCarriedOut(trial: Trial, { carriedOut, stored, exchange }: RoundTrip): void {
  if (carriedOut)
    trial.fail({
      message: `an update with such text was refused, and its ${carriedOut.field} stored`,
      expected: stored[carriedOut.field],
      received: carriedOut.contact.value[carriedOut.field],
      exchange,
    })
}

/** An error with a name as people have them is none of the values before it, where a plain name is accepted. */
async function judgeEveryday(trial: Trial, contact: Located<Schemas['Contact']>, name: string): Promise<void> {
  const trip = await roundTrip(trial, contact, { name })
  if (!isServerError(trip.exchange) || !(await roundTrip(trial, contact, { name: plain(name) })).accepted) return
  trial.fail({
    message: 'an update with a name as people have them was answered with a server error',
    expected: `a success, or a refusal below 500, for "${name}" as for "${plain(name)}"`,
    received: `status ${trip.exchange.response!.status}`,
    exchange: trip.exchange,
  })
}

/** A name without its accents and signs. */
function plain(name: string): string {
  return name.normalize('NFD').replace(/[^A-Za-z ]/g, '')
}

function judgeTextsOf(trial: Trial, texts: UpdateBody, trip: RoundTrip): void {
  const { sent, stored: before, after: seen } = trip
  for (const field of Object.keys(texts) as UpdateField[]) {
    if (sent[field] === undefined || sent[field] === before[field]) continue
    trial.count('texts')
    if (!seen || !isKept(field, sent, seen.value))
      failNotReadBack(trial, {
        ...trip,
        message: `a text in ${field} was accepted and then not read back as it was sent`,
        field,
        seen,
        // One of several servers may spoil it.
        once: seen !== undefined && isSpoilt(field, sent, seen.value),
      })
  }
}
