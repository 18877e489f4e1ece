import { printable } from '../engine/settings/settings.ts'
import { UserFacingError } from '../run/requirement-test.ts'

/** Path of a browser's executable; undefined is the one that Playwright starts where it is told none. */
export type Place = string | undefined

/** Where a browser may be had from. */
export interface Sources {
  /** What CHROMIUM_PATH names. */
  readonly named: string | undefined
  /** Where there may be one, the preferred first. */
  readonly places: () => readonly Place[]
  /** Whether what is at a place can be run. */
  readonly runs: (place: Place) => Promise<boolean>
  /** What can be done where there is none, the preferred first. */
  readonly installations: readonly Installation[]
}

export interface Installation {
  /** Whose browser it installs. */
  readonly whose: string
  /** Rejects where it fails, with a reason in a few words. */
  readonly install: () => Promise<void>
}

/**
 * Finds a browser that runs, and installs one where there is none.
 * @throws UserFacingError, in one sentence, where that can't be done, or where the one that is named doesn't run.
 */
export async function findChromium({ named, places, runs, installations }: Sources): Promise<Place> {
  if (named !== undefined) {
    if (await runs(named)) return named
    throw new UserFacingError(
      `CHROMIUM_PATH is "${printable(named)}", which can't be run as a browser; name a Chromium or Chrome, or unset it.`,
    )
  }
  const found = async (): Promise<{ place: Place } | undefined> => {
    for (const place of places()) if (await runs(place)) return { place }
    return undefined
  }
  const before = await found()
  if (before) return before.place
  const failures: string[] = []
  for (const { whose, install } of installations) {
    const failure = await install().then(
      () => "doesn't run",
      (error: Error) => printable(error.message),
    )
    const after = await found()
    if (after) return after.place
    failures.push(`${whose}: ${failure}`)
  }
  throw new UserFacingError(
    `No Chromium runs on this machine, and none could be installed (${failures.join('; ')}); install one and, where it isn't found, name it by CHROMIUM_PATH.`,
  )
}
