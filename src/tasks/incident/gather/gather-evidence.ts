/** Gathers evidence: the seed questions, then a model's questions, or without a model the whole plan. */
import { isExtractive } from '../../../model/index.ts';
import { withLibrary } from '../library/library.ts';
import type { RunContext } from '../run-context.ts';
import type { IncidentState, Updates } from '../state.ts';
import { gatherByPlan } from './by-plan.ts';
import { gatherByModel } from './loop.ts';
import { demandsOf } from './on-demand.ts';
import { askSeed, askSeeds, withAlert } from './seeds.ts';

export async function gatherEvidence(state: IncidentState, context: RunContext): Promise<Updates> {
  const incidentState = await withLibrary(withAlert(state, context), context);
  if (incidentState.stop === 'cancelled') return updatesOf(incidentState);
  const seeds = await askSeeds(incidentState, context);
  if (seeds.stop === 'cancelled') return updatesOf(seeds);
  if (isExtractive(context.models.planner)) return updatesOf(await gatherByPlan(seeds, context));
  let demanded = seeds;
  for (const { tool, arguments: args, why } of demandsOf(seeds, context)) {
    if (demanded.stop === 'cancelled') return updatesOf(demanded);
    demanded = await askSeed(demanded, context, tool, args, why, 0);
  }
  return updatesOf(await gatherByModel(demanded, context));
}

const updatesOf = ({
  window,
  recorded,
  evidence,
  calls,
  talk,
  concluded,
  library,
  stop,
  notes,
}: IncidentState): Updates => ({
  window,
  recorded,
  evidence,
  calls,
  talk,
  concluded,
  library,
  stop,
  notes,
});
