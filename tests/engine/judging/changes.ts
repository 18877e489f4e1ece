import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import path from 'node:path'
import { SettingError } from '../settings/settings.ts'

/** A record that a run changes, with all that putting it back takes. */
export interface Change {
  /** Values of the path's parameters, by which the record is changed. */
  readonly path: Readonly<Record<string, string>>
  /** Whose the record is. */
  readonly owner: 'main' | 'other'
  /** What the record held before the run changed it first. */
  readonly stored: Readonly<Record<string, unknown>>
  /** Whether a request that was to change it was a success, or not answered; a refused one need not be undone. */
  readonly isLikely?: true
  /** Whether what was stored has not been sent back, with success, since: what is read may be older than the change. */
  readonly isPending?: boolean
  /** Whether a run that was killed has changed it: today's token may be another company's. */
  readonly isEarlier?: true
  /** Whether the target changes it when it is told to change another: whatever else it shows is the run's doing. */
  readonly isSideEffect?: true
  /** What may be another now, and the values that were sent for it; none where it was left out. */
  readonly sent: Readonly<Record<string, readonly unknown[]>>
}

/** Names a record: where ids are counted by company, each may have one by the same path. */
export type ChangedRecord = Pick<Change, 'path' | 'owner'>

interface StoredFinding {
  readonly formatVersion: 1
  readonly baseUrl: string
  readonly changes: readonly Change[]
}

/**
 * The records that are to be put back. They are written to a journal before a request changes them, and taken out of it
 * when they have been seen as they were: after a run that was killed, the journal has what is left to do.
 */
export class Changes {
  readonly #open = new Map<string, Change>()
  readonly #baseUrl: string
  readonly #file: string | undefined
  #isToBeWritten = false

  /** @param file the journal's; undefined where the target ends with the run. */
  constructor(baseUrl: string, file?: string) {
    this.#baseUrl = baseUrl
    this.#file = file
  }

  get open(): readonly Change[] {
    return [...this.#open.values()]
  }

  /** What is to be put back of a record; undefined where it is as it was. */
  find(record: ChangedRecord): Change | undefined {
    return this.#open.get(keyOf(record))
  }

  /** Notes what a request is about to change. What was stored before counts from the first change on. */
  begin(change: Change): void {
    if (Object.keys(change.sent).length === 0) return
    const known = this.#open.get(keyOf(change))
    const sent = { ...known?.sent }
    for (const [field, values] of Object.entries(change.sent))
      sent[field] = [...new Set([...(sent[field] ?? []), ...values])]
    this.#open.set(keyOf(change), { ...change, ...known, stored: { ...change.stored, ...known?.stored }, sent })
    if (change.isSideEffect) this.#writeSoon()
    else this.#write()
  }

  /** Notes that a request was not refused; and whether it was one that should have changed the record. */
  confirm(record: ChangedRecord, isPending = false): void {
    const change = this.find(record)
    if (change) this.#open.set(keyOf(change), { ...change, isLikely: true, ...(isPending && { isPending }) })
  }

  /** Notes that what was stored was sent back, with success. */
  sentBack(record: ChangedRecord): void {
    const change = this.find(record)
    if (change) this.#open.set(keyOf(change), { ...change, isPending: false })
  }

  /** Notes that a record has been seen as it was. */
  settle(record: ChangedRecord): void {
    if (this.#open.delete(keyOf(record))) this.#write()
  }

  /**
   * Takes over what a run that was killed has left to do.
   * @throws SettingError where the journal is another target's, or can't be read.
   */
  resume(): void {
    for (const change of readJournal(this.#file, this.#baseUrl))
      this.#open.set(keyOf(change), { ...change, isLikely: true, isPending: true, isEarlier: true })
  }

  /** What no request is waiting for is written together: the target may have changed everything. */
  #writeSoon(): void {
    if (!this.#isToBeWritten) setImmediate(() => this.#isToBeWritten && this.#write())
    this.#isToBeWritten = true
  }

  #write(): void {
    this.#isToBeWritten = false
    if (this.#file === undefined) return
    if (this.#open.size === 0) return rmSync(this.#file, { force: true })
    const kept: StoredFinding = { formatVersion: 1, baseUrl: this.#baseUrl, changes: this.open }
    const fresh = `${this.#file}.new`
    // Its owner alone may read it, and it is on the disk before the request leaves.
    const opened = openSync(fresh, 'w', 0o600)
    writeSync(opened, `${JSON.stringify(kept, undefined, 2)}\n`)
    fsyncSync(opened)
    closeSync(opened)
    renameSync(fresh, this.#file)
    syncFolder(path.dirname(this.#file))
  }
}

/** Puts the name of a file on the disk, which a file's own sync does not; a system that opens no folders does so itself. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const opened = openSync(folder, 'r')
  fsyncSync(opened)
  closeSync(opened)
}

function keyOf({ path, owner }: ChangedRecord): string {
  return JSON.stringify([owner, path])
}

function readJournal(file: string | undefined, baseUrl: string): readonly Change[] {
  if (file === undefined || !existsSync(file)) return []
  const kept = parse(file)
  if (kept.baseUrl !== baseUrl)
    throw new SettingError(
      `${file} has what a run that was killed left changed at ${kept.baseUrl}; put that back first: npm run restore, with that BASE_URL and its token.`,
    )
  return kept.changes
}

function parse(file: string): StoredFinding {
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as StoredFinding
    if (kept.formatVersion === 1 && Array.isArray(kept.changes)) return kept
  } catch {
    // Told below.
  }
  throw new SettingError(`${file}, the journal of a run that was killed, can't be read; look at it, and remove it.`)
}
