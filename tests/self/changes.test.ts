import { expect, test } from '@playwright/test'
import { Changes } from '../engine/changes.ts'

test('records of two companies by the same id are kept apart: each is put back as it was', () => {
  const changes = new Changes('http://service.invalid')
  const path = { contactId: '32' }
  changes.begin({ path, owner: 'main', stored: { name: 'Ana', isAdmin: true }, sent: { name: ['Bia'] } })
  changes.begin({ path, owner: 'other', stored: { name: 'Rui' }, sent: { number: [] } })
  changes.confirm({ path, owner: 'other' })
  expect(changes.open).toEqual([
    { path, owner: 'main', stored: { name: 'Ana', isAdmin: true }, sent: { name: ['Bia'] } },
    { path, owner: 'other', stored: { name: 'Rui' }, sent: { number: [] }, isLikely: true },
  ])
  changes.settle({ path, owner: 'main' })
  expect(changes.find({ path, owner: 'main' })).toBeUndefined()
  expect(changes.find({ path, owner: 'other' })?.stored).toEqual({ name: 'Rui' })
})
