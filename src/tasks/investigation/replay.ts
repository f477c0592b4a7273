/** Works a finished investigation through again: every cell runs in a fresh sandbox, and meets the recorded answers. */
import type { RunResult } from '../../core/index.ts';
import type { Sandbox, SandboxImage } from '../../sandbox/index.ts';
import type { Store } from '../../store/index.ts';
import { holeIn, replayLife, silentModel } from '../replay-life.ts';
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
  /** How the sandbox of today differs from that of the run; none where it is the same. */
  readonly notes: readonly string[];
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
  const { pool, ...life } = replayLife(row, store, 'final');
  const params = paramsOf(row);
  const silent = silentModel(params.model, row.id);
  const differences: string[] = [];
  const ranOn = imagesOf(store, row.id);
  const notes = new Set<string>();
  let [cells, fuel] = [0, 0];
  const crew: Crew = {
    ...life,
    models: { planner: silent, analyst: silent },
    outer: params.outer,
    inner: params.inner,
    material: silentMaterial(row.id),
    capabilities: new Set(),
    limits: params.limits,
    sandbox,
    seed: row.id,
    failure: openFailure(),
    opened(image) {
      for (const note of otherImage(ranOn, image)) notes.add(note);
    },
    compare(before, again) {
      cells += 1;
      fuel += again.fuel;
      differences.push(...differencesOf(before, again));
    },
  };
  const state = await investigateAt(rootPlace(row, pool), crew);
  const end = await report(state, crew, {
    run: row.id,
    model: params.model,
    spent: kept.result.spent,
    scope: params.scope,
  });
  for (const part of ['answer', 'citations', 'status'] as const)
    if (!isSame(part, end.result, kept.result)) differences.push(`${part}: other than recorded`);
  // Coverage is of the day on which it was taken.
  return {
    result: { ...end.result, coverage: kept.result.coverage },
    investigation: kept.investigation,
    cells,
    fuel,
    differences,
    notes: [...notes],
  };
}

/** Older versions called quotes, and answers that were due too early, verified. */
function isSame(part: 'answer' | 'citations' | 'status', now: RunResult, before: RunResult): boolean {
  if (part === 'status' && before.status === 'verified' && ['quotes', 'partial'].includes(now.status))
    return true;
  return JSON.stringify(now[part]) === JSON.stringify(before[part]);
}

/** Every image that the run worked in, each once: a resumed run may have met another. */
function imagesOf(store: Store, run: string): readonly SandboxImage[] {
  const images = store
    .events(run)
    .flatMap(({ event }) => (event.kind === 'session_opened' ? [event.image] : []));
  return [...new Map(images.map((image) => [image.snapshot, image])).values()];
}

function otherImage(ranOn: readonly SandboxImage[], now: SandboxImage): readonly string[] {
  if (ranOn.length === 0) return ['What sandbox it ran in was not recorded: fuel may differ for that alone.'];
  return ranOn.flatMap((then) => {
    if (then.snapshot === now.snapshot) return [];
    const parts = [
      ...(then.interpreter === now.interpreter
        ? []
        : [`python.wasm ${short12(then.interpreter)}, now ${short12(now.interpreter)}`]),
      ...(then.library === now.library
        ? []
        : [`library ${short12(then.library)}, now ${short12(now.library)}`]),
      `snapshot ${short12(then.snapshot)}, now ${short12(now.snapshot)}`,
    ];
    return [
      `It ran in another sandbox image: ${parts.join('; ')}. Fuel and output may differ for that alone.`,
    ];
  });
}

const short12 = (hash: string): string => hash.slice(0, 12);

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
