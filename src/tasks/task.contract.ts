/** What the tests of shapes share: clients that answer by script, over a journal in memory. */
import { type Journal, manualClock, type Pool, type Step } from '../core/index.ts';
import { memoryLedger, openPool } from '../core/pools.ts';
import { type Script, scriptedModel } from '../model/index.ts';
import { makeAsker } from '../session/index.ts';
import { openSteps } from '../store/index.ts';
import { scriptedTools, type ToolScript } from '../tools/scripted.ts';
import type { Corpora } from './corpus.ts';
import type { TaskClients, TaskRequest } from './shape.ts';

export function memoryJournal(): Journal {
  const valuesByKey = new Map<string, string>();
  const recall = (key: string) => (valuesByKey.has(key) ? JSON.parse(valuesByKey.get(key)!) : undefined);
  return {
    recall,
    record(key, value) {
      if (!valuesByKey.has(key)) valuesByKey.set(key, JSON.stringify(value ?? null));
      return recall(key);
    },
  };
}

/** Steps over a journal, paid from a pool that nothing limits. */
export function stepsOver(journal: Journal): Step {
  return openSteps({
    journal,
    log: { append: () => true },
    pool: poolOf(Infinity),
    atomic: (work) => work(),
    commit: async () => {},
    signal: new AbortController().signal,
  });
}

export function scriptedClients(script: { planner?: Script; analyst?: Script; tools?: ToolScript } = {}) {
  const planner = scriptedModel(script.planner ?? []);
  const analyst = scriptedModel(script.analyst ?? []);
  const tools = scriptedTools(script.tools ?? {});
  const journal = memoryJournal();
  const step = stepsOver(journal);
  const ask = makeAsker({
    planner,
    analyst,
    step,
    number: () => 1,
    clock: manualClock(),
    random: () => 0.5,
    sleep: async () => {},
  });
  return { planner, analyst, tools, step, recorded: journal, ask } satisfies TaskClients;
}

export function poolOf(tokens = 1_000_000): Pool {
  return openPool(memoryLedger(), { account: 'run', run: 'run', fence: 1, limits: { tokens } });
}

export function requestOf(clients: TaskClients, more: Partial<TaskRequest> = {}): TaskRequest {
  const site = { thread: 'thread', namespace: '', call: 'call-1' };
  return { ...site, clients, pool: poolOf(), capabilities: new Set(['PagesRead', 'SearchUse']), ...more };
}

/** A single corpus, whose material is given and which needs no capability. */
export function openCorpora<Material>(material: Material, root = '/material'): Corpora<Material> {
  const open = async () => ({ material, close() {} });
  return [{ name: 'files', description: 'Files of a test.', root, needs: [], open }];
}
