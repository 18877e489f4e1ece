import { expect, test } from '@playwright/test'
import { updateBefore } from '../reporting/report-page/update-before.ts'
import type { EvidenceEntry } from '../reporting/result/evidence-har.ts'
import { aFinding, aRequirement } from './small-run.ts'

const ENTRIES = ['PUT /contacts/a', 'PUT /contacts/b', 'GET /contacts', 'PUT /contacts/a', 'POST /other'].map(
  (line, index) => {
    const [method, url] = line.split(' ')
    const operation = url === '/other' ? 'other' : method === 'GET' ? 'listContacts' : 'updateContact'
    return { _exchange: index + 1, _operation: operation, request: { method, url } } as EvidenceEntry
  },
)

for (const [what, record, exchange, update] of [
  ['of its record', 'a', 3, 1],
  ['that was the last, of another record', 'c', 3, 2],
  ['never one that came later', 'a', 1, undefined],
] as const)
  test(`an answer was shown after the update ${what}`, () => {
    const finding = aFinding({ exchange, record })
    const requirement = aRequirement({ operations: ['updateContact'], findings: [finding] })

    const found = updateBefore({ requirement, finding, operation: 'listContacts' }, (number) => ENTRIES[number - 1])

    expect(found).toBe(update && ENTRIES[update - 1])
  })
