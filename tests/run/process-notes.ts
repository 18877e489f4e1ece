import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Variables } from './node-process.ts'

/** What a process notes of itself when it ends. */
export interface ProcessNote {
  /** Path of the script that it ran. */
  readonly script: string
  /** Processor time, of the user and of the system. */
  readonly seconds: number
  /** Its performance marks, by name, and when they were made: milliseconds since 1970. */
  readonly marks: readonly (readonly [name: string, at: number])[]
  /** Paths of the CommonJS modules that it loaded. */
  readonly modules: readonly string[]
}

/** Variables with which a process of Node.js, and each that it starts, leaves a note in a folder when it ends. */
export function notingIn(folder: string): Variables {
  const code = `
    import { createRequire } from 'node:module'
    import { writeFileSync } from 'node:fs'
    import { isMainThread } from 'node:worker_threads'
    if (isMainThread) process.once('exit', () => {
      const { user, system } = process.cpuUsage()
      const modules = Object.keys(createRequire(${JSON.stringify(path.join(folder, 'note.cjs'))}).cache)
      const marks = performance.getEntriesByType('mark').map(({ name, startTime }) => [name, performance.timeOrigin + startTime])
      const note = { script: process.argv[1] ?? '', seconds: (user + system) / 1e6, marks, modules }
      writeFileSync(${JSON.stringify(folder)} + '/' + process.pid + '.json', JSON.stringify(note))
    })`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` }
}

/** The notes that are in a folder. */
export function notesIn(folder: string): readonly ProcessNote[] {
  return readdirSync(folder).map((file) => JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as ProcessNote)
}

/** Whether a process was one of Playwright's workers. */
export function isWorker({ script }: ProcessNote): boolean {
  return path.basename(script).startsWith('workerProcessEntry')
}
