import { SettingError } from '../engine/settings.ts'

/** Wrong words on the command line; its message is one sentence. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Runs a command: what the user got wrong is told in one sentence, without a stack trace, and fails the process. */
export async function runCommand(run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    process.exitCode = 2
    const { name, message, code } = error as Error & { code?: string }
    const expected = error instanceof SettingError || error instanceof UsageError || code?.startsWith('ERR_PARSE_ARGS')
    if (expected) console.error(message)
    else console.error(`The suite itself went wrong (${name}):`, error)
  }
}
