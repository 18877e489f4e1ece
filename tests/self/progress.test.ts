import { expect, test } from '@playwright/test'
import { progressLine, type Progress } from '../reporting/playwright/progress-line.ts'

const PROGRESS: Progress = {
  done: 12,
  selected: 377,
  requests: 340,
  seconds: 95.9,
  title: 'listTickets.filter.status-open: The status filter open returns the tickets whose status is open.',
}

test('progress is how many requirements, how many requests, how long and what about', () => {
  expect(progressLine(PROGRESS, 80)).toBe('12 of 377 requirements, 340 requests, 1:35, listTickets filter')
})

test('before the tests are known, the target is being reached', () => {
  const start = { ...PROGRESS, done: 0, selected: 0, requests: 1, seconds: 4, title: undefined }
  expect(progressLine(start, 80)).toBe('reaching the target, 1 request, 0:04')
})

test('progress is one line, as wide as the terminal at most, that cannot steer it', () => {
  const line = progressLine({ ...PROGRESS, title: '\u001B[2J\r\nTicket.\u{1F600}' }, 44)
  expect(line).toBe('12 of 377 requirements, 340 requests, 1:35, ')
  expect(progressLine({ ...PROGRESS, title: '\u001B[2J\r\nTicket.\u{1F600}' }, 80)).toMatch(
    /, \uFFFD\[2J\uFFFD Ticket \u{1F600}$/u,
  )
})
