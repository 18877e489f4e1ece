import { saysNothing } from '../../engine/records.ts'

/** So many values at a place leave no doubt that the target shows them there. */
const SHOWING = 3

/** Whether records show several values at a place, such as `/contact/name`, or `/groups/0/jid`, which is that of any group. */
export function shownPlaces(records: readonly object[]): (pointer: string) => boolean {
  const counts = new Map<string, number>()
  for (const record of records)
    for (const place of placesIn(record, '')) counts.set(place, (counts.get(place) ?? 0) + 1)
  return (pointer) => (counts.get(pointer.replaceAll(/\/\d+(?=\/|$)/g, '/*')) ?? 0) >= SHOWING
}

function placesIn(value: unknown, place: string): string[] {
  if (saysNothing(value)) return []
  if (Array.isArray(value)) return [place, ...value.flatMap((item: unknown) => placesIn(item, `${place}/*`))]
  if (typeof value !== 'object') return [place]
  return [place, ...Object.entries(value!).flatMap(([name, inner]) => placesIn(inner, `${place}/${name}`))]
}
