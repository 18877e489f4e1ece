import type { Markup } from '../pages/markup.ts'

/**
 * Markup as a paragraph of Markdown that is all HTML, where no sign of Markdown means anything: what was escaped in the
 * markup stays text, no matter who wrote it. It must begin with an element that is a block.
 */
export async function htmlBlock(markup: Markup): Promise<string> {
  // A blank line would end the block, and what a target wrote may hold one.
  return `\n\n${String(await markup)
    .replace(/\s+/g, ' ')
    .trim()}\n\n`
}
