import type { Reading } from './answer.ts'
import type { OperationId } from './contract.ts'
import { requestLine } from './exchange.ts'

/** A request that should have been answered was not answered in a way that can be used. Its message is a clause. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered'
  readonly operation: OperationId

  constructor(operation: OperationId, message: string) {
    super(message)
    this.operation = operation
  }

  static by({ exchange }: Reading): Unanswered {
    const { operation, number, failure } = exchange
    const what =
      failure?.kind === 'too large'
        ? `gave ${failure.message}, which the suite does not read (exchange ${number}); judge a workspace with fewer records`
        : `gave no usable answer (exchange ${number}); see the answer requirements`
    return new Unanswered(operation, `${requestLine(exchange)} ${what}`)
  }
}
