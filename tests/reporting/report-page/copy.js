// Offers to copy a command, where the browser can.
const copy = async ({ currentTarget: button }) => {
  await navigator.clipboard.writeText(button.previousElementSibling.textContent)
  button.textContent = 'Copied'
}

if (navigator.clipboard)
  for (const button of document.querySelectorAll('button.copy')) {
    button.hidden = false
    button.addEventListener('click', (event) => void copy(event))
  }
