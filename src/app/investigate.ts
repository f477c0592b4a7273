/** Investigations: what the command line and the library both call. */
import {
  type Capability,
  capabilities,
  type InvestigationRecord,
  type RunResult,
  SondeError,
  scopeMatcher,
} from '../core/index.ts';
import type { InvestigationMaterial, InvestigationSetting, ReplayedInvestigation } from '../tasks/index.ts';
import { openMaterial, openRuns, timeLeft } from './compose.ts';
import { type Configuration, processEnvironment, type SettingKey, workspaceFile } from './config/index.ts';
import { openPages } from './host-material.ts';
import { openHostMemory } from './host-memory.ts';
import { pagesMaterial, treeMaterial } from './investigate-material.ts';
import { investigationSandbox } from './investigation-sandbox.ts';
import { type KeptRun, keptModel } from './kept-run.ts';
import { openMasker } from './masking.ts';
import { openModels } from './models.ts';
import { resolveRoot } from './root.ts';
import type { AppKind } from './run-kind.ts';
import { configured, heard, type Watch } from './watch.ts';
import { openWorkspace } from './world.ts';

interface Ended {
  readonly result: RunResult;
  readonly investigation: InvestigationRecord;
}

export interface InvestigationFinished extends Ended {
  readonly root: string;
}

/** Where it looks: a folder, or a workspace by its name or the path of its file. */
export type Place =
  | { readonly root: string; readonly workspace?: never }
  | { readonly workspace: string; readonly root?: never };

export type InvestigateRequest = Watch &
  Place & {
    readonly prompt: string;
    /** In the sandbox as `context`: a value that JSON can hold. */
    readonly context?: unknown;
    /** JSON Schema of the answer. */
    readonly schema?: Readonly<Record<string, unknown>>;
    readonly scope?: string | undefined;
    /** How deep investigations may nest. */
    readonly depth?: number;
    readonly settings?: Readonly<Partial<Record<SettingKey, unknown>>>;
  };

/** What a run needs that its row does not hold by itself. */
interface Extra {
  readonly analyst: string | null;
  readonly workspace: string | null;
}

/** Throws for wrong input, before anything is written; after that every end but a bug is a result. */
export async function investigate(request: InvestigateRequest): Promise<InvestigationFinished> {
  const { prompt, context, schema, scope, depth, settings = {}, ...watch } = request;
  scopeMatcher(scope);
  if (prompt.trim() === '')
    throw new SondeError('bad_argument', {
      message: 'The question is empty',
      remedy: 'Ask something, in quotation marks: sonde investigate "QUESTION" PATH.',
    });
  const folder = request.root === undefined ? null : resolveRoot(request.root);
  const configuration = configured(
    { ...settings, ...(request.workspace !== undefined && { workspace: request.workspace }) },
    folder,
    watch,
  );
  const { values } = configuration;
  const workspace = folder === null ? workspaceFile(configuration.directories, values.workspace) : null;
  const open = await openInvestigation(configuration, folder, workspace, watch);
  try {
    const { investigationRun } = await import('../tasks/index.ts');
    const extra: Extra = {
      analyst: values.analyst === undefined ? null : keptModel(values.analyst),
      workspace,
    };
    const root = folder ?? workspace ?? '';
    const mask = openMasker(configuration);
    const limits = limitsFrom(configuration);
    const done = await investigationRun.start(
      {
        prompt: mask.text(prompt),
        root,
        limits: {
          ...limits,
          wall_ms: timeLeft(limits.wall_ms, open.waited),
          ...(depth !== undefined && { depth }),
        },
        storeArtifacts: values.store_artifacts,
        extra: { ...extra },
        ...(context !== undefined && { context: mask.value(context) }),
        ...(schema !== undefined && { schema }),
        ...(scope !== undefined && { scope }),
      },
      { ...open.setting, ...heard(watch) },
    );
    return { ...done, root };
  } finally {
    await open.close();
  }
}

export const investigationKind: AppKind<
  InvestigationSetting,
  Ended,
  InvestigationSetting['sandbox'],
  ReplayedInvestigation,
  Extra
> = {
  runs: async () => (await import('../tasks/index.ts')).investigationRun,
  project: folderOf,
  async open(configuration, kept, watch) {
    const { setting, close } = await openInvestigation(
      configuration,
      folderOf(kept),
      kept.extra.workspace ?? null,
      watch,
    );
    return { value: setting, close };
  },
  async given(configuration) {
    const { sandbox, close } = await investigationSandbox(configuration);
    return { value: sandbox, close };
  },
  notes({ cells, fuel, notes, differences }) {
    const same = differences.length === 0 ? 'all as recorded' : `${differences.length} differences`;
    return [`${cells} cells were run again with ${fuel} units of fuel: ${same}`, ...notes, ...differences];
  },
};

function folderOf({ row, extra }: KeptRun<Extra>): string | null {
  return extra.workspace == null ? resolveRoot(row.root) : null;
}

/** What an investigation is given where nobody said otherwise: code that reads a lot takes its time. */
const ownDefaults = { max_time: 300_000, max_tokens: 400_000, steps: 20 } as const;

function limitsFrom({ values, sources }: Configuration) {
  const own = <Key extends keyof typeof ownDefaults>(key: Key) =>
    sources[key] === 'default' ? ownDefaults[key] : values[key];
  return {
    turns: own('steps'),
    wall_ms: own('max_time'),
    tokens: own('max_tokens'),
    usd: values.max_usd,
  };
}

/** Who sits at the machine lets an investigation read everything, and propose: nothing is written by it. */
const granted: readonly Capability[] = [
  'PagesRead',
  'PagesWrite',
  'SearchUse',
  'MemoryRead',
  'SandboxRun',
  'CodeRead',
];

async function openInvestigation(
  configuration: Configuration,
  folder: string | null,
  workspace: string | null,
  watch: Watch,
) {
  const values = { ...configuration.values, model: keptModel(configuration.values.model) };
  const choices = await openModels(values, processEnvironment(), openMasker(configuration));
  for (const passed of choices.planner.passedOver) watch.onNote?.(passed);
  if (configuration.values.model === 'auto')
    watch.onNote?.(`model ${choices.planner.model.name}: ${choices.planner.why}`);
  const closing: (() => unknown)[] = [];
  const close = async () => {
    for (const one of closing.splice(0).reverse()) await one();
  };
  try {
    const { material, waited } =
      folder === null
        ? { material: await workspaceMaterial(configuration, workspace ?? '', closing), waited: 0 }
        : await folderMaterial(configuration, folder, watch, closing);
    // Its many small records wait for the disk where they were paid for.
    const store = await openRuns(configuration, { unsynced: true });
    closing.push(() => store.close());
    const { sandbox, close: closeSandbox } = await investigationSandbox(configuration);
    closing.push(closeSandbox);
    const setting: InvestigationSetting = {
      store,
      sandbox,
      material,
      capabilities: new Set(capabilities.filter((one) => granted.includes(one))),
      models: {
        planner: choices.planner.model,
        analyst: choices.analyst.model,
        prices: values.prices,
      },
    };
    return { setting, waited, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function folderMaterial(
  configuration: Configuration,
  folder: string,
  { signal, onIndex }: Watch,
  closing: (() => unknown)[],
): Promise<{ readonly material: InvestigationMaterial; readonly waited: number }> {
  const material = await openMaterial(configuration, folder, {
    // What is left of the time is for the question.
    wait: limitsFrom(configuration).wall_ms / 2,
    ...(signal !== undefined && { signal }),
    ...(onIndex !== undefined && { onIndex }),
  });
  closing.push(() => material.close());
  return { material: treeMaterial(material), waited: material.waited };
}

async function workspaceMaterial(
  configuration: Configuration,
  file: string,
  closing: (() => unknown)[],
): Promise<InvestigationMaterial> {
  const open = await openWorkspace(file, { make: false });
  closing.push(() => open.close());
  const { memory, close } = await openHostMemory(open);
  closing.push(close);
  const pages = await openPages(configuration, open.world);
  closing.push(() => pages.close());
  // A command waits for the whole index: there is no second call that could be more complete.
  await pages.follow();
  return pagesMaterial(open.world, pages, memory, openMasker(configuration));
}
