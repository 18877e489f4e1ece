import { list, rows } from '../proof-table.ts'
import { mutantName } from './mutant.ts'
import { mutantsHold, type ProvedMutants } from './proved-mutants.ts'

/** What became of the mutants, as a person reads it: what is let through by service, and whatever stands against it. */
export function mutantsTable(mutants: ProvedMutants): string {
  const { subjects, problems, seed, whole, requests } = mutants
  const seconds = (Date.parse(mutants.finishedAt) - Date.parse(mutants.startedAt)) / 1000
  return [
    '',
    ...rows([
      ['service', 'mutants', 'judged', 'caught', 'denied', 'survived', 'of them allowed'],
      ...subjects.map(({ name, ...counts }) => [
        name,
        ...[counts.mutants, counts.judged, counts.caught, counts.denied, counts.survived, counts.allowed].map(String),
      ]),
    ]),
    '',
    ...list('Mutants that survived and are not listed as allowed:', problems.unlistedSurvivors, mutantName),
    ...list(
      'Mutants that are listed as allowed and did not survive:',
      problems.listedButNotSurvived,
      (one) => `${mutantName(one)}\n    ${one.fate}: ${one.because.join(', ')}`,
    ),
    ...list(
      'Entries of the list that name no mutant, or one twice:',
      problems.listedButNoMutant,
      ({ subject, file, change }) => `${subject} ${file}: ${change}`,
    ),
    `${whole ? 'The proof by mutants' : 'This part of the proof by mutants'} ${mutantsHold(mutants) ? 'holds' : 'does not hold'}: ${requests} requests, ${seconds.toFixed(0)} s, SEED=${seed}.`,
  ].join('\n')
}
