import type { Demand, Section } from '../requirements/register.ts'
import { askForDemands } from './ask-for-judgement.ts'
import { bodyOf, detailsOf, titleOf } from './requirement-test.ts'

/** What Playwright's `test` is called with. */
type RequirementTest = readonly [title: string, details: ReturnType<typeof detailsOf>, body: ReturnType<typeof bodyOf>]

let demands: Promise<readonly Demand[]> | undefined

/** The tests of some files of requirements. */
export async function testsOf(...sections: readonly Section[]): Promise<readonly RequirementTest[]> {
  demands ??= loadDemands()
  return (await demands)
    .filter(({ section }) => sections.includes(section))
    .map((demand) => [titleOf(demand), detailsOf(demand), bodyOf(demand)])
}

/** A worker only asks for judgements, so it asks what there is to judge too: loading the suite takes it longer. */
async function loadDemands(): Promise<readonly Demand[]> {
  const known = await askForDemands()
  if (known) return known
  const [register, { Contract }] = await Promise.all([
    import('../requirements/register.ts'),
    import('../engine/contract.ts'),
  ])
  return register.demands(new Contract())
}
