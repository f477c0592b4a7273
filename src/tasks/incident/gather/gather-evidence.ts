/** Evidence: the seed calls, then a model's questions, or without one the whole plan. */
import { isExtractive } from '../../../model/index.ts';
import type { Crew } from '../crew.ts';
import type { IncidentState, Updates } from '../state.ts';
import { gatherByPlan } from './by-plan.ts';
import { gatherByModel } from './loop.ts';
import { seeded, withAlert } from './seeds.ts';

export async function gatherEvidence(state: IncidentState, crew: Crew): Promise<Updates> {
  const seeds = await seeded(withAlert(state, crew), crew);
  if (seeds.stop === 'cancelled') return updatesOf(seeds);
  const gathered = isExtractive(crew.models.planner)
    ? await gatherByPlan(seeds, crew)
    : await gatherByModel(seeds, crew);
  return updatesOf(gathered);
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
