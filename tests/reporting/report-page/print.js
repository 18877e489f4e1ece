// On paper, every exchange is open.
const opened = new Set()

addEventListener('beforeprint', () => {
  for (const details of document.querySelectorAll('.finding details:not([open])')) {
    details.open = true
    opened.add(details)
  }
})

addEventListener('afterprint', () => {
  for (const details of opened) details.open = false
  opened.clear()
})
