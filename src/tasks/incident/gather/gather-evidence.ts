/** Evidence: the seed calls, then a model's questions, or without one the whole plan. */
import { isExtractive } from '../../../model/index.ts';
import type { Crew } from '../crew.ts';
import type { IncidentState, Updates } from '../state.ts';
import { gatherByPlan } from './by-plan.ts';
import { gatherByModel } from './loop.ts';
import { demandsOf } from './on-demand.ts';
import { asked, seeded, withAlert } from './seeds.ts';

export async function gatherEvidence(state: IncidentState, crew: Crew): Promise<Updates> {
  const seeds = await seeded(withAlert(state, crew), crew);
  if (seeds.stop === 'cancelled') return updatesOf(seeds);
  if (isExtractive(crew.models.planner)) return updatesOf(await gatherByPlan(seeds, crew));
  let demanded = seeds;
  for (const { tool, arguments: args, why } of demandsOf(seeds, crew)) {
    if (demanded.stop === 'cancelled') return updatesOf(demanded);
    demanded = await asked(demanded, crew, tool, args, why, 0);
  }
  return updatesOf(await gatherByModel(demanded, crew));
}

const updatesOf = ({
  window,
  recorded,
  evidence,
  calls,
  talk,
  concluded,
  stop,
  notes,
}: IncidentState): Updates => ({
  window,
  recorded,
  evidence,
  calls,
  talk,
  concluded,
  stop,
  notes,
});
