/** Works a finished investigation through again: every cell runs in a fresh sandbox, and meets the recorded answers. */
import { type Journal, memoryLedger, openPool, SondeError, systemClock } from '../../core/index.ts';
import { extractive, isExtractive } from '../../model/index.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import type { Store } from '../../store/index.ts';
import { holeIn, silentModel } from '../research/replay-ports.ts';
import { type Crew, openFailure } from './crew.ts';
import { investigateAt } from './loop.ts';
import type { Material } from './material.ts';
import { report } from './report.ts';
import { rootPlace } from './run.ts';
import { type FinishedInvestigation, finishedInvestigation, investigationRow, paramsOf } from './run-row.ts';
import type { CellRecord } from './state.ts';

export interface ReplayedInvestigation extends FinishedInvestigation {
  readonly cells: number;
  /** Units, of all cells. */
  readonly fuel: number;
  /** A line for each thing that came out otherwise than it is recorded; none where all is equal. */
  readonly differences: readonly string[];
}

/**
 * Calls no model, touches no material, writes nothing. Throws `run_state` where the run is not finished, or kept
 * nothing.
 */
export async function replayInvestigation(
  run: string,
  store: Store,
  sandbox: Pick<Sandbox, 'open' | 'restore'>,
): Promise<ReplayedInvestigation> {
  const row = investigationRow(store, run);
  const kept = finishedInvestigation(store, row.id);
  const recorded = store.recorded(row.id);
  if (recorded.recall('final') === undefined)
    throw new SondeError('run_state', {
      message: `${row.id} kept no records to replay`,
      remedy: 'Investigate again without store_artifacts: false, and replay that run.',
    });
  const params = paramsOf(row);
  const journal: Journal = {
    recall: recorded.recall,
    // Every record is there already: one that is missing is a hole, not something to make up.
    record(key) {
      const found = recorded.recall(key);
      if (found === undefined) throw holeIn(row.id, key);
      return found;
    },
  };
  const silent = isExtractive({ name: params.model }) ? extractive : silentModel(params.model, row.id);
  const differences: string[] = [];
  let [cells, fuel] = [0, 0];
  const crew: Crew = {
    models: { planner: silent, analyst: silent },
    outer: params.outer,
    inner: params.inner,
    material: silentMaterial(row.id),
    capabilities: new Set(),
    limits: params.limits,
    sandbox,
    // From its first cell on: a replay that began at a snapshot would take it on trust.
    snapshots: { load: () => null, save: () => {}, drop: () => {} },
    log: { append: () => false },
    journal,
    atomic: (work) => work(),
    synced: (work) => work(),
    clock: systemClock,
    signal: new AbortController().signal,
    random: () => 0,
    sleep: async () => {},
    seed: row.id,
    failure: openFailure(),
    compare(before, again) {
      cells += 1;
      fuel += again.fuel;
      differences.push(...differencesOf(before, again));
    },
  };
  const pool = openPool(memoryLedger(), { account: row.id, run: row.id, fence: 1 });
  const state = await investigateAt(rootPlace(row, pool), crew);
  const end = await report(state, crew, { run: row.id, model: params.model, spent: kept.result.spent });
  for (const part of ['answer', 'citations', 'status'] as const)
    if (JSON.stringify(end.result[part]) !== JSON.stringify(kept.result[part]))
      differences.push(`${part}: other than recorded`);
  // Coverage is of the day on which it was taken.
  return {
    result: { ...end.result, coverage: kept.result.coverage },
    investigation: kept.investigation,
    cells,
    fuel,
    differences,
  };
}

function differencesOf(before: CellRecord, again: CellRecord): readonly string[] {
  // The clock ended it; whatever the clock says today is no difference.
  if (before.untimely) return [];
  return (['outcome', 'output', 'bytes', 'fuel', 'calls'] as const)
    .filter((part) => before[part] !== again[part])
    .map((part) => `${before.key}: ${part} was ${short(before[part])}, and is ${short(again[part])}`);
}

function short(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 100)}…${text.slice(-100)}` : text;
}

function silentMaterial(run: string): Material {
  const missing = (port: string) => () => Promise.reject(holeIn(run, `a result of ${port}`));
  return { kind: 'workspace', search: { search: missing('search') }, text: { readText: missing('reading') } };
}
