/** What a kind of run is to the program: how its ports are opened again from what its row keeps. The rest follows. */
import type { Sample } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import { openRuns } from './compose.ts';
import {
  type Configuration,
  loadConfiguration,
  processEnvironment,
  type SettingKey,
} from './config/index.ts';
import { type KeptRun, keptRun } from './kept-run.ts';
import { configured, heard, type Watch } from './watch.ts';

/** The caller's own model, taken where none is configured. */
export interface Offered {
  readonly sample: Sample;
  /** Most requests that the caller answers in one run. */
  readonly calls: number;
}

export interface RunRequest extends Watch {
  /** A run's id, or the beginning of one. */
  readonly run: string;
  readonly offered?: Offered;
}

/** Something that was opened for a run, and is closed after it. */
export interface Opened<Value> {
  readonly value: Value;
  close(): void | Promise<void>;
}

/** The part of a kind of `tasks` that is used here. */
interface Runs<Setting, End, Given, Replayed> {
  resume(run: string, setting: Setting): Promise<End>;
  replay(run: string, store: Store, given: Given): Promise<Replayed>;
}

export interface AppKind<Setting extends object, End, Given, Replayed extends End, Extra> {
  /** Loaded where it is used. */
  readonly runs: () => Promise<Runs<Setting, End, Given, Replayed>>;
  /** The folder whose `sonde.json` counts; null where none does. */
  project(kept: KeptRun<Extra>): string | null;
  open(
    configuration: Configuration,
    kept: KeptRun<Extra>,
    watch: Watch,
    offered: Offered | undefined,
  ): Promise<Opened<Setting>>;
  /** What a replay needs beside the store. */
  given(configuration: Configuration, kept: KeptRun<Extra>): Promise<Opened<Given>>;
  /** What is told of a replay. */
  notes?(replayed: Replayed): readonly string[];
}

/** The models that a run began with, before whatever is configured today. */
function modelsOf({
  model,
  extra,
}: KeptRun<{ analyst?: string | null }>): Partial<Record<SettingKey, unknown>> {
  return { ...(model !== null && { model }), ...(extra.analyst != null && { analyst: extra.analyst }) };
}

/** Goes on with a run under the models and the limits it began with. Throws `not_found` and `run_state`. */
export async function resumeRun<Setting extends object, End, Given, Replayed extends End, Extra>(
  kind: AppKind<Setting, End, Given, Replayed, Extra>,
  { run, offered, ...watch }: RunRequest,
): Promise<End & { readonly root: string }> {
  const kept = await keptRun<Extra>(run);
  const configuration = configured(modelsOf(kept), kind.project(kept), watch);
  const open = await kind.open(configuration, kept, watch, offered);
  try {
    const runs = await kind.runs();
    const end = await runs.resume(kept.row.id, { ...open.value, ...heard(watch) });
    return { ...end, root: kept.row.root };
  } finally {
    await open.close();
  }
}

/** Works a finished run through again from its records: nothing is asked. Throws `not_found` and `run_state`. */
export async function replayRun<Setting extends object, End, Given, Replayed extends End, Extra>(
  kind: AppKind<Setting, End, Given, Replayed, Extra>,
  { run, onNote }: RunRequest,
): Promise<Replayed & { readonly root: string }> {
  const kept = await keptRun<Extra>(run);
  const configuration = loadConfiguration({ environment: processEnvironment() });
  const store = await openRuns(configuration);
  try {
    const given = await kind.given(configuration, kept);
    try {
      const runs = await kind.runs();
      const replayed = await runs.replay(kept.row.id, store, given.value);
      for (const note of kind.notes?.(replayed) ?? []) onNote?.(note);
      return { ...replayed, root: kept.row.root };
    } finally {
      await given.close();
    }
  } finally {
    store.close();
  }
}
