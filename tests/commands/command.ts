import { accessSync, constants, existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { printable, SettingError } from '../engine/settings/settings.ts'
import { withoutControls } from '../reporting/wording/finding-line.ts'
import { ignoreClosedOutput } from '../run/closed-output.ts'

/** Wrong words on the command line; its message is one sentence. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/**
 * The only word that a command may be given; --help prints its usage instead.
 * @param what the word is, such as `folder`.
 * @returns undefined where the command has nothing more to do.
 */
export function readArgument(usage: string, what: string): { readonly argument: string | undefined } | undefined {
  const { values, positionals } = parseArgs({
    options: { help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  })
  if (positionals.length > 1 && !values.help) throw new UsageError(`Give one ${what}; --help tells more.`)
  if (!values.help) return { argument: positionals[0] }
  console.log(usage)
  return undefined
}

/**
 * Makes sure, before there is anything to write, that a file can be written.
 * @param option what names it.
 * @throws UsageError where it can't.
 */
export function checkWritable(option: string, file: string): void {
  try {
    if (existsSync(file) && statSync(file).isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' })
    accessSync(existsSync(file) ? file : path.dirname(file), constants.W_OK)
  } catch (error) {
    throw new UsageError(
      `${option} is "${printable(file)}", which can't be written to (${(error as NodeJS.ErrnoException).code}); name another.`,
    )
  }
}

/**
 * Those of some things that an option names, or all where it isn't given.
 * @throws UsageError where it names another.
 */
export function chosen<T>(
  option: string,
  given: readonly string[] | undefined,
  all: readonly T[],
  nameOf: (one: T) => string,
): readonly T[] {
  const unknown = given?.find((name) => !all.some((one) => nameOf(one) === name))
  if (unknown !== undefined)
    throw new UsageError(`${option} is "${unknown}"; give one of: ${all.map(nameOf).join(', ')}.`)
  return all.filter((one) => given === undefined || given.includes(nameOf(one)))
}

/**
 * The whole number that an option is given.
 * @throws UsageError where it is none, or is more than the most.
 */
export function readNumber(option: string, given: string, most: number): number {
  const number = Number(given)
  if (!/^[1-9]\d*$/.test(given) || number > most)
    throw new UsageError(`${option} is "${given}"; give a whole number from 1 to ${most}.`)
  return number
}

/** Runs a command: what the user got wrong is told in one sentence, without a stack trace, and fails the process. */
export async function runCommand(run: () => Promise<void>): Promise<void> {
  ignoreClosedOutput()
  try {
    await run()
  } catch (error) {
    process.exitCode = 2
    const { name, message, code } = error as Error & { code?: string }
    const expected = error instanceof SettingError || error instanceof UsageError || code?.startsWith('ERR_PARSE_ARGS')
    // It may quote a file that somebody else has written.
    if (expected) console.error(withoutControls(message))
    else console.error(`The suite itself went wrong (${name}):`, error)
  }
}
