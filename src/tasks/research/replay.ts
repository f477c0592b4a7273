import { type RunResult, withOverspend } from '../../core/index.ts';
import type { Store } from '../../store/index.ts';
import { replayLife, silentModel } from '../replay-life.ts';
import type { Crew } from './crew.ts';
import { researchLoop } from './loop.ts';
import { silentMaterial } from './replay-material.ts';
import { report } from './report.ts';
import { paramsOf, researchRow, resultOf } from './run-row.ts';
import { scopeOf } from './scope.ts';
import { begun } from './state.ts';

/**
 * Works a finished run through again from what it recorded: the same answer. Calls no model, touches no
 * material, writes nothing. Throws `run_state` where the run is not finished, or kept nothing.
 */
export async function replayResearch(run: string, store: Store): Promise<RunResult> {
  const row = researchRow(store, run);
  const kept = resultOf(store, row.id);
  const life = replayLife(row, store, 'start');
  const params = paramsOf(row);
  const silent = silentModel(params.model, row.id);
  const crew: Crew = {
    ...life,
    models: { planner: silent, analyst: silent },
    material: silentMaterial(row.id, life.journal),
    scope: scopeOf(params.scope),
    limits: params.limits,
  };
  const state = await researchLoop(await begun(row.question, crew), crew);
  const result = await report(row.id, state, crew, { model: params.model, spent: () => kept.spent });
  return withOverspend(result, store.events(row.id));
}
