import type { Header, Request } from 'har-format'

/** The settings that tokens come from, by the text that stands for each in the evidence. */
const VARIABLES: Readonly<Record<string, string>> = {
  'Bearer [token]': 'Bearer $ACCESS_TOKEN',
  'Bearer [token of the second company]': 'Bearer $OTHER_ACCESS_TOKEN',
}

/** Headers that curl makes by itself. */
const OWN = /^(host|connection|content-length|accept-encoding|transfer-encoding)$/i

/**
 * The command that sends a recorded request again. Tokens are taken from the environment; of a token that had to be
 * refused the evidence tells what was wrong with it, and so does a comment.
 */
export function curlOf({
  method,
  url,
  headers,
  postData,
}: Pick<Request, 'method' | 'url' | 'headers' | 'postData'>): string {
  const bad = headers.find((header) => isAuthorization(header) && !(header.value in VARIABLES))
  const parts = [
    method === 'GET' ? 'curl --include --globoff' : `curl --include --globoff --request ${quoted(method)}`,
    ...headers.filter(({ name }) => !OWN.test(name)).map((header) => `--header ${headerOf(header)}`),
    ...(postData?.text === undefined ? [] : [`--data-raw ${quoted(postData.text)}`]),
    quoted(url),
  ]
  const command = parts.join(' \\\n  ')
  return bad ? `# BAD_AUTHORIZATION: ${bad.value.replaceAll(/^\[|\]$|\n/g, '')}\n${command}` : command
}

function headerOf(header: Header): string {
  if (!isAuthorization(header)) return quoted(`${header.name}: ${header.value}`)
  return `"Authorization: ${VARIABLES[header.value] ?? '$BAD_AUTHORIZATION'}"`
}

function isAuthorization({ name }: Header): boolean {
  return name.toLowerCase() === 'authorization'
}

/** A text that a shell takes as it is. */
function quoted(text: string): string {
  return /^[\w./:=-]+$/.test(text) ? text : `'${text.replaceAll(`'`, `'\\''`)}'`
}
