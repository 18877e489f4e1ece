/** What a run says before it judges the reference service, as nothing names a target. */
export const NO_TARGET_YET = 'No target was named: this judges the built-in reference service.'

/** What it says afterwards, wherever its verdict is told. */
export const NO_TARGET = 'No target was named: this judged the built-in reference service.'
