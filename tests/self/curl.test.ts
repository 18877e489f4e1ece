import { execFileSync } from 'node:child_process'
import { expect, test } from '@playwright/test'
import { curlOf } from '../reporting/report-page/curl.ts'

const REQUEST = {
  method: 'PUT',
  url: `http://127.0.0.1:1/api/contacts/a?searchParam=it's%20[1]{2}$(id)`,
  headers: [
    { name: 'Host', value: '127.0.0.1:1' },
    { name: 'authorization', value: 'Bearer [token]' },
    { name: 'x-note', value: `"$HOME" and 'more' \`id\`` },
  ],
  postData: { mimeType: 'application/json', text: `{"name":"O'Neill\\n$(id)"}` },
}

/** The arguments that a shell hands to curl. */
function argumentsOf(command: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`
  return execFileSync('sh', ['-c', script], { env: { ACCESS_TOKEN: 't0', OTHER_ACCESS_TOKEN: 't1' } })
    .toString()
    .split('\0')
    .slice(0, -1)
}

function commandFor(authorization: string | undefined): string {
  const headers = authorization === undefined ? [] : [{ name: 'authorization', value: authorization }]
  return curlOf({ ...REQUEST, headers })
}

test('a shell sends what was sent, with the token of its environment', () => {
  const command = curlOf(REQUEST)

  expect(argumentsOf(command)).toEqual([
    '--include',
    '--globoff',
    '--request',
    'PUT',
    '--header',
    'Authorization: Bearer t0',
    '--header',
    `x-note: "$HOME" and 'more' \`id\``,
    '--data-raw',
    REQUEST.postData.text,
    REQUEST.url,
  ])
})

test("the second company's token has a variable of its own", () => {
  expect(argumentsOf(commandFor('Bearer [token of the second company]'))).toContain('Authorization: Bearer t1')
})

test('of a bad token, the command says what was wrong with it', () => {
  const command = commandFor('[with the token cut short]')

  expect(command).toMatch(/^# BAD_AUTHORIZATION: with the token cut short\ncurl /)
  expect(command).toContain('--header "Authorization: $BAD_AUTHORIZATION"')
})

test('a call without the header is sent without it', () => {
  expect(commandFor(undefined)).not.toMatch(/authorization/i)
})

test('a comment that came with the evidence stays a comment', () => {
  expect(commandFor('[x]\nrm -rf /')).toMatch(/^# BAD_AUTHORIZATION: [^\n]*\ncurl /)
})
