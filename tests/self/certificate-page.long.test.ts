import { expect } from '@playwright/test'
import { certificatePage } from '../certification/certificate-page.ts'
import { newKeys } from '../certification/signature.ts'
import { statementOf } from '../certification/certificate.ts'
import type { Dataset } from '../engine/data/dataset.ts'
import type { Report } from '../reporting/result/report-format.ts'
import { dataset } from './own-target.ts'
import { expectAccessible, SCREENS, test } from './page-test.ts'
import { HOSTILE, sampleReport } from './sample-report.ts'

const published = dataset as unknown as Dataset
const adapted = {
  ...published,
  companyId: 'another',
  contacts: published.contacts.map((contact) => ({ ...contact, channel: 'sms' })),
}

function certificate(given: Dataset = published, operations?: readonly string[]): Promise<string> {
  const { report: sample } = sampleReport()
  const settings = { ...sample.settings!, ...(operations && { operations }) }
  const file = { file: 'dataset.json', sha256: 'ab'.repeat(32), companyId: 'one' }
  const report: Report = {
    ...sample,
    dataset: file,
    settings,
    target: { name: HOSTILE, baseUrl: 'https://crm.example.com/v2' },
  }
  const files = { 'conformance.json': 'cd'.repeat(32), 'evidence.har': 'ef'.repeat(32) }
  const statement = statementOf(report, { given, published }, 'a nonce', ['xxxx', 'xxxx'])
  return certificatePage(statement, report, { files, publicKey: newKeys().publicKey })
}

test('a certificate tells the target, the date, the suite, the data set and the nonce', async ({ openFile }) => {
  const page = await openFile(await certificate())

  await expect(page.getByRole('heading', { level: 1 })).toContainText(HOSTILE.slice(0, 40))
  for (const text of [
    '2026-11-21',
    'All seven operations',
    'the published one',
    'cd'.repeat(32),
    'ef'.repeat(32),
    /SHA256:\S{43}/,
    /maxPages/,
    'a nonce',
    'conforms to the contact-centre interface.',
  ])
    await expect(page.getByText(text).first()).toBeVisible()
})

test('a certificate that is narrowed says so before anything else', async ({ openFile }) => {
  const page = await openFile(await certificate(published, ['listTags']))

  await expect(page.locator('main > :first-child')).toHaveText('Narrowed to listTags')
  await expect(page.getByText('conforms to these operations of the contact-centre interface.')).toBeVisible()
})

test('a certificate tells where its data set differs from the published one', async ({ openFile }) => {
  const page = await openFile(await certificate(adapted))

  await expect(page.getByText('companies: companyId differs in 1')).toBeVisible()
  await expect(page.getByText(`contacts: channel differs in ${published.contacts.length}`)).toBeVisible()
})

for (const [where, { viewport, colorScheme }] of Object.entries(SCREENS))
  test(`${where}, everybody can read a certificate`, async ({ page, openFile }) => {
    await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme })
    await openFile(await certificate(adapted, ['listTags']))

    await expectAccessible(page)
  })
