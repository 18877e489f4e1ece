import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from '@playwright/test'
import { parse } from 'dotenv'
import { Contract } from '../engine/contract.ts'
import { projectRoot } from '../engine/settings/settings.ts'
import { MODES } from '../proving/mode.ts'
import { sectionAnchor } from '../reporting/documentation/anchors.ts'
import { register } from '../requirements/register.ts'
import { EXIT_STATUS, INTERRUPTED } from '../run/exit-status.ts'

const GUIDES = readdirSync(path.join(projectRoot, 'spec/guides')).map((file) => `spec/guides/${file}`)
const PAGES = ['README.md', 'CONTRIBUTING.md', ...GUIDES]
const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> }

/** Settings that only the tests of the suite have. */
const OF_TESTS = ['CHROMIUM_PATH']

test('the README is short enough to be read at once, and leads to every guide', () => {
  const readme = read('README.md')

  expect(readme.trimEnd().split('\n').length).toBeLessThan(150)
  for (const file of ['CONTRIBUTING.md', ...GUIDES]) expect(readme, file).toContain(`](${file}`)
})

test('the README has the settings of .env.example, and no others', () => {
  // As comments, the settings of the example are those of nobody.
  const settings = Object.keys(parse(read('.env.example').replaceAll(/^# ?([A-Z_]+=)/gm, '$1')))
  const [table = ''] = /(?<=## Settings\n).*?(?=\n## )/s.exec(read('README.md')) ?? []
  const named = [...table.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell]) => cell!.match(/[A-Z_]{4,}/g) ?? [])

  expect(named.toSorted()).toEqual(settings.filter((name) => !OF_TESTS.includes(name)).toSorted())
})

test('the README has every exit status, and the number of requirements', () => {
  const readme = read('README.md')

  const statuses = [...readme.matchAll(/^\| (\d+) +\|/gm)].map(([, status]) => Number(status))
  expect(statuses).toEqual([...Object.values(EXIT_STATUS), INTERRUPTED])
  const demands = register(new Contract()).filter(({ level }) => level !== 'observed')
  expect(readme).toContain(`Judged ${demands.length} of ${demands.length}.`)
})

test('every section of the interface document that is cited has a place in the reference', () => {
  const contract = new Contract()
  const cited = new Set(register(contract).flatMap(({ source }) => source.split('; ')))
  const headings = Array.from(read('spec/guides/interface.md').matchAll(/^## (.*)$/gm), ([, heading]) => heading!)

  const ofOthers = [...cited].filter((section) => !sectionAnchor(contract, section).startsWith('#tag/interface/'))
  expect(ofOthers).toHaveLength(7 + 6)
  expect([...cited].filter((section) => !ofOthers.includes(section)).toSorted()).toEqual(headings.toSorted())
})

test('the guide to the proof has every mode', () => {
  for (const { id, title } of MODES) expect(read('CONTRIBUTING.md')).toContain(`${title} (\`${id}\`)`)
})

for (const page of PAGES) {
  test(`${page} names only commands that there are`, () => {
    const named = Array.from(read(page).matchAll(/npm run (?:-\w+ )*([\w:-]+)/g), ([, name]) => name!)

    expect([...new Set(named)].filter((name) => !Object.hasOwn(scripts, name))).toEqual([])
  })

  test(`${page} has links that lead somewhere`, () => {
    const links = Array.from(read(page).matchAll(/\]\(([^)]+)\)/g), ([, link]) => link!)

    expect(links.filter((link) => !leadsSomewhere(page, link))).toEqual([])
  })
}

function leadsSomewhere(page: string, link: string): boolean {
  const [file = '', heading] = link.split('#')
  const target = file === '' ? page : path.posix.join(path.posix.dirname(page), file)
  if (!existsSync(path.join(projectRoot, target))) return false
  return heading === undefined || headingsOf(target).includes(heading)
}

/** Where the headings of a page are linked to, as GitHub has it. */
function headingsOf(page: string): string[] {
  return Array.from(read(page).matchAll(/^#+ (.*)$/gm), ([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

function read(file: string): string {
  return readFileSync(path.join(projectRoot, file), 'utf8')
}
