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
import { findRun, type KeptRun, modelToKeep } from './kept-run.ts';
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
      const asked = kind.request(request, { place, configuration, open, calls });
      const own = {
        analyst: values.analyst === undefined ? null : modelToKeep(values.analyst),
        ...asked.extra,
      };
      const end = await definition.start(
        {
          ...asked,
          extra: own,
          storeArtifacts: values.store_artifacts,
          ...(request.id !== undefined && { id: request.id }),
          ...(request.by && { by: request.by }),
        },
        setting,
      );
      const lines = (await kind.after?.(end, request, asked.root)) ?? [];
      return toFinished(kind, end, asked.root, lines);
    },
  );
}

export async function resumeRun<Types extends AppTypes>(
  kind: AppKind<Types>,
  { run, offered, callerParts = {}, root, ...watch }: RunRequest,
): Promise<FinishedRun<Types['value']>> {
  const found = await findRun(run, callerParts.store);
  const keptRun = root === undefined ? found : { ...found, row: { ...found.row, root } };
  if (keptRun.row.status === 'finished') return readEndedRun(kind, keptRun, callerParts.store);
  const place = kind.placeOf(keptRun);
  const configuration = configure(
    callerParts.models === undefined ? modelsOf(keptRun) : {},
    kind.project(place),
    watch,
  );
  return withOpenRun(kind, place, { configuration, watch, offered, callerParts }, async ({ setting }) => {
    const definition = await kind.definition();
    return toFinished(kind, await definition.resume(keptRun.row.id, setting), keptRun.row.root);
  });
}

/** For a run that has ended: its folder, models and keys may be gone. */
async function readEndedRun<Types extends AppTypes>(
  kind: AppKind<Types>,
  { row }: KeptRun,
  file: string | undefined,
): Promise<FinishedRun<Types['value']>> {
  const store = await openRuns(loadConfiguration({ environment: processEnvironment() }), { file });
  try {
    const definition = await kind.definition();
    return toFinished(kind, await definition.readResult(row.id, store), row.root);
  } finally {
    await store.close();
  }
}

/** The argument may be omitted if the kind needs none. */
interface Replaying<Types extends AppTypes> {
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
    const left = await (await kind.definition()).readLeft(row.id, store);
    if (left !== null) {
      onNote?.(
        `${row.id} is not finished: this is what it had when it stopped. sonde resume ${row.id} continues it.`,
      );
      return toFinished(kind, left, row.root);
    }
    const replayMaterial = await kind.openForReplay(kind.placeOf(keptRun), configuration, callerParts);
    try {
      const definition = (await kind.definition()) as unknown as Replaying<Types>;
      const replayed = await definition.replay(row.id, store, replayMaterial.value);
      for (const note of kind.notes?.(replayed) ?? []) onNote?.(note);
      return toFinished(kind, replayed, row.root);
    } finally {
      await replayMaterial.close();
    }
  } finally {
    await store.close();
  }
}

export async function taskFor<Types extends AppTypes>(
  kind: AppKind<Types>,
  at: Conversation,
  setting: TaskSetting,
): Promise<OfferedTask | null> {
  const offer = (await kind.offer?.(at)) ?? null;
  if (offer === null) return null;
  const { value, notes = [], close } = offer;
  const definition = await kind.definition();
  return { shape: await definition.task(value, setting), notes, close: () => close() };
}

/** The models that a run began with, which override today's configuration. */
function modelsOf({ row, extra }: KeptRun): Partial<Record<SettingKey, unknown>> {
  const { model } = row.params;
  const { analyst } = extra;
  return { ...(model != null && { model }), ...(analyst != null && { analyst }) };
}

interface RunLifePorts {
  readonly configuration: Configuration;
  readonly watch: Watch;
  readonly offered: OfferedModel | undefined;
  readonly callerParts: CallerParts;
}

/** Opens everything that a run needs, and closes it in any case. */
async function withOpenRun<Types extends AppTypes, Came>(
  kind: AppKind<Types>,
  place: Types['place'],
  { configuration, watch, offered, callerParts }: RunLifePorts,
  work: (found: {
    readonly open: Types['open'];
    readonly calls: number | null;
    readonly setting: LifeSetting & Types['run']['ports'];
  }) => Promise<Came>,
): Promise<Came> {
  const choosing = kind.asksNoModel === true ? withoutModel(configuration) : configuration;
  const { models, calls } = await openRunModels(choosing, watch, {
    offered,
    callerParts: callerParts.models,
  });
  const open = await kind.open(place, {
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
    let begun: string | null = null;
    try {
      const { drive } = callerParts;
      const setting = {
        ...open.ports,
        ...{ models, store, ...(drive && { drive }), ...runListeners(watch) },
        onRun(run: string) {
          begun = run;
          watch.onRun?.(run);
        },
      };
      return await work({ open, calls, setting: setting as never });
    } catch (thrown) {
      throw begun !== null && isSondeError(thrown, 'store_away') ? resumableError(begun, thrown) : thrown;
    } finally {
      if (begun !== null) await traceRun(configuration, store, begun, watch);
      await store.close();
    }
  } finally {
    await open.close();
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

/** The stored steps are safe, so the remedy is to resume. */
const resumableError = (run: string, { message, cause }: SondeError): SondeError =>
  new SondeError('store_away', {
    message: `${message}; ${run} stands where it was`,
    remedy: `See that the server runs and can be reached from here (SONDE_STORE_URL), and go on: sonde resume ${run}.`,
    details: { run },
    cause,
  });

/** Results of a program's tools are masked and marked like all material. Throws for a tool that no run may use. */
async function guardTools(callerParts: CallerParts, configuration: Configuration): Promise<CallerParts> {
  if (callerParts.tools === undefined) return callerParts;
  const { requireReadCapability, guardTool } = await import('../../catalogue/index.ts');
  requireReadCapability(callerParts.tools, runCapabilities);
  const mask = openMasker(configuration);
  return { ...callerParts, tools: callerParts.tools.map((tool) => guardTool(tool, mask)) };
}

function toFinished<Types extends AppTypes>(
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
    exitCode: differing(end) ? 1 : (shown.exitCode?.(end) ?? exitCodeOfResult(result)),
    lines,
    text: (evidence) => shown.text?.(end, evidence) ?? resultText(result, root, process.cwd(), shown.view),
  };
}

/** For a replay that ran code again: what was different. */
const differing = (end: object): boolean =>
  'differences' in end && Array.isArray(end.differences) && end.differences.length > 0;
