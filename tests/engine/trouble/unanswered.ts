import type { Reading } from '../http/answer.ts'
import type { OperationId } from '../contract.ts'
import { adviceOn, isHang, requestLine, type Exchange } from '../http/exchange.ts'

/** A request that should have been answered was not answered in a way that can be used. Its message is a clause. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered'
  readonly operation: OperationId

  constructor(operation: OperationId, message: string) {
    super(message)
    this.operation = operation
  }

  static by({ exchange }: Reading): Unanswered {
    const { operation, number } = exchange
    const orHung = isHang(exchange) ? ', or run again where it is answered at last' : ''
    const what = `gave no usable answer (exchange ${number}); see the answer requirements${orHung}`
    return new Unanswered(operation, `${requestLine(exchange)} ${what}`)
  }

  /** @param unread what of the answer the suite does not read, in a clause. */
  static unread(exchange: Exchange, unread: string): Unanswered {
    const what = `gave ${unread}, which the suite does not read (exchange ${exchange.number})${exchange.failure ? adviceOn(exchange.failure) : ''}`
    return new Unanswered(exchange.operation, `${requestLine(exchange)} ${what}`)
  }
}

/** A request was not waited for as long as REQUEST_TIMEOUT_MS allows. */
export class GivenUp extends Unanswered {}
