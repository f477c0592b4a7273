/** Investigations of incidents: what the command line and the alert intake both call. */
import { resolve } from 'node:path';
import { type IncidentResult, type RunResult, type Signal, SondeError } from '../core/index.ts';
import type { Store } from '../store/index.ts';
import type { IncidentSetting } from '../tasks/index.ts';
import { openRuns } from './compose.ts';
import { type Configuration, processEnvironment, type SettingKey } from './config/index.ts';
import { errorSink } from './incident-errors.ts';
import { reportPath } from './incident-places.ts';
import { type OpenSignals, openSignals } from './incident-signals.ts';
import { sinksOf } from './incident-sinks.ts';
import { keptModel } from './kept-run.ts';
import { openMasker } from './masking.ts';
import { openModels } from './models.ts';
import type { AppKind } from './run-kind.ts';
import { configured, heard, type Watch } from './watch.ts';

interface Ended {
  readonly result: RunResult;
  readonly incident: IncidentResult;
}

export interface IncidentFinished extends Ended {
  readonly root: string;
}

export interface InvestigateRequest extends Watch {
  /** The alert as it was sent. Absent with `replay`: then that of the frozen incident. */
  readonly alert?: string;
  /** A folder with a frozen incident, instead of the systems that are configured. */
  readonly replay?: string;
  readonly settings?: Readonly<Partial<Record<SettingKey, unknown>>>;
}

/** What a run needs that its row does not hold by itself. */
interface Extra {
  readonly replay: string | null;
}

/** Throws for wrong input, before anything is written; after that every end but a bug is a result. */
export async function investigate(request: InvestigateRequest): Promise<IncidentFinished> {
  const { settings = {}, ...watch } = request;
  const configuration = configured(settings, null, watch);
  const replay = request.replay === undefined ? null : resolve(request.replay);
  const open = await openIncident(configuration, replay, watch);
  try {
    const alert = request.alert ?? open.signals.alert;
    if (alert === null)
      throw new SondeError('bad_argument', {
        message: replay === null ? 'There is no alert' : `${replay} holds no alert`,
        remedy: 'Give one: sonde incident ALERT.json, sonde incident -, or sonde incident --text "...".',
      });
    const { incidentRun } = await import('../tasks/index.ts');
    const extra: Extra = { replay };
    const done = await incidentRun.start(
      {
        // By the key of this home; what this leaves is masked again where it is read.
        alert: openMasker(configuration).system(alert),
        root: replay ?? process.cwd(),
        limits: limitsFrom(configuration),
        storeArtifacts: configuration.values.store_artifacts,
        extra: { ...extra },
        ...(open.signals.now !== null && { now: open.signals.now }),
      },
      { ...open.setting, ...heard(watch) },
    );
    return { ...done, root: replay ?? process.cwd() };
  } finally {
    await open.close();
  }
}

export const incidentKind: AppKind<IncidentSetting, Ended, readonly Signal[], Ended, Extra> = {
  runs: async () => (await import('../tasks/index.ts')).incidentRun,
  project: () => null,
  async open(configuration, { extra }, watch) {
    const { setting, close } = await openIncident(configuration, extra.replay ?? null, watch);
    return { value: setting, close };
  },
  async given(configuration, { extra }) {
    const { signals, close } = await openSignals(configuration, extra.replay ?? null);
    return { value: signals, close };
  },
};

/** What an investigation is given where nobody said otherwise: it asks systems that take their time. */
const ownDefaults = { max_time: 300_000, max_tokens: 600_000 } as const;

export function limitsFrom({ values, sources }: Pick<Configuration, 'values' | 'sources'>) {
  return {
    iterations: values.turns,
    wall_ms: sources.max_time === 'default' ? ownDefaults.max_time : values.max_time,
    tool_ms: values.action_timeout,
    tokens: sources.max_tokens === 'default' ? ownDefaults.max_tokens : values.max_tokens,
    usd: values.max_usd,
  };
}

export interface OpenIncident {
  readonly signals: OpenSignals;
  readonly store: Store;
  readonly setting: IncidentSetting;
  close(): Promise<void>;
}

/** Opens all that investigations need; a store that is given stays its owner's. */
export async function openIncident(
  configuration: Configuration,
  replay: string | null,
  { onNote }: Watch,
  given?: Store,
): Promise<OpenIncident> {
  const values = { ...configuration.values, model: keptModel(configuration.values.model) };
  const choices = await openModels(values, processEnvironment(), openMasker(configuration));
  for (const passed of choices.planner.passedOver) onNote?.(passed);
  if (configuration.values.model === 'auto')
    onNote?.(`model ${choices.planner.model.name}: ${choices.planner.why}`);
  const signals = await openSignals(configuration, replay);
  for (const note of signals.notes) onNote?.(note);
  const store =
    given ??
    (await openRuns(configuration).catch(async (error: unknown) => {
      await signals.close();
      throw error;
    }));
  const closeAll = async (): Promise<void> => {
    if (given === undefined) store.close();
    await signals.close();
  };
  const sinks = await sinksOf(configuration).catch(async (error: unknown) => {
    await closeAll();
    throw error;
  });
  const { reportFile } = await import('../tasks/index.ts');
  return {
    signals,
    store,
    setting: {
      store,
      signals: signals.signals,
      mask: openMasker(configuration),
      models: { planner: choices.planner.model, prices: values.prices },
      sinks: (run) => [reportFile(reportPath(configuration, run)), ...sinks],
      errors: errorSink(configuration),
    },
    close: closeAll,
  };
}
