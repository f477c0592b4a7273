/** Runs of research: what the command line, the MCP server and the library all call. */
import { type RunResult, SondeError, scopeMatcher } from '../core/index.ts';
import type { ResearchSetting } from '../tasks/index.ts';
import { type OpenMaterial, openMaterial, openRuns, timeLeft } from './compose.ts';
import { type Configuration, processEnvironment, type SettingKey } from './config/index.ts';
import { keptModel } from './kept-run.ts';
import { openMasker } from './masking.ts';
import { openModels } from './models.ts';
import { resolveRoot } from './root.ts';
import type { AppKind, Offered } from './run-kind.ts';
import { configured, heard, type Watch } from './watch.ts';

export interface AskRequest extends Watch {
  readonly question: string;
  /** A folder. */
  readonly root: string;
  readonly scope?: string | undefined;
  /** Settings that come before the environment and all files, by the names of docs/configuration.md. */
  readonly settings?: Readonly<Partial<Record<SettingKey, unknown>>>;
  readonly offered?: Offered;
}

interface Ended {
  readonly result: RunResult;
}

export interface Finished extends Ended {
  readonly root: string;
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
    const { researchRun } = await import('../tasks/index.ts');
    const limits = {
      steps: values.steps,
      wall_ms: timeLeft(values.max_time, research.waited),
      action_ms: values.action_timeout,
      tokens: values.max_tokens,
      usd: values.max_usd,
      ...(research.calls !== null && { calls: research.calls }),
    };
    const extra: Extra = { analyst: values.analyst === undefined ? null : keptModel(values.analyst) };
    const { result } = await researchRun.start(
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

export const researchKind: AppKind<ResearchSetting, Ended, undefined, Ended, Extra> = {
  runs: async () => (await import('../tasks/index.ts')).researchRun,
  project: ({ row }) => resolveRoot(row.root),
  async open(configuration, { row }, watch, offered) {
    const { setting, close } = await openResearch(configuration, resolveRoot(row.root), watch, offered);
    return { value: setting, close };
  },
  given: async () => ({ value: undefined, close: () => {} }),
};

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
