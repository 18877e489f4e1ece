// Narrows the list of requirements; a link to one of them, or from a cell of the matrix, finds it whatever was chosen.
const filters = document.querySelector('form.filters')
const shown = filters.querySelector('output')
const requirements = [...document.querySelectorAll('.requirements > li')].map((element) => ({
  element,
  text: element.textContent.toLowerCase(),
}))

function narrow() {
  const { text, ...chosen } = Object.fromEntries(new FormData(filters))
  const words = text.toLowerCase().split(/\s+/)
  let count = 0
  for (const { element, text: own } of requirements) {
    const fits =
      words.every((word) => own.includes(word)) &&
      Object.entries(chosen).every(([name, value]) => value === '' || matches(element.dataset[name], name, value))
    element.hidden = !fits
    if (fits) count++
  }
  shown.value = `${count} shown`
}

function matches(own, name, value) {
  return name === 'operation' ? own.split(' ').includes(value) : own === value
}

function findTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (!target?.matches('.requirements > li')) return
  if (target.hidden) {
    filters.reset()
    narrow()
  }
  target.scrollIntoView({ block: 'center' })
  target.focus({ preventScroll: true })
}

filters.addEventListener('input', narrow)
filters.addEventListener('submit', (event) => event.preventDefault())
filters.addEventListener('reset', () => setTimeout(narrow))
addEventListener('hashchange', findTarget)

document.querySelector('.matrix')?.addEventListener('click', (event) => {
  const link = event.target.closest('a')
  if (!link) return
  filters.reset()
  filters.operation.value = link.dataset.operation
  filters.area.value = link.dataset.area
  narrow()
})

narrow()
findTarget()
