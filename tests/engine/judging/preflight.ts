import { isPage } from '../http/answer.ts'
import type { OperationId } from '../contract.ts'
import { TOKEN_SETTING, type Company } from '../http/credentials.ts'
import { adviceOn, headerOf, isHang, type Exchange } from '../http/exchange.ts'
import { isFault, type Probe, type Session } from './session.ts'
import { Unanswered } from '../trouble/unanswered.ts'
import { printable } from '../settings/settings.ts'
import { isTransient } from '../trouble/kinds-of-trouble.ts'

const PATIENCE_WITH_ONE_MS = 1500
const BETWEEN_LOOKS_MS = 1000
/**
 * Of the time that the run may take, what is waited for a target that is being restarted, by default 30 s; and where it is
 * likelier that the address is wrong, 9 s.
 */
const SHARE_WAITED = { outage: 0.1, address: 0.03 }

/** The run can't begin. Its message is one sentence that names the setting and the remedy. */
export class PreflightError extends Error {
  override readonly name = 'PreflightError'
}

/**
 * Makes sure that there is a target and that it accepts the tokens; an outage is waited for.
 * @throws PreflightError where every list is out of reach or refused.
 */
export async function preflight(session: Session): Promise<void> {
  try {
    await makeSure(session, 'main')
    if (session.target.otherAccessToken !== undefined) await makeSure(session, 'other')
  } catch (error) {
    if (error instanceof Unanswered) throw new PreflightError(`BASE_URL ${session.target.baseUrl}: ${error.message}.`)
    throw error
  }
}

async function makeSure(session: Session, caller: Company): Promise<void> {
  const setting = TOKEN_SETTING[caller]
  const { operations } = session.settings
  const lists = [...session.contract.operations.values()].filter(
    ({ id, listMember }) => listMember !== undefined && operations?.includes(id) !== false,
  )
  const shortest = lists.find(({ queryParameters }) => queryParameters.length === 0) ?? lists[0]!
  const first = reach(session, shortest.id, caller)
  const early = await Promise.race([first, session.pause(PATIENCE_WITH_ONE_MS)])
  if (early?.success && !isPage(early.exchange)) return session.as(caller).keep(shortest.id, {}, early)
  const { run } = session
  const begun = run.now
  for (let time = 1; ; time++) {
    const probes = await Promise.all(
      lists.map(({ id }) => (id === shortest.id && time === 1 ? first : reach(session, id, caller))),
    )
    const problems = probes.map((probe) => problemOf(probe, session, caller))
    // One list that is answered, or fails in a way of its own, is for the requirements to judge.
    if (problems.includes(undefined)) {
      for (const { success, exchange } of probes)
        if (!success && isFault(exchange) && !isTransient(exchange)) session.as(caller).judge(exchange)
      if (time > 1) run.countOutage(begun)
      return
    }
    const problem = problems.find((one) => one!.includes(setting)) ?? problems[0]!
    const limitS = session.settings.maxDurationS * Math.max(...probes.map(({ exchange }) => shareWaited(exchange)))
    if (run.now - begun + BETWEEN_LOOKS_MS > limitS * 1000) throw new PreflightError(problem)
    if (time === 1)
      run.tell(`No answer can be used yet; waiting for ${limitS} s at most, as the target may be restarting.`)
    await session.pause(BETWEEN_LOOKS_MS)
    run.forgetHangs()
  }
}

/** How long it is waited, as a share of the run's time, for a target which may be restarting, or a gateway without one. */
function shareWaited(exchange: Exchange): number {
  const { failure, response } = exchange
  if (isTransient(exchange) || isHang(exchange)) return SHARE_WAITED.outage
  const mayPass = ['unreachable', 'dropped', 'cut'].includes(failure?.kind ?? '')
  return mayPass || isPage(exchange) || response?.status === 404 ? SHARE_WAITED.address : 0
}

function reach(session: Session, operation: OperationId, caller: Company): Promise<Probe> {
  return session.attemptUnauthorized(operation, {}, { caller })
}

function problemOf(probe: Probe, { target: { baseUrl }, settings }: Session, caller: Company): string | undefined {
  const { exchange, status } = probe
  const setting = TOKEN_SETTING[caller]
  // It is the second token that makes the difference where the first one got answers.
  const base = `BASE_URL ${baseUrl}${caller === 'main' ? '' : `, asked with ${setting},`}`
  if (exchange.failure) return unreached(exchange.failure, baseUrl, base)
  // A target refuses a token in JSON, or with nothing; the page is the proxy's.
  if (status === 403 && isPage(exchange) && baseUrl.startsWith('http:') && settings.proxies.httpProxy !== undefined)
    return `HTTP_PROXY refused the way to the target (status 403); check the proxy, or name the target's host in NO_PROXY.`
  if (status === 400 && /plain http|https/i.test(exchange.response?.body.toString('latin1') ?? ''))
    return `${base} wants TLS where plain http is spoken (status 400); is https:// meant?`
  if (status === 401 || status === 403)
    return `${setting} was refused by the target at ${baseUrl} (status ${status}); give a valid token of the ${caller === 'main' ? 'workspace' : 'second company'}.`
  if (status === 404) {
    const hint = baseUrl.endsWith('/api')
      ? "leave out /api, with which the interface's own paths begin"
      : 'check the address and its path'
    return `${base} answers 404 where the interface has its lists; ${hint}.`
  }
  if (status !== undefined && status >= 500)
    return `${base} answers nothing but errors (status ${status}); check that the service behind it is up.`
  if (isPage(exchange))
    return `${base} answers with a page of HTML where the interface has its lists, as a web site or a login does; give the address of the API.`
  if (status !== undefined && status >= 300 && status < 400) return redirected(exchange, baseUrl, base, setting)
  return undefined
}

function unreached(failure: NonNullable<Exchange['failure']>, baseUrl: string, base: string): string {
  if (failure.kind.endsWith('too large'))
    return `${base} gives ${failure.message} to each list, which the suite does not read${adviceOn(failure)}.`
  if (failure.kind === 'proxy') return `${failure.message}; check the proxy, or name the target's host in NO_PROXY.`
  if (failure.kind === 'tls' && /EPROTO|WRONG_VERSION|PACKET_LENGTH/.test(failure.message))
    return `${base} does not speak TLS: ${failure.message}; is http:// meant?`
  if (failure.kind === 'tls')
    return `${base} can't be trusted: ${failure.message}; check the address, or name the authority's certificate in NODE_EXTRA_CA_CERTS.`
  if (failure.kind === 'timeout')
    return `${base} gave ${failure.message}; check the address, or raise REQUEST_TIMEOUT_MS.`
  if (failure.kind === 'dropped' && baseUrl.startsWith('http:'))
    return `${base} drops the connection: ${failure.message}; check the address, and whether https:// is meant.`
  return `${base} can't be reached: ${failure.message}; check the address and that the target is running.`
}

function redirected(exchange: Exchange, baseUrl: string, base: string, setting: string): string {
  const location = headerOf(exchange.response!.headers, 'location') ?? ''
  const host = URL.canParse(location, baseUrl) ? new URL(location, baseUrl).host : 'another place'
  return `${base} redirects to ${printable(host)}, and no redirect is followed; give the final address, and check ${setting}.`
}
