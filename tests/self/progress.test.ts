import { expect, test } from '@playwright/test'
import { examinedInWords } from '../reporting/wording/examined.ts'
import { progressLine } from '../reporting/playwright/progress-line.ts'

const PROGRESS = { judged: 12, selected: 377, requests: 340, seconds: 95.9 }

test('progress is how many requirements, how many requests, and how long', () => {
  expect(progressLine(PROGRESS, 80)).toBe('12 of 377 requirements, 340 requests, 1:35')
})

test('before the tests are known, the target is being reached', () => {
  const start = { judged: 0, selected: 0, requests: 1, seconds: 4 }
  expect(progressLine(start, 80)).toBe('reaching the target, 1 request, 0:04')
})

test('progress is one line, as wide as the terminal at most', () => {
  expect(progressLine(PROGRESS, 30)).toBe('12 of 377 requirements, 340 re')
})

test('one thing that was examined is told in the singular', () => {
  const examined = { refusals: 1, searches: 1, 'queries without a page number': 1, 'accepted updates': 1, days: 2 }

  expect(examinedInWords(examined)).toEqual([
    '1 refusal',
    '1 search',
    '1 query without a page number',
    '1 accepted update',
    '2 days',
  ])
})
