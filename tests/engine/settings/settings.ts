import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { isDatePattern } from '../time/date-pattern.ts'
import {
  environment,
  isOfDotenv,
  missingDotenvFile,
  originOf,
  projectRoot,
  standingFolder,
  type Environment,
} from './environment.ts'
import { lookalikes } from './lookalikes.ts'
import type { WaitLimits } from '../trouble/trouble.ts'
import { oneOf, printable, readableFile, SettingError, text, wholeNumber } from './setting-values.ts'

export { environment, projectRoot } from './environment.ts'
export { printable, SettingError } from './setting-values.ts'

/** The settings that say what is to be judged; where none of them is given, the reference service is. */
export const TARGET_SETTINGS = [
  ...([
    'BASE_URL',
    'ACCESS_TOKEN',
    'OTHER_ACCESS_TOKEN',
    'ACCESS_TOKEN_COMMAND',
    'OTHER_ACCESS_TOKEN_COMMAND',
  ] as const),
  ...(['DATASET', 'TARGET_NAME'] as const),
]
/** A limit by the minute, which some tell with 503, and a redeployment with a cold start. */
const WAIT_LIMITS: WaitLimits = { quotaMs: 65_000, outageMs: 62_000, silenceMs: 40_000 }
const TOKENS = ['ACCESS_TOKEN', 'OTHER_ACCESS_TOKEN'] as const
const OTHER_SETTINGS = [
  ...['ALLOW_WRITES', 'LEVEL', 'DATE_FORMAT', 'REPORTS_DIR', 'REQUEST_TIMEOUT_MS', 'MAX_PAGES', 'SEED'],
  ...['MAX_REQUESTS_PER_SECOND', 'MAX_DURATION_S', 'CLIENT_CERT_FILE', 'CLIENT_KEY_FILE', 'CHROMIUM_PATH', 'FAIL_ON'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'PROFILE', 'UPDATE_PROFILE', 'OPERATIONS'],
  ...['CERTIFICATION_NONCE', 'CERTIFICATION_KEY_FILE'],
]
const SETTINGS = [...TARGET_SETTINGS, ...OTHER_SETTINGS]

/** The target to judge: where it is, who is asking, what it was loaded with and what may be done to it. */
export interface TargetSettings {
  /** Shown in reports. */
  readonly name: string
  /** Base address without a trailing slash. */
  readonly baseUrl: string
  readonly accessToken: string
  readonly otherAccessToken?: string
  /** Path of the data-set file the target was loaded with. */
  readonly dataset?: string
  readonly allowWrites: boolean
  /** Commands that print a fresh token. */
  readonly accessTokenCommand?: string
  readonly otherAccessTokenCommand?: string
  /** Whether it is the reference service, which is judged where no target is named. */
  readonly builtIn?: true
  /** Whether nobody else changes its contacts while it is judged. */
  readonly isUnshared?: true
}

/** A target as the settings name it: its tokens may have to be printed by commands first. */
export type NamedTarget = Omit<TargetSettings, 'accessToken'> & Partial<Pick<TargetSettings, 'accessToken'>>

/** The settings that hold for any target. */
export interface RunSettings {
  readonly level: 'implied' | 'stated'
  readonly dateFormat?: string
  readonly reportsDir: string
  readonly requestTimeoutMs: number
  readonly maxPages: number
  readonly maxRequestsPerSecond?: number
  readonly maxDurationS: number
  /** How long the run waits where the target does not say for how long. */
  readonly waitLimits: WaitLimits
  readonly clientCertFile?: string
  readonly clientKeyFile?: string
  /** HTTP_PROXY, HTTPS_PROXY and NO_PROXY; no proxy is ever asked for a service on this machine. */
  readonly proxies: { readonly httpProxy?: string; readonly httpsProxy?: string; readonly noProxy: string }
  /** What must have been exercised: `incomplete` for everything, or areas, operations and ids of requirements. */
  readonly failOn: readonly string[]
  /** The operations that are judged, as the contract names them; undefined where all are. */
  readonly operations?: readonly string[]
  /** Seed of every random choice; recorded in the report, so that a run can be repeated. */
  readonly seed: number
}

/** The file of observations that a target is held to. */
export interface ProfileSettings {
  readonly file: string
  /** The file as it was given. */
  readonly given: string
  /** Whether what is observed now takes the place of what was. */
  readonly update: boolean
}

export interface Settings extends RunSettings {
  /** Undefined where nothing at all names a target: the reference service is judged. */
  readonly target?: NamedTarget
  /** Where BASE_URL comes from, in words that follow "from". */
  readonly origin?: string
  /** Sentences on what looks like a setting, is none, and was not read. */
  readonly warnings: readonly string[]
  readonly profile?: ProfileSettings
  /** ALLOW_WRITES as given; the reference service allows writes unless told otherwise. */
  readonly allowWrites?: boolean
}

/**
 * Reads every setting of a conformance run.
 * @throws SettingError naming the setting that is missing or malformed.
 */
export function readSettings(env: Environment = environment()): Settings {
  checkDotenvFile()
  const allowWrites = oneOf(env, 'ALLOW_WRITES', ['true', 'false'])
  const target = namesTarget(env) ? readTarget(env, checkGiven(env), allowWrites === 'true') : undefined
  const profile = readProfileSettings(env)
  return {
    ...readRunSettings(env),
    ...(target && { target, origin: originOf('BASE_URL') }),
    ...(profile && { profile }),
    warnings: settingWarnings(env),
    ...(allowWrites !== undefined && { allowWrites: allowWrites === 'true' }),
  }
}

/** Sentences on what looks like a setting, is none, and was not read, and on tokens that are not used. */
export function settingWarnings(env: Environment = environment()): readonly string[] {
  return [
    ...lookalikes(env, SETTINGS).map(
      ({ given, meant }) => `${printable(given)} is no setting and was not read; is ${meant} meant?`,
    ),
    ...TOKENS.filter((name) => text(env, name) !== undefined && text(env, `${name}_COMMAND`) !== undefined).map(
      (name) => `${name} is not used, as ${name}_COMMAND prints the token.`,
    ),
  ]
}

/**
 * Other programs have names in the environment, too, but none in the suite's own file.
 * @throws SettingError where the file has a name that is not quite that of a setting.
 */
function checkDotenvNames(env: Environment): void {
  const slip = lookalikes(env, SETTINGS).find(({ given }) => isOfDotenv(given))
  if (slip === undefined) return
  const given = printable(slip.given)
  throw new SettingError(
    `${given} (in ${originOf(slip.given)}) is no setting; rename it to ${slip.meant}, or take it out.`,
  )
}

function checkDotenvFile(): void {
  const missing = missingDotenvFile()
  if (missing !== undefined) throw new SettingError(`DOTENV_CONFIG_PATH names ${missing}, which is not there.`)
}

/**
 * Whether anything says what is to be judged, be it empty.
 * @throws SettingError where only a name says so that is not quite that of a setting.
 */
function namesTarget(env: Environment): boolean {
  if (TARGET_SETTINGS.some((name) => env[name] !== undefined)) return true
  const slip = lookalikes(env, SETTINGS).find(({ meant }) => TARGET_SETTINGS.some((name) => name === meant))
  if (slip === undefined) return false
  throw new SettingError(
    `${slip.meant} is not set, but ${printable(slip.given)} is, which is not a setting; rename it, or unset it to judge the built-in reference service.`,
  )
}

/** The base address of a target that is to be judged, since something is given that says so. */
function checkGiven(env: Environment): string {
  const baseUrl = text(env, 'BASE_URL')
  if (baseUrl !== undefined) return baseUrl
  const remedy =
    'give the base address of the target, or unset all that names one to judge the built-in reference service'
  if (env['BASE_URL'] !== undefined)
    throw new SettingError(`BASE_URL is set and empty (in ${originOf('BASE_URL')}); ${remedy}.`)
  const given = TARGET_SETTINGS.filter((name) => env[name] !== undefined)
  throw new SettingError(
    `BASE_URL is not set, but ${given.join(' and ')} ${given.length > 1 ? 'are' : 'is'}; ${remedy}.`,
  )
}

/**
 * Reads the settings that don't name a target, as `npm run matrix` needs them.
 * @throws SettingError naming the setting that is malformed, or misspelt in the suite's own file.
 */
export function readRunSettings(env: Environment = environment()): RunSettings {
  checkDotenvNames(env)
  const dateFormat = readDateFormat(env)
  const rate = wholeNumber(env, 'MAX_REQUESTS_PER_SECOND', 1)
  const clientCertFile = readableFile(env, 'CLIENT_CERT_FILE')
  const clientKeyFile = readableFile(env, 'CLIENT_KEY_FILE')
  const operations = names(env, 'OPERATIONS')
  if ((clientCertFile === undefined) !== (clientKeyFile === undefined))
    throw new SettingError('CLIENT_CERT_FILE and CLIENT_KEY_FILE go together; set both or neither.')
  return {
    level: oneOf(env, 'LEVEL', ['implied', 'stated']) ?? 'implied',
    reportsDir: reportsDirectory(env),
    requestTimeoutMs: wholeNumber(env, 'REQUEST_TIMEOUT_MS', 1) ?? 10_000,
    maxPages: wholeNumber(env, 'MAX_PAGES', 2) ?? 25,
    maxDurationS: wholeNumber(env, 'MAX_DURATION_S', 1) ?? 300,
    waitLimits: WAIT_LIMITS,
    proxies: readProxies(env),
    failOn: names(env, 'FAIL_ON'),
    seed: wholeNumber(env, 'SEED', 0) ?? Math.floor(Math.random() * 2 ** 31),
    ...(dateFormat !== undefined && { dateFormat }),
    ...(rate !== undefined && { maxRequestsPerSecond: rate }),
    ...(operations.length > 0 && { operations }),
    ...(clientCertFile !== undefined && { clientCertFile }),
    ...(clientKeyFile !== undefined && { clientKeyFile }),
  }
}

/**
 * Reads PROFILE and UPDATE_PROFILE; undefined where no file is named.
 * @throws SettingError where there is nothing to update, or no folder for the file.
 */
export function readProfileSettings(env: Environment = environment()): ProfileSettings | undefined {
  const update = oneOf(env, 'UPDATE_PROFILE', ['true', 'false']) === 'true'
  const value = text(env, 'PROFILE')
  if (value === undefined) {
    if (update)
      throw new SettingError('UPDATE_PROFILE is set, but PROFILE is not; name the file that is to be updated.')
    return undefined
  }
  const given = printable(value)
  const file = path.resolve(standingFolder(), value)
  if (!existsSync(path.dirname(file)))
    throw new SettingError(
      `PROFILE is "${given}", and there is no such folder; make it, or name a file in another one.`,
    )
  return { file, given, update }
}

/** What `npm run certify` needs besides a run's settings. */
export interface CertificationSettings {
  /** Given by the party that asks for the certificate. */
  readonly nonce?: string
  /** File of the private key that signs it. */
  readonly keyFile?: string
}

/**
 * Reads CERTIFICATION_NONCE and CERTIFICATION_KEY_FILE.
 * @throws SettingError where the key's file can't be read.
 */
export function readCertificationSettings(env: Environment = environment()): CertificationSettings {
  const nonce = text(env, 'CERTIFICATION_NONCE')
  const keyFile = readableFile(env, 'CERTIFICATION_KEY_FILE')
  return { ...(nonce !== undefined && { nonce }), ...(keyFile !== undefined && { keyFile }) }
}

/** A list of names with commas between them. */
function names(env: Environment, name: string): string[] {
  return (text(env, name) ?? '').split(/\s*,\s*/).filter((one) => one !== '')
}

/** Where reports go; usable before any other setting has been checked. */
export function reportsDirectory(env: Environment = environment()): string {
  const given = text(env, 'REPORTS_DIR')
  return given === undefined ? path.join(projectRoot, 'reports') : path.resolve(standingFolder(), given)
}

/** Where a run's reports go: never over a target's where no target is named, but into a folder inside. */
export function runReportsDirectory(env: Environment = environment()): string {
  const folder = reportsDirectory(env)
  const isNamed = TARGET_SETTINGS.some((name) => env[name] !== undefined)
  return isNamed || isMerge() || !holdsReportsOfTarget(folder) ? folder : path.join(folder, 'reference-service')
}

/** Whether this process is Playwright's `merge-reports`: it runs no test, and the reports it merges name the target. */
export function isMerge(): boolean {
  return process.argv.includes('merge-reports')
}

function holdsReportsOfTarget(folder: string): boolean {
  const file = path.join(folder, 'conformance.json')
  if (!existsSync(file)) return false
  try {
    const { target } = JSON.parse(readFileSync(file, 'utf8')) as { target?: { builtIn?: boolean } | null }
    return target !== undefined && target !== null && target.builtIn !== true
  } catch {
    // What can't be read is nobody's.
    return false
  }
}

/**
 * Checks a base address and gives it without its trailing slash.
 * @throws SettingError where it isn't an http(s) address that paths can be appended to.
 */
export function checkBaseUrl(setting: string, value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash)
    throw new SettingError(
      `${setting} is "${printable(value)}", which is not a base address; give one such as https://host/crm/v2, without query or fragment.`,
    )
  if (url.username || url.password)
    throw new SettingError(`${setting} holds a user name or password; remove it, the bearer token alone is sent.`)
  return url.href.replace(/\/+$/, '')
}

/**
 * Checks that a token can be sent in a header.
 * @throws SettingError, which never quotes the token.
 */
export function checkToken(setting: string, value: string): string {
  if (value === '') throw new SettingError(`${setting} is empty; give the bare token, without "Bearer".`)
  if (!/^[\x21-\x7e]+$/.test(value))
    throw new SettingError(
      `${setting} holds a space, a line break or a character that no HTTP header can carry; give the bare token, without "Bearer".`,
    )
  return value
}

function readTarget(env: Environment, baseUrlGiven: string, allowWrites: boolean): NamedTarget {
  const baseUrl = checkBaseUrl('BASE_URL', baseUrlGiven)
  const [accessTokenCommand, otherAccessTokenCommand] = TOKENS.map((name) => text(env, `${name}_COMMAND`))
  const accessToken = accessTokenCommand === undefined ? text(env, 'ACCESS_TOKEN') : undefined
  if (accessToken === undefined && accessTokenCommand === undefined)
    throw new SettingError(
      `ACCESS_TOKEN is ${env['ACCESS_TOKEN'] === undefined ? 'not set' : 'empty'}; give the bearer token of the workspace behind BASE_URL.`,
    )
  const other = otherAccessTokenCommand === undefined ? text(env, 'OTHER_ACCESS_TOKEN') : undefined
  checkDiffer(accessToken, other)
  const dataset = readableFile(env, 'DATASET')
  return {
    name: text(env, 'TARGET_NAME') ?? new URL(baseUrl).host,
    baseUrl,
    ...(accessToken !== undefined && { accessToken: checkToken('ACCESS_TOKEN', accessToken) }),
    ...(other !== undefined && { otherAccessToken: checkToken('OTHER_ACCESS_TOKEN', other) }),
    ...(accessTokenCommand !== undefined && { accessTokenCommand }),
    ...(otherAccessTokenCommand !== undefined && { otherAccessTokenCommand }),
    ...(dataset !== undefined && { dataset }),
    allowWrites,
  }
}

/**
 * Checks that two companies have two tokens.
 * @throws SettingError
 */
export function checkDiffer(accessToken: string | undefined, other: string | undefined): void {
  if (other !== undefined && other === accessToken)
    throw new SettingError('OTHER_ACCESS_TOKEN equals ACCESS_TOKEN; give the token of a second company, or unset it.')
}

function readProxies(env: Environment): RunSettings['proxies'] {
  const usual = (name: string): string | undefined => text(env, name.toLowerCase()) ?? text(env, name)
  const httpProxy = checkProxy('HTTP_PROXY', usual('HTTP_PROXY'))
  const httpsProxy = checkProxy('HTTPS_PROXY', usual('HTTPS_PROXY'))
  return {
    noProxy: [usual('NO_PROXY'), '127.0.0.1', 'localhost', '[::1]'].filter(Boolean).join(','),
    ...(httpProxy !== undefined && { httpProxy }),
    ...(httpsProxy !== undefined && { httpsProxy }),
  }
}

/** Its message quotes no user name or password, which a proxy's address may have. */
function checkProxy(setting: string, value: string | undefined): string | undefined {
  if (value === undefined || (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol))) return value
  const bare = value.replace(/^.*@/, '')
  throw new SettingError(
    `${setting} is "${printable(bare)}", which is not the address of a proxy; give one with its scheme, such as http://proxy.example.com:3128.`,
  )
}

function readDateFormat(env: Environment): string | undefined {
  const value = text(env, 'DATE_FORMAT')
  if (value === undefined || isDatePattern(value)) return value
  throw new SettingError(
    `DATE_FORMAT is "${printable(value)}"; give a pattern such as YYYY-MM-DD, DD/MM/YYYY or YYYY-MM-DDTHH:mm:ss[Z], or epoch-ms or epoch-s.`,
  )
}
