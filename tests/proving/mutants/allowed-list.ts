import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'
import { projectRoot } from '../../engine/settings/settings.ts'
import type { Mutant } from './mutant.ts'
import type { MutatedServiceName } from './mutated-service.ts'

/** Mutants of a service which the interface document allows, for one reason. */
export interface AllowedMutants {
  /** What the document leaves open, or why callers can't tell the mutants from the service. */
  readonly because: string
  /** By file: one change a line, as `npm run prove -- --mutants` shows it. */
  readonly changes: Readonly<Record<string, string>>
}

/** One mutant of a list, by what identifies it. */
export type Entry = Pick<Mutant, 'subject' | 'file' | 'change'>

/** The mutants that the interface document allows. */
export class AllowedList {
  readonly #entries: readonly Entry[]
  readonly #keys: ReadonlySet<string>

  constructor(lists: Readonly<Partial<Record<MutatedServiceName, readonly AllowedMutants[]>>>) {
    this.#entries = Object.entries(lists).flatMap(([subject, list]) =>
      list.flatMap((allowed) => entriesOf(subject as MutatedServiceName, allowed)),
    )
    this.#keys = new Set(this.#entries.map(keyOf))
  }

  /** The lists of these services, as `fixtures/mutants` has them. */
  static of(services: readonly MutatedServiceName[]): AllowedList {
    return new AllowedList(
      Object.fromEntries(
        services.map((name) => {
          const file = path.join(projectRoot, `fixtures/mutants/${name}.yaml`)
          return [name, parse(readFileSync(file, 'utf8')) as AllowedMutants[]]
        }),
      ),
    )
  }

  has(mutant: Entry): boolean {
    return this.#keys.has(keyOf(mutant))
  }

  /** Entries that name none of these mutants, and repetitions of entries. */
  idleAmong(mutants: readonly Mutant[]): Entry[] {
    const left = new Set(mutants.map(keyOf))
    return this.#entries.filter((entry) => !left.delete(keyOf(entry)))
  }
}

function entriesOf(subject: MutatedServiceName, { because, changes }: AllowedMutants): Entry[] {
  if (!because) throw new Error(`a list of allowed mutants of ${subject} gives no reason`)
  return Object.entries(changes).flatMap(([file, lines]) =>
    lines.split('\n').flatMap((change) => (change === '' ? [] : [{ subject, file, change }])),
  )
}

function keyOf({ subject, file, change }: Entry): string {
  return JSON.stringify([subject, file, change])
}
