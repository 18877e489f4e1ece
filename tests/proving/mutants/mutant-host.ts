import { cpSync, rmSync } from 'node:fs'
import { Server } from 'node:http'

/** What the process is told: to start a mutant, or the service as it is where it is null; or to end what it started. */
export type Order = { readonly start: string | null } | 'rest'

/** What it answers to either, once: the address of what it started, null where that ended without telling it; or `resting`. */
export type Answer = { readonly url: string | null } | 'resting'

/**
 * Runs in a process that runs mutants of one service in turn. Its first argument is the folder of the
 * service's instrumented copy, and the others are those of the service's `main`. Every mutant is loaded from a copy of
 * its own, so that nothing of it is left to the next but what packages keep.
 */
const [folder] = process.argv.splice(2, 1)

const listening = new Set<Server>()
const { listen } = Server.prototype
Server.prototype.listen = function (this: Server, ...given: unknown[]): Server {
  listening.add(this)
  return Reflect.apply(listen, this, given) as Server
}

let started = 0
let isStarting = false

function start(mutant: string | null): void {
  // Where the header of instrumented code reads which mutant it is to be.
  Object.assign(globalThis, { __stryker__: { activeMutant: mutant ?? undefined } })
  started += 1
  isStarting = true
  cpSync(folder!, ownFolder(), { recursive: true })
  // A mutant that neither listens nor waits for anything would end the process, were it alone in it.
  process.channel!.unref()
  import(`${ownFolder()}/main.js`).catch(() => tellStarted(null))
}

function rest(): void {
  for (const server of listening) {
    server.close()
    server.closeAllConnections()
  }
  listening.clear()
  for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal)
  rmSync(ownFolder(), { recursive: true })
  process.channel!.ref()
  tell('resting')
}

function tellStarted(url: string | null): void {
  if (isStarting) tell({ url })
  isStarting = false
}

function tell(answer: Answer): void {
  process.send!(answer)
}

/** Beside the copy, as what the service reads is found from there. */
function ownFolder(): string {
  return `${folder}.${process.pid}.${started}`
}

process.stdout.write = (output: string | Uint8Array): boolean => {
  const [url] = /http:\/\/127\.0\.0\.1:\d+(?=\n)/.exec(output.toString()) ?? []
  if (url !== undefined) tellStarted(url)
  return true
}
process.on('message', (order: Order) => (order === 'rest' ? rest() : start(order.start)))
process.on('beforeExit', () => {
  process.channel?.ref()
  tellStarted(null)
})
process.once('disconnect', () => process.exit())
