import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { projectRoot } from '../../engine/settings/settings.ts'

const FOLDER = path.join(projectRoot, 'spec/guides')

/** A guide as a tag of the contract: Redoc shows its Markdown as a section of its own. */
export interface Guide {
  /** The name of its file. */
  readonly name: string
  readonly 'x-displayName': string
  readonly description: string
}

/** The guides of spec/guides, by name; links between them lead to their sections. */
export function guides(): Guide[] {
  return readdirSync(FOLDER)
    .toSorted()
    .map((file) => {
      const [, title = '', text = ''] = /^# ([^\n]*)\n(.*)$/s.exec(readFileSync(path.join(FOLDER, file), 'utf8')) ?? []
      return {
        name: path.parse(file).name,
        'x-displayName': title,
        description: text.replaceAll(/\]\(([\w-]+)\.md\)/g, '](#tag/$1)'),
      }
    })
}
