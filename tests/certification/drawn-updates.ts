import * as fc from 'fast-check'
import type { UpdateBody } from '../requirements/checks/updates/update-body.ts'

/** Texts of which drawn texts are made: many scripts, signs beyond the basic plane, quotes, markup, blanks and line breaks. */
const PIECES: readonly string[] = [
  ...[
    'Ana',
    'Zoë',
    'Ñandú',
    'Łódź',
    'İstanbul',
    'Straße',
    'Nguyễn',
    'Ωμέγα',
    'Привет',
    'Київ',
    '李雷',
    '山田 花子',
    '남궁',
  ],
  ...['نور', 'שלום', 'अनन्या', 'ไทย', '😀', '👩‍🚀', '🇧🇷', '𠮷', 'e\u0301', '\u200d', '—', '…', '0', '42', '3.5%'],
  ...[
    `"`,
    `'`,
    '`',
    '\\',
    '\\n',
    '/',
    '<b>',
    '</script>',
    '&amp;',
    '&',
    '%41',
    '%',
    '_',
    '--',
    ';',
    '$1',
    '{{x}}',
    "O'Neill",
  ],
  ...[' ', '  ', '\t', '\n', '\r\n', 'null', 'undefined', 'true', '[]', '{}', '=1+1', '@', '#', '?a=b'],
]
const LONG = { minLength: 30, maxLength: 300 } as const

const pieces = fc.constantFrom(...PIECES)
const text = fc.oneof(
  { weight: 8, arbitrary: fc.array(pieces, { minLength: 1, maxLength: 12 }).map((all) => all.join('')) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }) },
  { weight: 1, arbitrary: fc.array(pieces, LONG).map((all) => all.join(' ')) },
  { weight: 1, arbitrary: fc.constantFrom('', ' ') },
)
const word = fc.stringMatching(/^[A-Za-z][A-Za-z0-9._+-]{0,20}[A-Za-z0-9]$/)
const digits = fc.stringMatching(/^\d{4}$/)

/** What may be drawn for a field. Numbers and addresses are such as nobody has. */
const VALUES = {
  name: text,
  utmCampaign: text,
  utmContent: text,
  utmMedium: text,
  utmSource: text,
  utmTerms: text,
  email: word.map((local) => `${local}@example.com`),
  number: fc.oneof(
    digits.map((last) => `3363998${last}`),
    digits.map((last) => `+33 6 39 98 ${last.slice(0, 2)} ${last.slice(2)}`),
  ),
  profilePicUrl: word.map((path) => `https://pictures.example.com/${path}/%C3%BC.jpg?size=1&v=2`),
  active: fc.boolean(),
  isAdmin: fc.boolean(),
  isOpen: fc.boolean(),
  isBotEnabled: fc.boolean(),
} satisfies { readonly [F in keyof UpdateBody]?: fc.Arbitrary<unknown> }

export type DrawnField = keyof typeof VALUES
export const DRAWN_FIELDS = Object.keys(VALUES) as DrawnField[]

/**
 * Draws changes for updates, by fast-check.
 * @param fields those that may be changed.
 */
export function drawnUpdates(fields: readonly DrawnField[], count: number, seed: number): UpdateBody[] {
  const changes = fc
    .subarray([...fields], { minLength: 1, maxLength: Math.min(4, fields.length) })
    .chain((some) =>
      fc.record(Object.fromEntries(some.map((field) => [field, VALUES[field] as fc.Arbitrary<unknown>]))),
    )
  return fc.sample(changes, { numRuns: count, seed })
}
