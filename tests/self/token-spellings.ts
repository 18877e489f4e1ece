/** The ways in which a token could be written so that somebody could still use it; made without the suite's own code. */
export function spellingsOf(token: string): Readonly<Record<string, string>> {
  const codes = Array.from(token, (character) => character.charCodeAt(0))
  const hex = codes.map((code) => code.toString(16).padStart(2, '0'))
  return {
    raw: token,
    'upper case': token.toUpperCase(),
    'lower case': token.toLowerCase(),
    'percent-encoded': encodeURIComponent(token),
    'percent-encoded throughout': hex.map((pair) => `%${pair.toUpperCase()}`).join(''),
    'percent-encoded twice': encodeURIComponent(encodeURIComponent(token)),
    base64: base64(token),
    'base64 after one byte': base64(`x${token}y`),
    'base64 after two bytes': base64(`xx${token}yy`),
    'base64 of the header': base64(`Bearer ${token}`),
    base64url: Buffer.from(`{"token":"${token}"}`).toString('base64url'),
    hexadecimal: hex.join(''),
    'hexadecimal in upper case': hex.join('').toUpperCase(),
    'JSON escapes': hex.map((pair) => `\\u00${pair}`).join(''),
    'JSON escapes inside JSON': hex.map((pair) => `\\\\u00${pair}`).join(''),
    'escaped slashes': token.replaceAll('/', '\\/'),
    'HTML entities': codes.map((code) => `&#${code};`).join(''),
    'hexadecimal HTML entities': hex.map((pair) => `&#x${pair};`).join(''),
    'UTF-16': Array.from(token).join('\0'),
    'base64 twice': base64(base64(token)),
    'base64 of hexadecimal': base64(hex.join('')),
    'base64 in lines of eight': base64(token).replaceAll(/.{8}/g, '$&\n'),
    'a list of bytes': JSON.stringify(codes),
    'a list of bytes in lines': JSON.stringify(codes, undefined, 2),
    'a list of characters': JSON.stringify(Array.from(token)),
    'hexadecimal with colons': hex.join(':'),
    'hexadecimal literals': hex.map((pair) => `0x${pair}`).join(', '),
    'with blanks': Array.from(token).join(' '),
    'with dashes': Array.from(token).join('-'),
    reversed: Array.from(token).toReversed().join(''),
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
