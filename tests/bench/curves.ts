import type { Figure, Unit } from './figure.ts'

const WIDTH = 640
const HEIGHT = 240
const MARGIN = 48

/** Figures over the number of records, as an SVG image: a curve for each unit, each on a scale of its own from 0. */
export function curvesOf(figures: readonly Figure[]): string {
  const sized = figures.filter((one): one is Figure & { size: number } => one.size !== undefined)
  const sizes = [...new Set(sized.map(({ size }) => size))].toSorted((a, b) => a - b)
  const x = (size: number): number =>
    MARGIN + ((WIDTH - 2 * MARGIN) * sizes.indexOf(size)) / Math.max(1, sizes.length - 1)
  const units = [...new Set(sized.map(({ unit }) => unit))]
  const curve = (unit: Unit, nth: number): string => {
    const points = sized.filter((one) => one.unit === unit)
    const most = Math.max(...points.map(({ value }) => value))
    const y = (value: number): number => HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * (value / most)
    const colour = ['#2563eb', '#c2410c', '#15803d'][nth % 3]
    const line = points.map(({ size, value }) => `${x(size).toFixed(0)},${y(value).toFixed(0)}`).join(' ')
    const labels = points.map(
      ({ size, value }) =>
        `<text x="${x(size).toFixed(0)}" y="${(y(value) - 8).toFixed(0)}" text-anchor="middle" fill="${colour}">${unit === 's' ? value.toFixed(1) : value} ${unit}</text>`,
    )
    return `<polyline points="${line}" fill="none" stroke="${colour}" stroke-width="2"/>${labels.join('')}`
  }
  const axis = sizes.map(
    (size) =>
      `<text x="${x(size).toFixed(0)}" y="${HEIGHT - 16}" text-anchor="middle">${size.toLocaleString('en')}</text>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">${axis.join('')}${units.map(curve).join('')}</svg>\n`
}
