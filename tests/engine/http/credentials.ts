import { exec } from 'node:child_process'
import { promisify } from 'node:util'
import { checkDiffer, checkToken, SettingError, type NamedTarget, type TargetSettings } from '../settings/settings.ts'

const LONGEST_COMMAND_MS = 30_000
const LONGEST_TOKEN = 64 * 1024

/** The companies whose tokens a run has. */
export const COMPANIES = ['main', 'other'] as const
export type Company = (typeof COMPANIES)[number]

/** The setting that gives a company's token. */
export const TOKEN_SETTING = { main: 'ACCESS_TOKEN', other: 'OTHER_ACCESS_TOKEN' } as const

/** A command did not end while it was waited for. */
class CommandHung extends SettingError {}

/** The tokens of a run. One that is printed by a command can be renewed when it has expired. */
export class Credentials {
  readonly #tokens: Record<Company, string | undefined>
  readonly #hung = new Map<Company, CommandHung>()
  readonly #commands: Readonly<Record<Company, string | undefined>>
  readonly #hide: (token: string) => void

  /** @param hide is told of each new token, before it is used. */
  constructor(target: TargetSettings, hide: (token: string) => void) {
    this.#tokens = { main: target.accessToken, other: target.otherAccessToken }
    this.#commands = { main: target.accessTokenCommand, other: target.otherAccessTokenCommand }
    this.#hide = hide
  }

  /** The token of a company as it is now. */
  token(company: Company): string {
    const token = this.#tokens[company]
    if (token === undefined) throw new Error('the session has no token of a second company')
    return token
  }

  /** Whether a text holds a token: no record of the target's is to. */
  areIn(text: string): boolean {
    return Object.values(this.#tokens).some((token) => token !== undefined && text.includes(token))
  }

  canRenew(company: Company): boolean {
    return this.#commands[company] !== undefined
  }

  /**
   * Lets the command print a new token.
   * @throws SettingError where it doesn't.
   */
  async renew(company: Company): Promise<void> {
    const hung = this.#hung.get(company)
    if (hung) throw hung
    const token = await tokenPrintedBy(`${TOKEN_SETTING[company]}_COMMAND`, this.#commands[company]!).catch(
      (error: unknown) => {
        // It would be waited for each time that the token is refused.
        if (error instanceof CommandHung) this.#hung.set(company, error)
        throw error
      },
    )
    this.#hide(token)
    this.#tokens[company] = token
  }
}

/**
 * Gives a target the tokens that its commands print.
 * @throws SettingError where one doesn't.
 */
export async function withTokens(target: NamedTarget): Promise<TargetSettings> {
  const { accessTokenCommand, otherAccessTokenCommand } = target
  const [accessToken = target.accessToken!, otherAccessToken = target.otherAccessToken] = await Promise.all([
    accessTokenCommand === undefined ? undefined : tokenPrintedBy('ACCESS_TOKEN_COMMAND', accessTokenCommand),
    otherAccessTokenCommand === undefined
      ? undefined
      : tokenPrintedBy('OTHER_ACCESS_TOKEN_COMMAND', otherAccessTokenCommand),
  ])
  checkDiffer(accessToken, otherAccessToken)
  return { ...target, accessToken, ...(otherAccessToken !== undefined && { otherAccessToken }) }
}

/**
 * Runs a command of the user's and gives the token that it prints. What else it says is not shown, as it may hold secrets.
 * @throws SettingError where it fails, or prints what is no token.
 */
async function tokenPrintedBy(setting: string, command: string): Promise<string> {
  try {
    const { stdout } = await promisify(exec)(command, { timeout: LONGEST_COMMAND_MS, maxBuffer: LONGEST_TOKEN })
    const token = stdout.trim()
    if (token !== '') return checkToken(`What ${setting} printed`, token)
  } catch (error) {
    if (error instanceof SettingError) throw error
    const { code, killed } = error as { code?: unknown; killed?: boolean }
    const how = killed ? `did not end within ${LONGEST_COMMAND_MS / 1000} s` : `failed (exit status ${String(code)})`
    throw new (killed ? CommandHung : SettingError)(`${setting} ${how}; run it by hand to see why.`)
  }
  throw new SettingError(`${setting} printed nothing; it has to print a token, and nothing else, to standard output.`)
}
