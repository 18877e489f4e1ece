// On paper, everything is unfolded.
const unfolded = new Set()

addEventListener('beforeprint', () => {
  for (const details of document.querySelectorAll('details:not([open])')) {
    details.open = true
    unfolded.add(details)
  }
})

addEventListener('afterprint', () => {
  for (const details of unfolded) details.open = false
  unfolded.clear()
})
