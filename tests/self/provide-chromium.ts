import { findChromium } from './chromium.ts'
import { announceChromium, sourcesOfThisMachine } from './chromium-sources.ts'

/** Makes sure, once and before all tests, that there is a browser for those that open pages: none of them is left out. */
export default async function provideChromium(): Promise<void> {
  const place = await findChromium(sourcesOfThisMachine())
  if (place !== undefined) announceChromium(place)
}
