import { html, type Markup } from '../pages/markup.ts'
import type { Sources } from './sources.ts'

export const REFERENCE_FILE = 'index.html'
export const REQUIREMENTS_FILE = 'requirements.html'
export const JSON_FILE = 'openapi.json'
export const YAML_FILE = 'openapi.yaml'

/**
 * Links between what lies in the folder of the documentation, and to the report where there is one.
 * @param current the page they stand on.
 */
export function pageLinks(current: string, { reportFile }: Sources): Markup {
  const links: readonly (readonly [string, string])[] = [
    [REFERENCE_FILE, 'Reference'],
    [REQUIREMENTS_FILE, 'Requirements'],
    ...(reportFile === undefined ? [] : [[reportFile, 'Report'] as const]),
    [JSON_FILE, JSON_FILE],
    [YAML_FILE, YAML_FILE],
  ]
  return html`<nav aria-label="Pages">
    ${links.map(([file, name]) => (file === current ? html`<a href="${file}" aria-current="page">${name}</a> ` : html`<a href="${file}">${name}</a> `))}
  </nav>`
}
