import type { Report } from '../result/report-format.ts'

/** What a run had to go by, in a line. */
export function whatItHad({ dataset, settings, shard }: Report): string {
  return [
    ...(shard ? [`shard ${shard.current} of ${shard.total}`] : []),
    dataset ? `data set ${dataset.file}` : 'data discovered',
    settings?.allowWrites ? 'writes allowed' : 'read-only',
    settings?.secondCompany ? 'two companies' : 'one company',
    `level ${settings?.level}`,
    `seed ${settings?.seed}`,
  ].join(', ')
}

/** What a run was narrowed to, as words that follow the verdict; nothing where it was not. */
export function narrowing({ settings }: Report): string {
  return settings?.operations ? ` (of ${settings.operations.join(', ')} alone)` : ''
}

/** What a run took, in a line. */
export function whatItTook({ requests, startedAt, finishedAt, waited }: Report): string {
  const seconds = (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000
  return [
    `${requests.count} requests, ${Math.round(requests.bytes / 1024)} KiB, ${seconds.toFixed(1)} s`,
    ...whatItWaitedFor(waited),
  ].join('; ')
}

/** What a run waited for and how long, a clause each. */
export function whatItWaitedFor(waited: Report['waited'] = []): string[] {
  return waited.map(
    ({ what, times, seconds }) => `waited ${seconds.toFixed(1)} s as ${what}${times === 1 ? '' : ` (${times} times)`}`,
  )
}
