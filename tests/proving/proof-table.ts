import type { Level } from '../engine/judging/requirement.ts'
import { counted } from '../reporting/wording/counted.ts'
import { type ModeId } from './mode.ts'
import { holds, type Problems, type Proof, type ProvedFault } from './proof.ts'

/** The most lines that one list of the table has. */
const LONGEST_LIST = 40

/** A proof as a person reads it: what was caught and accused in each mode, and whatever stands against it. */
export function proofTable(proof: Proof): string {
  const byHand = proof.faults.filter(({ derived }) => !derived)
  return [
    '',
    ...rows([
      ['mode', 'faults caught', 'of the contract', 'conformant services', 'accused'],
      ...proof.modes.map(({ title, faults, derivedFaults, variants }) => [
        title,
        `${faults.caught} of ${faults.catchable}`,
        `${derivedFaults.caught} of ${derivedFaults.catchable}`,
        String(variants.judged),
        String(variants.accused),
      ]),
    ]),
    '',
    ...rows([['area', 'level', ...proof.modes.map(({ title }) => title)], ...byAreaAndLevel(proof, byHand)]),
    '',
    ...soleCatchers(proof),
    ...poorDataLine(proof),
    ...headlinesLine(proof),
    '',
    ...problemLines(proof.problems),
    summaryLine(proof),
  ].join('\n')
}

function byAreaAndLevel(proof: Proof, faults: readonly ProvedFault[]): string[][] {
  const areas = [...new Set(faults.map(({ area }) => area))].toSorted()
  const levels: readonly Level[] = ['stated', 'implied']
  return areas.flatMap((area) =>
    levels.flatMap((level) => {
      const some = faults.filter((fault) => fault.area === area && fault.level === level)
      return some.length === 0 ? [] : [[area, level, ...proof.modes.map(({ id }) => caughtOf(some, id))]]
    }),
  )
}

function caughtOf(faults: readonly ProvedFault[], mode: ModeId): string {
  const catchable = faults.flatMap(({ failed }) => failed[mode] ?? [])
  const judged = faults.filter(({ failed }) => failed[mode] !== undefined)
  return catchable.length === 0 && judged.length === 0
    ? '-'
    : `${judged.filter(({ failed }) => failed[mode]!.length > 0).length} of ${judged.length}`
}

/** How much rests on one requirement alone. */
function soleCatchers({ requirements }: Proof): string[] {
  const sole = requirements.filter(({ only }) => only.length > 0)
  return [
    `${sole.length} of ${requirements.length} requirements catch a fault that no other catches; the report lists them.`,
  ]
}

function poorDataLine({ poorData: { runs, caught, notExercised }, pairs }: Proof): string[] {
  if (runs === 0) return []
  return [
    `Of ${pairs.runs} services with two faults at once, ${pairs.bothCaught} failed both requirements.`,
    `On poor data, ${counted(runs, 'faults')} ${runs === 1 ? 'was' : 'were'} judged by the requirement named for them: ${caught} caught, ${notExercised} not exercised; the rest did not show.`,
  ]
}

/** What a person makes of one fault. */
function headlinesLine({ headlines: { faults, one, most, first } }: Proof): string[] {
  if (faults === 0) return []
  return [
    `Of ${faults} single faults, with everything given, ${one} are shown as one problem, and none as more than ${most}; the requirement named for the fault is in the first problem of ${first}.`,
  ]
}

function problemLines(problems: Problems): string[] {
  return [
    ...list('Faults that survived:', problems.survivors, ({ name, mode }) => `${name} (${mode})`),
    ...list(
      'Faults caught only by another requirement than the one named:',
      problems.caughtOnlyByAnother,
      ({ name, mode, caughtBy, failed }) => `${name} (${mode}): not ${caughtBy}, but ${failed.join(', ')}`,
    ),
    ...list(
      'Conformant services that were accused:',
      problems.falseAlarms,
      ({ name, mode, findings }) => `${name} (${mode})\n    ${findings.join('\n    ')}`,
    ),
    ...list(
      'Requirements that passed on poor data though the fault showed:',
      problems.vacuous,
      ({ name, lack, caughtBy }) => `${caughtBy}: ${name}, ${lack}`,
    ),
    ...list(
      'Faults that another one hides:',
      problems.hidden,
      ({ name, mode, besides, hidden }) => `${name} beside ${besides} (${mode}): not ${hidden.join(', ')}`,
    ),
    ...list(
      'Single faults that are shown as several problems:',
      problems.scattered,
      ({ name, mode, shownAs }) => `${name} (${mode}): ${shownAs}`,
    ),
    ...list(
      'Runs in which the suite itself went wrong:',
      problems.broken,
      ({ name, mode, reasons }) => `${name} (${mode}): ${reasons.join('; ')}`,
    ),
    ...list('Faults and variants that change nothing on the wire:', problems.unchanged, (name) => name),
    ...list('Requirements that catch nothing:', problems.idle, (id) => id),
  ]
}

/** A list with its title, shortened where it is long; nothing where it is empty. */
export function list<T>(title: string, items: readonly T[], line: (item: T) => string): string[] {
  if (items.length === 0) return []
  const more = items.length > LONGEST_LIST ? [`  … and ${items.length - LONGEST_LIST} more`] : []
  return [title, ...items.slice(0, LONGEST_LIST).map((item) => `  ${line(item)}`), ...more, '']
}

function summaryLine(proof: Proof): string {
  const seconds = (Date.parse(proof.finishedAt) - Date.parse(proof.startedAt)) / 1000
  return `${proof.whole ? 'The proof' : 'This part of the proof'} ${holds(proof) ? 'holds' : 'does not hold'}: ${proof.runs} runs, ${proof.requests} requests, ${seconds.toFixed(0)} s, SEED=${proof.seed}.`
}

/** Lines of a Markdown table whose columns are of one width each. */
export function rows(cells: readonly (readonly string[])[]): string[] {
  const [head, ...body] = cells
  const widths = head!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)))
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  return [line(head!), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...body.map(line)]
}
