// Folds the rows of a group, or shows them; where no script runs, they are all shown.
for (const button of document.querySelectorAll('.support button')) {
  const rows = document.getElementById(button.getAttribute('aria-controls'))
  const show = (shown) => {
    rows.hidden = !shown
    button.setAttribute('aria-expanded', String(shown))
  }
  button.addEventListener('click', () => show(rows.hidden))
  show(button.dataset.folded === undefined)
}
