const LONGEST = 60

/** A name of a folder for each name, all of them different, made of nothing but letters, digits, hyphens and underscores. */
export function folderNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>()
  return names.map((name) => {
    const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
    const words = plain.match(/[a-z0-9_]+/g) ?? ['target']
    const slug = words.join('-').slice(0, LONGEST)
    let [folder, count] = [slug, 1]
    while (taken.has(folder)) folder = `${slug}-${++count}`
    taken.add(folder)
    return folder
  })
}
