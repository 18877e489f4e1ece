import type { MutatedServiceName } from './mutated-service.ts'

/** One small change to a service's source, by which it becomes another service. */
export interface Mutant {
  readonly subject: MutatedServiceName
  /** By which the instrumented copy knows it; it means nothing to the next one. */
  readonly id: string
  /** Relative to the service's folder. */
  readonly file: string
  /** Counted from 1. */
  readonly line: number
  /** Stryker's name of the kind of change. */
  readonly mutator: string
  /** The line with what becomes of it: lasts as long as the line does, and no other mutant of the file has it. */
  readonly change: string
}

/** A mutant in one line, as lists of them show it. */
export function mutantName({ subject, file, line, mutator, change }: Omit<Mutant, 'id'>): string {
  return `${subject} ${file}:${line} ${mutator}: ${change}`
}
