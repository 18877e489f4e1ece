export const REPORT_FILE = 'conformance.json'
export const EVIDENCE_FILE = 'evidence.har'
export const PAGE_FILE = 'index.html'
export const JUNIT_FILE = 'junit.xml'
export const SUMMARY_FILE = 'summary.md'
export const CTRF_FILE = 'ctrf.json'
/** What a run has changed and not yet put back; there only while it is, or after it was killed. */
export const JOURNAL_FILE = 'journal.json'
/** Playwright's own page, and its notes. */
export const HTML_FOLDER = 'playwright'
export const OUTPUT_FOLDER = 'playwright-output'
/** Holds the process id of the run that is writing to the folder. */
export const LOCK_FILE = '.running'

export const CERTIFICATE_FILE = 'certificate.json'
export const CERTIFICATE_PAGE_FILE = 'certificate.html'
/** The data set that a certified target was loaded with. */
export const DATASET_FILE = 'dataset.json'

/** What only `npm run certify` writes; it vouches for no other run. */
export const CERTIFICATE_FILES = [CERTIFICATE_PAGE_FILE, CERTIFICATE_FILE, DATASET_FILE]

/** What a run writes, the most telling first. */
export const REPORT_FILES = [PAGE_FILE, SUMMARY_FILE, REPORT_FILE, EVIDENCE_FILE, JUNIT_FILE, CTRF_FILE]
