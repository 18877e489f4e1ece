/** What a reader needs to know before the first call, and to read the rest: sections for the reference, in Markdown. */
export const INTRODUCTION = `
## A first call

Every operation takes a bearer token. With the address of a server and a token at hand:

\`\`\`bash
export BASE_URL=http://127.0.0.1:3000 ACCESS_TOKEN=…
curl --include --header "Authorization: Bearer $ACCESS_TOKEN" \\
  "$BASE_URL/api/tags"
\`\`\`

\`npm run service -- --port 3000\` starts a service to try this on, and prints a token for it. The contract lies beside
this page as [YAML](openapi.yaml) and [JSON](openapi.json), for any generator of clients. One for TypeScript, whose calls
the examples here use:

\`\`\`bash
npm install openapi-fetch && npx openapi-typescript openapi.yaml --output contract.d.ts
\`\`\`

## How to read the marks

Whatever can be checked is a requirement, and has a level:

- **Stated**: the interface document says it.
- **Implied**: the document cannot mean anything else.
- **Observed**: the document leaves it open. What the verified target does is recorded, and nothing of it is wrong.

What became of a requirement is marked: ✓ **passed**; ✗ **failed**; ○ **not exercised**, where the data or the settings of
the run gave no chance to tell; ! **broken**, where the suite itself went wrong. All of them, with what proves that they
can fail, are on the [page of requirements](requirements.html).
`
