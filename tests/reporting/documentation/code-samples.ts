import { inspect } from 'node:util'
import type { Contract, OperationId } from '../../engine/contract.ts'
import { sampleCall } from './sample-call.ts'

/** A sample as Redoc takes it: in `x-codeSamples` of an operation. */
export interface CodeSample {
  readonly lang: string
  readonly label: string
  readonly source: string
}

/** How an operation is called, by hand and by a program. */
export function codeSamples(contract: Contract, id: OperationId): readonly CodeSample[] {
  return [
    { lang: 'bash', label: 'curl', source: curlSample(contract, id) },
    { lang: 'javascript', label: 'TypeScript', source: typeScriptSample(contract, id) },
  ]
}

function curlSample(contract: Contract, id: OperationId): string {
  const { method, path } = contract.operation(id)
  const call = sampleCall(contract, id)
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(call.path[name])))
  const query = String(new URLSearchParams(Object.entries(call.query) as [string, string][]))
  return [
    method === 'GET' ? 'curl --include' : `curl --include --request ${method}`,
    '--header "Authorization: Bearer $ACCESS_TOKEN"',
    ...(call.body === undefined
      ? []
      : [`--header 'Content-Type: application/json'`, `--data '${inShellQuotes(call.body)}'`]),
    `"$BASE_URL${filled}${query === '' ? '' : `?${query}`}"`,
  ].join(' \\\n  ')
}

function inShellQuotes(body: unknown): string {
  return JSON.stringify(body, undefined, 2).replaceAll(`'`, `'\\''`)
}

function typeScriptSample(contract: Contract, id: OperationId): string {
  const { method, path, listMember } = contract.operation(id)
  const { path: pathParameters, query, body } = sampleCall(contract, id)
  const params = {
    ...(Object.keys(pathParameters).length > 0 && { path: pathParameters }),
    ...(Object.keys(query).length > 0 && { query }),
  }
  const options = { ...(Object.keys(params).length > 0 && { params }), ...(body !== undefined && { body }) }
  const given = Object.keys(options).length > 0 ? `, ${inspect(options, { depth: null, breakLength: 60 })}` : ''
  return `import createClient from 'openapi-fetch'
// Made by: npx openapi-typescript openapi.yaml --output contract.d.ts
import type { paths } from './contract.d.ts'

const { BASE_URL = '', ACCESS_TOKEN = '' } = process.env
const client = createClient<paths>({
  baseUrl: BASE_URL,
  headers: { Authorization: \`Bearer \${ACCESS_TOKEN}\` },
})

const { data, response } = await client.${method}('${path}'${given})
if (!data) throw new Error(\`${id} was answered with \${response.status}\`)

${listMember === undefined ? 'console.log(data)' : `for (const record of data.${listMember}) console.log(record)`}
`
}
