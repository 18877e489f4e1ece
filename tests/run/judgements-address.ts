const JUDGEMENTS_ADDRESS = 'CONFORMANCE_JUDGEMENTS_ADDRESS'

/** Lets the processes that this one starts know where judgements are to be had; undefined where they no longer are. */
export function announceJudgements(address: string | undefined): void {
  if (address === undefined) delete process.env[JUDGEMENTS_ADDRESS]
  else process.env[JUDGEMENTS_ADDRESS] = address
}

/** The address that `announceJudgements` was given in the process that started this one. */
export function judgementsAddress(): string | undefined {
  return process.env[JUDGEMENTS_ADDRESS]
}
