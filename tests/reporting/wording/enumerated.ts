/** Names with commas between them: so many at most, and how many more there are. */
export function enumerated(names: readonly string[], most: number): string {
  const more = names.length - most
  return more > 1 ? `${names.slice(0, most).join(', ')} and ${more} more` : names.join(', ')
}
