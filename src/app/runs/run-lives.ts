/** Starts, resumes, replays and delegates runs of every kind. */

import { isSondeError, SondeError } from '../../core/index.ts';
import type { Store } from '../../store/index.ts';
import type { LifeSetting, RunEnd, TaskSetting } from '../../tasks/index.ts';
import { exitCodeOfResult } from '../cli/exit-codes.ts';
import { resultText } from '../cli/runs/result-text.ts';
import { openRuns } from '../compose.ts';
import {
  type Configuration,
  loadConfiguration,
  processEnvironment,
  type SettingKey,
} from '../config/index.ts';
import { runCapabilities } from '../host/run-capabilities.ts';
import { openMasker } from '../masking.ts';
import { findRun, type KeptRun, storableModelName } from './kept-run.ts';
import type {
  AppKind,
  AppTypes,
  CallerParts,
  Conversation,
  FinishedRun,
  OfferedModel,
  OfferedTask,
  RunRequest,
} from './run-kind.ts';
import { openRunModels } from './run-models.ts';
import { configure, runListeners, type Watch } from './watch.ts';

export async function startRun<Types extends AppTypes>(
  kind: AppKind<Types>,
  request: Types['request'],
): Promise<FinishedRun<Types['value']>> {
  const { settings = {}, offered, callerParts = {} } = request;
  const watch: Watch = request;
  const place = kind.place(request);
  const configuration = configure(settings, kind.project(place), watch);
  const { values } = configuration;
  return withOpenRun(
    kind,
    place,
    { configuration, watch, offered, callerParts },
    async ({ open, calls, setting }) => {
      const definition = await kind.definition();
      const runRequest = kind.request(request, { place, configuration, open, calls });
      const extra = {
        analyst: values.analyst === undefined ? null : storableModelName(values.analyst),
        ...runRequest.extra,
      };
      const end = await definition.start(
        {
          ...runRequest,
          extra,
          storeArtifacts: values.store_artifacts,
          ...(request.id !== undefined && { id: request.id }),
          ...(request.by && { by: request.by }),
        },
        setting,
      );
      const lines = (await kind.after?.(end, request, runRequest.root)) ?? [];
      return toFinishedRun(kind, end, runRequest.root, lines);
    },
  );
}

export async function resumeRun<Types extends AppTypes>(
  kind: AppKind<Types>,
  { run, offered, callerParts = {}, root, ...watch }: RunRequest,
): Promise<FinishedRun<Types['value']>> {
  const storedRun = await findRun(run, callerParts.store);
  const keptRun = root === undefined ? storedRun : { ...storedRun, row: { ...storedRun.row, root } };
  if (keptRun.row.status === 'finished') return readEndedRun(kind, keptRun, callerParts.store);
  const place = kind.placeOf(keptRun);
  const configuration = configure(
    callerParts.models === undefined ? readStoredModels(keptRun) : {},
    kind.project(place),
    watch,
  );
  return withOpenRun(kind, place, { configuration, watch, offered, callerParts }, async ({ setting }) => {
    const definition = await kind.definition();
    return toFinishedRun(kind, await definition.resume(keptRun.row.id, setting), keptRun.row.root);
  });
}

/** Reads the result of a run that has ended. Opens nothing but the store: the run's folder, models and keys may be gone. */
async function readEndedRun<Types extends AppTypes>(
  kind: AppKind<Types>,
  { row }: KeptRun,
  file: string | undefined,
): Promise<FinishedRun<Types['value']>> {
  const store = await openRuns(loadConfiguration({ environment: processEnvironment() }), { file });
  try {
    const definition = await kind.definition();
    return toFinishedRun(kind, await definition.readResult(row.id, store), row.root);
  } finally {
    await store.close();
  }
}

/** `DefinedRun.replay` with a required argument, which may be undefined for kinds that need none. */
interface Replayable<Types extends AppTypes> {
  replay(run: string, store: Store, given: Types['run']['given']): Promise<Types['run']['replayed']>;
}

export async function replayRun<Types extends AppTypes>(
  kind: AppKind<Types>,
  { run, onNote, callerParts = {} }: RunRequest,
): Promise<FinishedRun<Types['value']>> {
  const keptRun = await findRun(run, callerParts.store);
  const { row } = keptRun;
  const configuration = loadConfiguration({ environment: processEnvironment() });
  const store = await openRuns(configuration, { file: callerParts.store });
  try {
    const unfinishedEnd = await (await kind.definition()).readLeft(row.id, store);
    if (unfinishedEnd !== null) {
      onNote?.(
        `${row.id} is not finished: this is what it had when it stopped. sonde resume ${row.id} continues it.`,
      );
      return toFinishedRun(kind, unfinishedEnd, row.root);
    }
    const replayMaterial = await kind.openForReplay(kind.placeOf(keptRun), configuration, callerParts);
    try {
      const definition = (await kind.definition()) as unknown as Replayable<Types>;
      const replayed = await definition.replay(row.id, store, replayMaterial.value);
      for (const note of kind.notes?.(replayed) ?? []) onNote?.(note);
      return toFinishedRun(kind, replayed, row.root);
    } finally {
      await replayMaterial.close();
    }
  } finally {
    await store.close();
  }
}

export async function openTask<Types extends AppTypes>(
  kind: AppKind<Types>,
  conversation: Conversation,
  setting: TaskSetting,
): Promise<OfferedTask | null> {
  const offer = (await kind.offer?.(conversation)) ?? null;
  if (offer === null) return null;
  const { value, notes = [], close } = offer;
  const definition = await kind.definition();
  return { shape: await definition.task(value, setting), notes, close: () => close() };
}

/** The models that a run began with, as settings that override the current configuration. */
function readStoredModels({ row, extra }: KeptRun): Partial<Record<SettingKey, unknown>> {
  const { model } = row.params;
  const { analyst } = extra;
  return { ...(model != null && { model }), ...(analyst != null && { analyst }) };
}

interface RunContext {
  readonly configuration: Configuration;
  readonly watch: Watch;
  readonly offered: OfferedModel | undefined;
  readonly callerParts: CallerParts;
}

/** Opens everything that a run needs, calls `work`, and closes it all in any case. */
async function withOpenRun<Types extends AppTypes, Result>(
  kind: AppKind<Types>,
  place: Types['place'],
  { configuration, watch, offered, callerParts }: RunContext,
  work: (found: {
    readonly open: Types['open'];
    readonly calls: number | null;
    readonly setting: LifeSetting & Types['run']['ports'];
  }) => Promise<Result>,
): Promise<Result> {
  const chosenConfiguration = kind.asksNoModel === true ? withoutModel(configuration) : configuration;
  const { models, calls } = await openRunModels(chosenConfiguration, watch, {
    offered,
    callerParts: callerParts.models,
  });
  const openKind = await kind.open(place, {
    configuration,
    watch,
    callerParts: await guardTools(callerParts, configuration),
  });
  try {
    const store = await openRuns(configuration, {
      file: callerParts.store,
      ...(kind.unsynced === true && { unsynced: true }),
      waiting: {
        patienceMs: configuration.values.max_time,
        onAway: () => watch.onNote?.('the server of the store does not answer; it is waited for'),
        ...(watch.signal && { signal: watch.signal }),
      },
    });
    let runId: string | null = null;
    try {
      const { drive } = callerParts;
      const setting = {
        ...openKind.ports,
        ...{ models, store, ...(drive && { drive }), ...runListeners(watch) },
        onRun(run: string) {
          runId = run;
          watch.onRun?.(run);
        },
      };
      return await work({ open: openKind, calls, setting: setting as never });
    } catch (thrown) {
      throw runId !== null && isSondeError(thrown, 'store_away') ? resumableError(runId, thrown) : thrown;
    } finally {
      if (runId !== null) await traceRun(configuration, store, runId, watch);
      await store.close();
    }
  } finally {
    await openKind.close();
  }
}

async function traceRun(
  configuration: Configuration,
  store: Store,
  run: string,
  { onNote }: Watch,
): Promise<void> {
  if (configuration.values.traces_url === undefined) return;
  const { sendRun } = await import('../telemetry/send-run.ts');
  await sendRun(configuration, store, run, (line) => onNote?.(line));
}

function withoutModel(configuration: Configuration): Configuration {
  const { analyst: _, ...values } = configuration.values;
  return { ...configuration, values: { ...values, model: 'extractive' } };
}

/** The error if the store can't be reached any more. Finished steps are stored, so the remedy is to resume. */
const resumableError = (run: string, { message, cause }: SondeError): SondeError =>
  new SondeError('store_away', {
    message: `${message}; ${run} stands where it was`,
    remedy: `See that the server runs and can be reached from here (SONDE_STORE_URL), and go on: sonde resume ${run}.`,
    details: { run },
    cause,
  });

/** Masks and marks the results of the program's tools, like all material. Throws for a tool that no run may use. */
async function guardTools(callerParts: CallerParts, configuration: Configuration): Promise<CallerParts> {
  if (callerParts.tools === undefined) return callerParts;
  const { requireReadCapability, guardTool } = await import('../../catalogue/index.ts');
  requireReadCapability(callerParts.tools, runCapabilities);
  const mask = openMasker(configuration);
  return { ...callerParts, tools: callerParts.tools.map((tool) => guardTool(tool, mask)) };
}

function toFinishedRun<Types extends AppTypes>(
  { value, shown = {} }: Pick<AppKind<Types>, 'value' | 'shown'>,
  end: Types['run']['end'],
  root: string,
  lines: readonly string[] = [],
): FinishedRun<Types['value']> {
  const { result }: RunEnd = end;
  return {
    result,
    root,
    value: value(end),
    json: shown.json === undefined ? value(end) : shown.json(end),
    // A replay that ends differently is a bug of Sonde, whatever the answer is.
    exitCode: hasDifferences(end) ? 1 : (shown.exitCode?.(end) ?? exitCodeOfResult(result)),
    lines,
    text: (evidence) => shown.text?.(end, evidence) ?? resultText(result, root, process.cwd(), shown.view),
  };
}

/** Whether a replay that ran code again had other results. */
const hasDifferences = (end: object): boolean =>
  'differences' in end && Array.isArray(end.differences) && end.differences.length > 0;
