import type { Report } from './report-format.ts'

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

/** What a run took, in a line. */
export function whatItTook({ requests, startedAt, finishedAt }: Report): string {
  const seconds = (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000
  return `${requests.count} requests, ${Math.round(requests.bytes / 1024)} KiB, ${seconds.toFixed(1)} s`
}
