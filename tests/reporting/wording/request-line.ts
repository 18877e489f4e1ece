import type { Request } from 'har-format'

/** A recorded request in a line: its method, and what it asked the target for. */
export function requestLineOf({ method, url }: Pick<Request, 'method' | 'url'>): string {
  if (!URL.canParse(url)) return `${method} ${url}`
  const { pathname, search } = new URL(url)
  return `${method} ${pathname}${search}`
}
