import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Instrumenter } from '@stryker-mutator/instrumenter'
import ts from 'typescript'
import { projectRoot } from '../../engine/settings/settings.ts'
import { describeChanges } from './change.ts'
import type { Mutant } from './mutant.ts'
import { MUTANT_HOST, type MutatedService } from './mutated-service.ts'

type Logger = ConstructorParameters<typeof Instrumenter>[0]

/** What it has to say is told better by what becomes of it. */
const SILENCE = Object.fromEntries(
  ['Trace', 'Debug', 'Info', 'Warn', 'Error', 'Fatal']
    .flatMap((level) => [`is${level}Enabled`, level.toLowerCase()])
    .map((method) => [method, () => false]),
) as Record<keyof Logger, () => false>

/** Copies of services, in which every mutant is to be had. */
export interface InstrumentedCopies {
  /** Laid out as the project is. */
  readonly folder: string
  readonly mutants: readonly Mutant[]
  remove(): void
}

/**
 * Copies services into a new folder, all mutants of each in one copy, and what their processes run, ready to be run by
 * Node.js as it is. The folder is inside the project, from where the services find their packages.
 */
export async function instrumentedCopies(services: readonly MutatedService[]): Promise<InstrumentedCopies> {
  const reports = path.join(projectRoot, 'reports')
  mkdirSync(reports, { recursive: true })
  const folder = mkdtempSync(path.join(reports, 'mutants-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  for (const ending of ['SIGINT', 'SIGTERM']) process.once(ending, () => process.exit(1))
  const host = path.join(folder, `${MUTANT_HOST}.js`)
  mkdirSync(path.dirname(host), { recursive: true })
  writeFileSync(host, toJavaScript(readFileSync(path.join(projectRoot, `${MUTANT_HOST}.ts`), 'utf8')))
  const mutants: Mutant[] = []
  for (const service of services) {
    for (const file of service.reads) cpSync(path.join(projectRoot, file), path.join(folder, file))
    mutants.push(...(await copyOf(service, path.join(folder, service.folder))))
  }
  return { folder, mutants, remove }
}

async function copyOf({ name: subject, folder, notMutated }: MutatedService, to: string): Promise<Mutant[]> {
  const sources = readdirSync(path.join(projectRoot, folder)).map((name) => ({
    name,
    content: readFileSync(path.join(projectRoot, folder, name), 'utf8'),
    mutate: !notMutated.includes(name),
  }))
  const options = { plugins: null, excludedMutations: [], ignorers: [] }
  const { files, mutants } = await new Instrumenter(SILENCE).instrument(sources, options)
  mkdirSync(to, { recursive: true })
  for (const { name, content } of files) writeFileSync(path.join(to, name.replace(/ts$/, 'js')), toJavaScript(content))
  return sources.flatMap(({ name: file, content }) => {
    const own = mutants.filter(({ fileName }) => path.basename(fileName) === file)
    const lines = lineStarts(content)
    const offset = ({ line, column }: { line: number; column: number }) => lines[line]! + column
    const changes = describeChanges(
      content,
      own.map(({ location: { start, end }, replacement }) => ({
        start: offset(start),
        end: offset(end),
        text: replacement,
      })),
    )
    return own.map(({ id, location, mutatorName: mutator }, at): Mutant => {
      return { subject, id, file, line: location.start.line + 1, mutator, change: changes[at]! }
    })
  })
}

function toJavaScript(content: string): string {
  return ts.transpileModule(content, {
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2023,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
    },
  }).outputText
}

function lineStarts(content: string): number[] {
  return [0, ...[...content.matchAll(/\n/g)].map(({ index }) => index + 1)]
}
