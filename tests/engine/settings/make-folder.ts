import { mkdirSync, statSync } from 'node:fs'
import path from 'node:path'

/**
 * Makes a folder, and those that it is in. Node's own way to do that never returns where a file system, such as that of
 * processes, says of a folder that can't be made that it is not there.
 * @throws the file system's error.
 */
export function makeFolder(folder: string): void {
  if (isFolder(folder)) return
  makeFolder(path.dirname(path.resolve(folder)))
  try {
    mkdirSync(folder)
  } catch (error) {
    // Another process may have been faster.
    if (!isFolder(folder)) throw error
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
