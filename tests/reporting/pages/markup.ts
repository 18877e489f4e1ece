import type { html } from 'hono/html'

/** HTML in which every value that was put in is escaped. */
export type Markup = ReturnType<typeof html>

export { html, raw } from 'hono/html'
