import { inflateRawSync } from 'node:zlib'

const CENTRAL_ENTRY = 0x02014b50
const DEFLATED = 8

/** The data that Playwright packs into its HTML report, as text. */
export function unpacked(html: string): string {
  const packed = /data:application\/zip;base64,([A-Za-z0-9+/=]+)/.exec(html)?.[1]
  if (packed === undefined) throw new Error("Playwright's HTML report holds no packed data any more")
  const zip = Buffer.from(packed, 'base64')
  const texts: string[] = []
  for (let at = zip.indexOf('PK\x01\x02'); at !== -1 && zip.readUInt32LE(at) === CENTRAL_ENTRY;) {
    const [method, size, local] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20), zip.readUInt32LE(at + 42)]
    const data = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
    const bytes = zip.subarray(data, data + size)
    texts.push((method === DEFLATED ? inflateRawSync(bytes) : bytes).toString('utf8'))
    at += 46 + zip.readUInt16LE(at + 28) + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
    if (at + 4 > zip.length) break
  }
  return texts.join('\n')
}
