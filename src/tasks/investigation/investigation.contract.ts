/** An investigation over a real store and a real sandbox: what the tests of this folder share. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Capability, capabilities, type LoggedEvent } from '../../core/index.ts';
import { type Model, type ModelRequest, type Prices, type Script, scriptedModel } from '../../model/index.ts';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { openStore, type Store } from '../../store/index.ts';
import { files } from '../research/research.contract.ts';
import { scriptedMaterial } from '../research/scripted.ts';
import type { Limits } from './limits.ts';
import type { Material } from './material.ts';
import type { FinishedInvestigation } from './report/report.ts';
import { type InvestigationRequest, type InvestigationSetting, investigationRun } from './run.ts';
import { investigationHelpers } from './talk/helper-docs.ts';

export { files };
export const question = 'When does SessionStore expire a session?';

export interface TestMaterial extends Material {
  readonly calls: readonly string[];
}

export function testMaterial(
  given: Readonly<Record<string, string>> = files,
  more: Partial<Material> = {},
): TestMaterial {
  const { search, text, calls } = scriptedMaterial({ files: given });
  return {
    kind: 'tree',
    search,
    text,
    calls,
    // It ignores the scope, which the helper must not do.
    paths: async () => ({ paths: Object.keys(given).sort(), completeness: 'complete', notes: [] }),
    ...more,
  };
}

export const code = (...lines: readonly string[]) => `\`\`\`python\n${lines.join('\n')}\n\`\`\``;

export interface Bench {
  readonly store: Store;
  readonly sandbox: Sandbox;
  readonly dir: string;
  close(): Promise<void>;
}

let shared: Sandbox | null = null;

export function bench(): Bench {
  const dir = mkdtempSync(join(tmpdir(), 'sonde-investigation-'));
  const store = openStore(join(dir, 'sonde.db'), { unsynced: true });
  shared ??= testSandbox();
  const sandbox = shared;
  return {
    store,
    sandbox,
    dir,
    async close() {
      await sandbox.close();
      shared = null;
      await store.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Threads of this process: quick to start, and the same interpreter. */
export function testSandbox(): Sandbox {
  return createSandbox({
    isolation: 'thread',
    helpers: investigationHelpers,
    cacheDirectory: join(tmpdir(), 'sonde-test-sandbox'),
    warm: 1,
  });
}

export const noWait = { random: () => 0, sleep: async () => {} };
export const allCapabilities: ReadonlySet<Capability> = new Set(capabilities);

export interface Trial extends Partial<Omit<InvestigationRequest, 'limits'>> {
  /** Of the planner. */
  readonly script?: Script;
  readonly planner?: Model;
  readonly analyst?: Model;
  readonly limits?: Partial<Limits>;
  readonly testMaterial?: Material;
  readonly prices?: Prices;
  readonly setting?: Partial<InvestigationSetting>;
}

export interface TrialResult extends FinishedInvestigation {
  readonly run: string;
  readonly events: readonly LoggedEvent[];
  readonly planner: Model;
}

export async function runTrial(
  { store, sandbox }: Pick<Bench, 'store' | 'sandbox'>,
  trial: Trial,
): Promise<TrialResult> {
  const {
    script = [],
    planner = scriptedModel(script),
    analyst = scriptedModel('an analyst'),
    ...rest
  } = trial;
  const { limits, testMaterial: given = testMaterial(), prices, setting, ...request } = rest;
  const events: LoggedEvent[] = [];
  const end = await investigationRun.start(
    { prompt: question, root: '/material', ...(limits && { limits }), ...request },
    {
      store,
      sandbox,
      models: { planner, analyst, ...(prices && { prices }) },
      material: given,
      capabilities: allCapabilities,
      ...noWait,
      onEvent: (event) => events.push(event),
      ...setting,
    },
  );
  return { ...end, run: end.result.run_id, events, planner };
}

/** Whether the request is to the planner, which writes code; any other is a question asked by that code. */
export const isPlanner = ({ messages }: ModelRequest): boolean =>
  messages[0]?.text.includes('You investigate a question by writing Python') === true;

/** The turn of the investigation, from 1: each reply so far is one. */
export const turnOf = ({ messages }: ModelRequest): number =>
  1 + messages.filter(({ role }) => role === 'assistant').length;

/** The text of the last message. */
export const lastMessage = ({ messages }: ModelRequest): string => messages.at(-1)?.text ?? '';

export const pageOf = (request: ModelRequest): string => request.messages.map(({ text }) => text).join('\n');
