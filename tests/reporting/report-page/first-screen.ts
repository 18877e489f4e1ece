import { fact } from '../pages/fact.ts'
import { html, type Markup } from '../pages/markup.ts'
import { badge } from '../pages/outcome.ts'
import { when } from '../pages/when.ts'
import { NO_TARGET } from '../wording/built-in.ts'
import { interruption } from '../wording/coverage.ts'
import { hasBegun, type Report } from '../result/report-format.ts'
import { totalsOf } from '../result/report.ts'
import { whatItWaitedFor } from '../wording/what-it-had.ts'
import { uncounted } from '../wording/uncounted.ts'
import { drift } from './drift.ts'
import { matrix } from './matrix.ts'

/** What a verdict means, as a sentence. */
const MEANING: Readonly<Record<Report['verdict'], string>> = {
  conformant: 'Every stated and implied requirement passed.',
  incomplete: 'Nothing failed, and some requirements were not exercised.',
  nonconformant: 'The target broke requirements.',
  broken: 'The suite could not judge; nothing is held against the target.',
}

/** Verdict, target, when, what was judged and what was not. */
export function firstScreen(report: Report): Markup {
  const { verdict, target, startedAt, finishedAt, suite, requests, leftChanged } = report
  const { length: total } = report.requirements
  const observed = report.requirements.filter(({ level }) => level === 'observed').length
  const seconds = (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000
  return html`<header class="verdict ${verdict}">
      ${report.settings?.operations ? html`<p class="narrowed"><strong>Judged of ${report.settings.operations.join(', ')} alone.</strong></p>` : ''}
      ${report.interrupted && hasBegun(report) ? html`<p class="narrowed"><strong>${interruption(report)}.</strong></p>` : ''}
      <p class="what">Conformance report</p>
      <h1><span class="word">${verdict}</span> ${target?.name ?? 'no target'}</h1>
      ${leftChanged ? left(leftChanged) : ''}
      <p class="meaning">${leftChanged ? '' : (report.trouble ?? meaningOf(report))} ${counts(report)} ${target?.builtIn ? NO_TARGET : ''}</p>
      <dl class="facts">
        ${fact('Target', target ? html`<code>${target.baseUrl}</code>` : 'none that could be used')}
        ${fact(
          'When',
          html`${when(report)}, for
            ${seconds.toFixed(1)} s`,
        )}
        ${fact('Requests', `${grouped(requests.count)}, ${grouped(Math.round(requests.bytes / 1024))} KiB received`)}
        ${report.waited ? fact('Waiting', `The run ${whatItWaitedFor(report.waited).join(', ')}.`) : ''}
        ${fact('Suite', `${suite.name} ${suite.version}, ${total - observed} requirements and ${observed} observations`)}
        ${fact('Contract', html`${report.contract.title} ${report.contract.version}, <code>${report.contract.sha256.slice(0, 12)}</code>`)}
      </dl>
      ${report.settings && hasBegun(report) ? circumstances(report, report.settings) : ''}
    </header>
    ${drift(report)} ${hasBegun(report) ? matrix(report) : whyNot(report)}`
}

function meaningOf(report: Report): string {
  const { verdict, settings } = report
  if (verdict === 'broken') return MEANING.broken
  const isOfStated = verdict === 'conformant' && settings?.level === 'stated'
  return uncounted(report) ?? (isOfStated ? 'Every stated requirement passed.' : MEANING[verdict])
}

/** What the target's owner has to know before anything else. */
function left(sentences: readonly string[]): Markup {
  return html`<div class="left-changed">
    <p><strong>Contacts of the target are not as they were before the run, or not known to be.</strong></p>
    <ul>
      ${sentences.map((sentence) => html`<li>${sentence}</li>`)}
    </ul>
    <p><code>journal.json</code> in the folder of reports has all values, unmasked; <code>npm run restore</code> tries again.</p>
  </div>`
}

function counts({ totals, requirements }: Report): string {
  const observations = requirements.filter(({ level }) => level === 'observed')
  const observed = totalsOf(observations)
  const parts = [
    `${totals.passed - observed.passed} passed`,
    `${totals.failed} failed`,
    ...(totals.broken > 0 ? [`${totals.broken} broken`] : []),
    `${totals.notExercised - observed.notExercised} not exercised`,
    `${observed.passed} of ${observations.length} observed`,
  ]
  return `${parts.join(', ')}.`
}

/** What the run had to go by, and what it could not judge without. */
function circumstances(
  { dataset, leftChanged, observations }: Report,
  settings: NonNullable<Report['settings']>,
): Markup {
  const given: readonly (readonly [boolean, string])[] = [
    dataset
      ? [true, `Data set ${dataset.file}: the right answers were known.`]
      : [false, 'Data was discovered: records were not compared with what the target was loaded with (DATASET).'],
    settings.allowWrites
      ? [
          leftChanged === undefined,
          `Contacts were updated${leftChanged ? '' : ` and put back${inItsNotation(observations)}`}.`,
        ]
      : [false, 'Read-only: updates were not judged (ALLOW_WRITES).'],
    settings.secondCompany
      ? [true, 'A second company was asked.']
      : [false, 'One company: what another one sees was not judged (OTHER_ACCESS_TOKEN).'],
    settings.level === 'implied'
      ? [true, 'Stated and implied requirements count.']
      : [false, 'Only stated requirements count (LEVEL).'],
  ]
  return html`<ul class="given">
    ${given.map(
      ([yes, sentence]) =>
        html`<li class="${yes ? 'yes' : 'no'}"><span aria-hidden="true">${yes ? '●' : '○'}</span> ${sentence}</li>`,
    )}
    <li class="yes">
      <span aria-hidden="true">●</span> Seed
      ${settings.seed}${settings.dateFormat === null ? '' : `, dates as ${settings.dateFormat}`},
      ${settings.requestTimeoutMs} ms a request, ${settings.maxPages} pages a
      list${settings.maxRequestsPerSecond === null ? '' : `, ${settings.maxRequestsPerSecond} requests a second`},
      ${settings.maxDurationS} s at most.
    </li>
  </ul>`
}

/** What of the contacts that were put back the target now writes in its own way. */
function inItsNotation(observations: Report['observations']): string {
  const { value } = observations.find(({ id }) => id === 'updateContact.observed.notation') ?? {}
  const fields = Object.entries(value ?? {}).flatMap(([field, how]) => (how === 'as sent' ? [] : [field]))
  return fields.length === 0 ? '' : `, with ${fields.join(' and ')} in the target's notation`
}

/** Why a run could not begin. */
function whyNot({ requirements }: Report): Markup {
  return html`<section class="why-not">
    <h2>The run could not begin</h2>
    <p>${badge('broken')} ${requirements[0]?.reason ?? 'No reason was given.'}</p>
  </section>`
}

function grouped(number: number): string {
  return number.toLocaleString('en')
}
