import type { OpenAPIV3_1 } from 'openapi-types'
import { html, type Markup } from '../pages/markup.ts'
import { schemaAnchor } from './anchors.ts'

export type SchemaNode = OpenAPIV3_1.SchemaObject | OpenAPIV3_1.ReferenceObject

/** The type of a field in words, with a link where it is a schema with a name. */
export function fieldType(node: SchemaNode): Markup | string {
  if ('$ref' in node) {
    const name = node.$ref.split('/').at(-1)!
    return html`<a href="${schemaAnchor(name)}">${name}</a>`
  }
  if (node.enum) {
    const values = node.enum as readonly unknown[]
    return html`one of ${values.map((one, index) => html`${index > 0 ? ', ' : ''}<code>${String(one)}</code>`)}`
  }
  if (node.type === 'array') return html`array of ${fieldType(node.items)}`
  const type = [node.type].flat().join(' or ')
  return node.format === undefined ? type : `${type}, ${node.format}`
}
