export const REPORT_FILE = 'conformance.json'
export const EVIDENCE_FILE = 'evidence.har'
export const PAGE_FILE = 'index.html'
export const JUNIT_FILE = 'junit.xml'
export const SUMMARY_FILE = 'summary.md'
export const CTRF_FILE = 'ctrf.json'
/** What a run has changed and not yet put back; there only while it is, or after it was killed. */
export const JOURNAL_FILE = 'journal.json'
/** Playwright's own page. */
export const HTML_FOLDER = 'playwright'

/** What a run writes, the most telling first. */
export const REPORT_FILES = [PAGE_FILE, SUMMARY_FILE, REPORT_FILE, EVIDENCE_FILE, JUNIT_FILE, CTRF_FILE]
