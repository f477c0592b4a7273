/**
 * Runs the work of a finished run again from its records. Whatever the work asks for is either recorded, or missing,
 * which is an error. No model or system is called, and nothing is written.
 */
import { type AllAmounts, type Journal, SondeError, type Step, systemClock } from '../core/index.ts';
import { memoryLedger, openPool } from '../core/pools.ts';
import { extractive, isExtractive } from '../model/extractive.ts';
import type { Model } from '../model/index.ts';
import type { RunRow, Store } from '../store/index.ts';
import { openReplaySteps } from '../store/run-store.ts';
import type { LiveRun } from './run-life.ts';

/**
 * Returns a life whose steps are answered from the records of a run. `requiredKey`: a key that every run of the kind
 * records. Throws `run_state` if it is missing.
 */
export async function replayLife(
  row: RunRow,
  store: Store,
  { requiredKey, spent }: { readonly requiredKey: string; readonly spent: AllAmounts },
): Promise<LiveRun> {
  const recorded = await store.openRecorded(row.id);
  const { recall } = recorded;
  if (recall(requiredKey) === undefined)
    throw new SondeError('run_state', {
      message: `${row.id} kept no records to replay`,
      remedy: 'Run it again without store_artifacts: false, and replay that run.',
    });
  const { signal } = new AbortController();
  const pool = openPool(memoryLedger(), { account: row.id, run: row.id, fence: 1 });
  return {
    pool,
    recorded,
    // A replay must not start from a snapshot, since it checks the work itself.
    snapshots: { load: async () => null, save: () => {}, drop: () => {} },
    step: openReplaySteps(recorded, { pool, missingRecord: (key) => missingRecordError(row.id, key) }),
    tell: () => false,
    loggedParams: () => [],
    clock: systemClock,
    signal,
    stop: signal,
    lost: signal,
    random: () => 0,
    sleep: async () => {},
    spent: () => spent,
    replayed: true,
  };
}

export function missingRecordError(run: string, what: string): SondeError {
  return new SondeError('run_state', {
    message: `The records of ${run} lack ${what}, which its replay needs`,
    remedy: 'It may have been written by another version: ask the question again.',
  });
}

/**
 * The properties of a model that affect a run besides its replies: which tools it is offered, and how much it is
 * shown.
 */
type RecordedModel = Pick<Model, 'name' | 'contextWindow' | 'maxOutput' | 'thinking'>;

/** The journal key of the recorded models; no step of any kind of run uses it. */
const modelsKey = 'models';

/** Recorded once, when the run begins, since a replay has no models to ask. */
export async function recordModels(step: Step, models: Readonly<Record<string, unknown>>): Promise<void> {
  const recordedModels = Object.entries(models).flatMap(([role, model]) =>
    isModel(model) ? [[role, recordedFieldsOf(model)] as const] : [],
  );
  if (recordedModels.every(([, model]) => isExtractive(model))) return;
  const value = Object.fromEntries(recordedModels);
  await step(modelsKey, { deferCommit: true, evenIfStopped: true, run: async () => ({ value }) });
}

function isModel(model: unknown): model is Model {
  return typeof model === 'object' && model !== null && 'contextWindow' in model && 'generate' in model;
}

function recordedFieldsOf({ name, contextWindow, maxOutput, thinking }: Model): RecordedModel {
  return { name, contextWindow, maxOutput, ...(thinking !== undefined && { thinking }) };
}

/** The model of a replay: every reply comes from the journal; the extractive model is used as it is. */
export function replayModel(
  role: 'planner' | 'analyst',
  {
    row,
    journal,
  }: { readonly row: Pick<RunRow, 'id' | 'params'>; readonly journal: Pick<Journal, 'recall'> },
): Model {
  const modelsByRole = journal.recall(modelsKey) as Readonly<Record<string, RecordedModel>> | undefined;
  // Older runs recorded no models.
  const modelFields = modelsByRole?.[role] ?? {
    name: (row.params as unknown as { readonly model: string }).model,
    maxOutput: 64_000,
    contextWindow: 1_000_000,
  };
  if (isExtractive(modelFields)) return extractive;
  return {
    ...modelFields,
    real: false,
    local: true,
    generate: () => Promise.reject(missingRecordError(row.id, 'a reply of the model')),
  };
}
