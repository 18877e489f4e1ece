/** Playwright's test without the fixtures of a browser, which this suite has no use for and which take most of the time. */
export { _baseTest as test } from '@playwright/test'
