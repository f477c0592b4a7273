/** Runs of research: what the command line, the MCP server and the library all call. */
import { type RunResult, SondeError, scopeMatcher } from '../core/index.ts';
import type { Sample } from '../model/index.ts';
import { type OpenMaterial, openMaterial, openRuns, timeLeft } from './compose.ts';
import {
  type Configuration,
  loadConfiguration,
  processEnvironment,
  type SettingKey,
} from './config/index.ts';
import { keptModel, keptRun } from './kept-run.ts';
import { openMasker } from './masking.ts';
import { openModels } from './models.ts';
import { resolveRoot } from './root.ts';
import { configured, heard, type Watch } from './watch.ts';

/** The caller's own model, taken where none is configured. */
export interface Offered {
  readonly sample: Sample;
  /** Most requests that the caller answers in one run. */
  readonly calls: number;
}

export interface AskRequest extends Watch {
  readonly question: string;
  /** A folder. */
  readonly root: string;
  readonly scope?: string | undefined;
  /** Settings that come before the environment and all files, by the names of docs/configuration.md. */
  readonly settings?: Readonly<Partial<Record<SettingKey, unknown>>>;
  readonly offered?: Offered;
}

export interface Finished {
  readonly result: RunResult;
  readonly root: string;
}

export interface RunRequest extends Watch {
  /** A run's id, or the beginning of one. */
  readonly run: string;
  readonly offered?: Offered;
}

/** What a run needs that its row does not hold by itself. */
interface Extra {
  readonly analyst: string | null;
}

/** Throws for wrong input, before anything is written; after that every end is a result. */
export async function ask(request: AskRequest): Promise<Finished> {
  const { question, scope, settings = {}, offered, ...watch } = request;
  const root = resolveRoot(request.root);
  // What is wrong about the input is said before a large folder is indexed.
  scopeMatcher(scope);
  if (question.trim() === '')
    throw new SondeError('bad_argument', {
      message: 'The question is empty',
      remedy: 'Ask something, in quotation marks: sonde ask "QUESTION" PATH.',
    });
  const configuration = configured(settings, root, watch);
  const { values } = configuration;
  const research = await openResearch(configuration, root, watch, offered);
  try {
    const { runResearch } = await import('../tasks/index.ts');
    const limits = {
      steps: values.steps,
      wall_ms: timeLeft(values.max_time, research.waited),
      action_ms: values.action_timeout,
      tokens: values.max_tokens,
      usd: values.max_usd,
      ...(research.calls !== null && { calls: research.calls }),
    };
    const extra: Extra = { analyst: values.analyst === undefined ? null : keptModel(values.analyst) };
    const result = await runResearch(
      {
        question: openMasker(configuration).text(question),
        root,
        limits,
        storeArtifacts: values.store_artifacts,
        extra: { ...extra },
        ...(scope !== undefined && { scope }),
      },
      { ...research.setting, ...heard(watch) },
    );
    return { result, root };
  } finally {
    research.close();
  }
}

/** Goes on with a run under the model and the limits it began with. Throws `not_found` and `run_state`. */
export async function resume({ run, offered, ...watch }: RunRequest): Promise<Finished> {
  const { row, extra, model } = await keptRun<Extra>(run);
  const root = resolveRoot(row.root);
  const configuration = configured(
    { ...(model !== null && { model }), ...(extra.analyst != null && { analyst: extra.analyst }) },
    root,
    watch,
  );
  const research = await openResearch(configuration, root, watch, offered);
  try {
    const { resumeResearch } = await import('../tasks/index.ts');
    return { result: await resumeResearch(row.id, { ...research.setting, ...heard(watch) }), root };
  } finally {
    research.close();
  }
}

/** Works a finished run through again from its log. Throws `not_found` and `run_state`. */
export async function replay({ run }: RunRequest): Promise<Finished> {
  const { replayResearch } = await import('../tasks/index.ts');
  const store = await openRuns(loadConfiguration({ environment: processEnvironment() }));
  try {
    const { id, root } = store.runs.get(run);
    return { result: await replayResearch(id, store), root };
  } finally {
    store.close();
  }
}

async function openResearch(
  configuration: Configuration,
  root: string,
  { signal, onIndex, onNote }: Watch,
  offered: Offered | undefined,
) {
  const environment = processEnvironment();
  const values = { ...configuration.values, model: keptModel(configuration.values.model) };
  const choices = await openModels(values, environment, openMasker(configuration), offered?.sample);
  for (const passed of choices.planner.passedOver) onNote?.(passed);
  if (configuration.values.model === 'auto')
    onNote?.(`model ${choices.planner.model.name}: ${choices.planner.why}`);
  const material: OpenMaterial = await openMaterial(configuration, root, {
    // What is left of the time is for the question.
    wait: configuration.values.max_time / 2,
    ...(signal !== undefined && { signal }),
    ...(onIndex !== undefined && { onIndex }),
  });
  const store = await openRuns(configuration).catch((error: unknown) => {
    material.close();
    throw error;
  });
  const lent = choices.planner.model.name === 'mcp';
  return {
    waited: material.waited,
    /** Most model calls, where the caller answers them. */
    calls: lent ? (offered?.calls ?? null) : null,
    setting: {
      store,
      material: material.ports,
      models: {
        planner: choices.planner.model,
        analyst: choices.analyst.model,
        // What the caller's own model costs is between the caller and its provider.
        prices: lent ? { ...values.prices, mcp: free } : values.prices,
      },
    },
    close() {
      material.close();
      store.close();
    },
  };
}

const free = Object.freeze({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 });
