import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { runScript } from '../run/node-process.ts'
import { median, repeat, timed, type Bench } from './figure.ts'
import { runOfCommand } from './playwright-run.ts'

/** What it takes to certify the reference service, and to check its certificate. */
export const certificate: Bench = {
  name: 'certificate',
  measure: async (runs) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'conformance-certificate-'))
    try {
      const certified = await repeat(runs, () => runOfCommand('certify', { REPORTS_DIR: folder }))
      const verified = await repeat(runs, () => timed(() => verify(folder)))
      return [
        { what: '`npm run certify`', value: median(certified.map(({ seconds }) => seconds)), unit: 's', goal: 20 },
        { what: '— requests', value: certified[0]!.requests, unit: 'requests' },
        { what: '`npm run verify`', value: median(verified.map(({ seconds }) => seconds)), unit: 's', goal: 5 },
      ]
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}

async function verify(folder: string): Promise<void> {
  const { exitCode, output } = await runScript('verify', [folder])
  if (exitCode !== 0) throw new Error(`the certificate did not hold:\n${output}`)
}
