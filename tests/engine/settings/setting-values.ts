import { existsSync } from 'node:fs'
import path from 'node:path'
import { standingFolder, type Environment } from './environment.ts'

/** A setting that can't be used. Its message is one sentence that names the setting and the remedy. */
export class SettingError extends Error {
  override readonly name = 'SettingError'
}

/** The text that a setting is given; undefined where it is none, or empty. */
export function text(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim()
  return value === '' ? undefined : value
}

/**
 * One of the words that a setting allows.
 * @throws SettingError where it is another.
 */
export function oneOf<const T extends string>(env: Environment, name: string, allowed: readonly T[]): T | undefined {
  const value = text(env, name)
  if (value === undefined) return undefined
  const match = allowed.find((candidate) => candidate === value)
  if (match === undefined)
    throw new SettingError(`${name} is "${printable(value)}"; give one of: ${allowed.join(', ')}.`)
  return match
}

/**
 * A whole number that is not less than some.
 * @throws SettingError where it is none.
 */
export function wholeNumber(env: Environment, name: string, least: number): number | undefined {
  const value = text(env, name)
  if (value === undefined) return undefined
  const number = Number(value)
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(number) || number < least || number > 2 ** 31)
    throw new SettingError(`${name} is "${printable(value)}"; give a whole number, ${least} or more.`)
  return number
}

/**
 * The path of a file that is there, counted from where the user stands.
 * @throws SettingError where there is none.
 */
export function readableFile(env: Environment, name: string): string | undefined {
  const value = text(env, name)
  if (value === undefined) return undefined
  const file = path.resolve(standingFolder(), value)
  if (!existsSync(file)) throw new SettingError(`${name} is "${printable(value)}", and there is no such file.`)
  return file
}

/** A value of somebody else's, safe to show on a terminal and short. */
export function printable(value: string): string {
  const clean = value.replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '\u{FFFD}')
  return clean.length > 120 ? `${clean.slice(0, 120)}…` : clean
}
