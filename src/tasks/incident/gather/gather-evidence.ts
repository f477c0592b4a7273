/** Gathers evidence: the seed questions, then a model's questions, or without a model the whole plan. */
import { isExtractive } from '../../../model/index.ts';
import { addLibrary } from '../library/library.ts';
import type { RunContext } from '../run-context.ts';
import type { IncidentState, Updates } from '../state.ts';
import { gatherByPlan } from './by-plan.ts';
import { gatherByModel } from './loop.ts';
import { listDemands } from './on-demand.ts';
import { askSeed, askSeeds, recordAlert } from './seeds.ts';

export async function gatherEvidence(state: IncidentState, context: RunContext): Promise<Updates> {
  const incidentState = await addLibrary(recordAlert(state, context), context);
  if (incidentState.stop === 'cancelled') return pickUpdates(incidentState);
  const seeds = await askSeeds(incidentState, context);
  if (seeds.stop === 'cancelled') return pickUpdates(seeds);
  if (isExtractive(context.models.planner)) return pickUpdates(await gatherByPlan(seeds, context));
  let current = seeds;
  for (const { tool, arguments: args, why } of listDemands(seeds, context)) {
    if (current.stop === 'cancelled') return pickUpdates(current);
    current = await askSeed(current, context, tool, args, why, 0);
  }
  return pickUpdates(await gatherByModel(current, context));
}

const pickUpdates = ({
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
