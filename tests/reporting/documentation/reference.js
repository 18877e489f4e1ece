// Renders the contract, and mends what Redoc leaves to be wished for by readers without a mouse or a screen.
/* global Redoc */
const isDark = matchMedia('(prefers-color-scheme: dark)')
const wasDark = isDark.matches
const pages = document.querySelector('nav')
const place = document.getElementById('reference')

// Redoc computes its colours once; where the reader's scheme changes, the page begins anew. Paper is always light.
isDark.addEventListener('change', () => {
  if (isDark.matches !== wasDark && !matchMedia('print').matches) location.reload()
})

function tone(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()
}

function heightOfPages() {
  return getComputedStyle(pages).position === 'sticky' ? pages.offsetHeight : 0
}

const theme = {
  spacing: { sectionHorizontal: 24, sectionVertical: 24 },
  colors: {
    primary: { main: tone('link'), light: tone('link') },
    success: { main: tone('passed') },
    warning: { main: tone('open'), dark: tone('open') },
    error: { main: tone('failed') },
    text: { primary: tone('ink'), secondary: tone('faint') },
    border: { dark: tone('line'), light: tone('page') },
    gray: { 50: tone('panel'), 100: tone('panel') },
    responses: {
      success: { backgroundColor: tone('passed-back'), tabTextColor: tone('passed') },
      error: { backgroundColor: tone('failed-back'), tabTextColor: tone('failed') },
      info: { color: tone('ink'), backgroundColor: tone('panel'), tabTextColor: tone('ink') },
    },
    http: { get: tone('passed'), put: tone('broken') },
  },
  schema: { nestedBackground: tone('panel'), linesColor: tone('line'), typeNameColor: tone('faint') },
  typography: {
    fontSize: '16px',
    fontFamily: 'system-ui, sans-serif',
    optimizeSpeed: false,
    smoothing: 'auto',
    headings: { fontFamily: 'system-ui, sans-serif', fontWeight: '600' },
    code: { fontFamily: 'ui-monospace, Menlo, Consolas, monospace', fontSize: '14px', color: tone('ink'), wrap: true },
    links: { hover: tone('link') },
  },
  sidebar: { width: '17rem', backgroundColor: tone('panel'), textColor: tone('ink'), activeTextColor: tone('link') },
  rightPanel: {
    backgroundColor: tone('page'),
    textColor: tone('ink'),
    servers: {
      overlay: { backgroundColor: tone('panel'), textColor: tone('ink') },
      url: { backgroundColor: tone('page') },
    },
  },
  codeBlock: { backgroundColor: tone('panel') },
  fab: { backgroundColor: tone('panel'), color: tone('link') },
}

const options = {
  theme,
  untrustedSpec: true,
  hideDownloadButtons: true,
  nativeScrollbars: true,
  expandResponses: '200,2XX',
  jsonSamplesExpandLevel: 'all',
  scrollYOffset: heightOfPages,
}

Redoc.init(JSON.parse(document.getElementById('contract').textContent), options, place)
new MutationObserver(mend).observe(place, { childList: true, attributeFilter: ['class'], subtree: true })

function mend() {
  const contents = place.querySelector('.menu-content')
  if (!contents) return
  set(contents, { role: 'navigation', 'aria-label': 'Contents' })
  set(place.querySelector('.api-content'), { role: 'main', id: 'main', tabindex: '-1' })
  // Redoc gives its lesser headings the fifth level, whatever they stand under.
  for (const heading of place.querySelectorAll('h5')) set(heading, { 'aria-level': '3' })
  for (const scrolled of place.querySelectorAll('.api-content pre, .redoc-json')) set(scrolled, { tabindex: '0' })
  // A heading is called by its words; where it leads to, the menu tells too.
  for (const link of place.querySelectorAll(':is(h1, h2, h3) > a[aria-label]'))
    set(link, { 'aria-hidden': 'true', tabindex: '-1' })
  // What a target answered is text, even where it looks like an address.
  for (const link of place.querySelectorAll('.redoc-json a')) link.replaceWith(...link.childNodes)
  // An entry of the menu can be reached already; so need not its title be.
  for (const title of contents.querySelectorAll('[role="menuitem"] [tabindex]')) set(title, { tabindex: '-1' })
  const opener = contents.nextElementSibling
  if (!opener?.matches('.api-content'))
    set(opener, {
      role: 'button',
      tabindex: '0',
      'aria-label': 'Contents',
      'aria-expanded': String(getComputedStyle(contents).display !== 'none'),
    })
}

function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes))
    if (element.getAttribute(name) !== value) element.setAttribute(name, value)
}

const STEPS = { ArrowDown: 1, ArrowUp: -1 }

place.addEventListener('keydown', (event) => {
  const { target, key } = event
  if (target.matches('[role="button"]') && (key === 'Enter' || key === ' ')) {
    event.preventDefault()
    target.click()
  } else if (target.matches('[role="menuitem"]') && key in STEPS) {
    event.preventDefault()
    const entries = [...place.querySelectorAll('.menu-content [role="menuitem"]')].filter((entry) => entry.offsetParent)
    entries[entries.indexOf(target) + STEPS[key]]?.focus()
  }
})
