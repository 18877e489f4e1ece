/**
 * A token of the same form and nothing else in common: so many bad tokens can be made of it as of the one it stands for.
 * Letters are x, digits are 0, and of more than four in a row there are four; a token that looks so itself has y and 1.
 */
export function tokenShape(token: string): string {
  const shape = token
    .replaceAll(/[a-z]/gi, 'x')
    .replaceAll(/\d/g, '0')
    .replaceAll(/(x{4})x+|(0{4})0+/g, '$1$2')
  return shape === token ? shape.replaceAll('x', 'y').replaceAll('0', '1') : shape
}
