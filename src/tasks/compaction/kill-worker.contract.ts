/**
 * A conversation in which one of the turns compacts: by a tool call of the planner, automatically near the context
 * window, or by delegating work to the shape. It can kill itself (SIGKILL) at an instant at which something
 * becomes durable. Started as `node kill-worker.contract.ts FOLDER WAY INSTANT`.
 */
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { z } from 'zod';
import { sha256, systemClock, toolReply } from '../../core/index.ts';
import { type Model, scriptedModel } from '../../model/index.ts';
import { type OnCommit, observeDatabase } from '../../session/commits.contract.ts';
import { runTurn } from '../../session/index.ts';
import { type Database, openDatabase, openSessionsIn, openStoreIn } from '../../store/index.ts';
import type { ToolClient, ToolListing } from '../../tools/index.ts';
import { shape } from '../shape.ts';
import { dispatcherOf } from '../shapes.ts';
import { createShapeRegistry } from '../task.ts';
import { compaction } from './shape.ts';

export const compactionWays = ['tool', 'auto', 'shape'] as const;
export type Way = (typeof compactionWays)[number];

export const turns = 4;
/** The number of the turn that compacts. */
export const compactingTurn = 2;
export const thread = 'talk';
export const longText = 'The tide comes in and the tide goes out. '.repeat(600).trim();
/** The context window, in tokens: three turns of this text come near it, two do not. */
const contextWindow = 22_700;

/** The prompts of the models, one per line, and the writes. Outside of the database, like the logs of a provider. */
export const [promptsFile, writesFile, deathFile] = ['asked', 'written', 'died'];

export const openFolder = (folder: string): Database =>
  openDatabase({ path: join(folder, 'workspace.db'), schemas: [], busyMs: 10_000 });

const Digging = Annotation.Root({ depth: Annotation<number>() });
/** Work in two steps that write once each. */
const dig = shape({
  key: 'dig',
  description: 'Digs.',
  paramSchema: z.strictObject({}),
  outputSchema: z.strictObject({ found: z.string() }),
  recovery: 'reattach',
  async handler(_, { clients, config, subThread }) {
    const step = (nth: number) => async () => {
      const idempotencyKey = sha256(`${subThread}/${nth}`);
      await clients.tools.call({ name: 'create', args: { page: `dug ${nth}` }, idempotencyKey });
      return { depth: nth };
    };
    await new StateGraph(Digging)
      .addNode('one', step(1))
      .addNode('two', step(2))
      .addEdge(START, 'one')
      .addEdge('one', 'two')
      .addEdge('two', END)
      .compile()
      .invoke({}, config);
    return { found: longText };
  },
});

function host(folder: string): Pick<ToolClient, 'list' | 'call'> {
  const create: ToolListing = {
    name: 'create',
    description: 'Makes a page.',
    parameters: { type: 'object' },
    capability: null,
    effect: 'write',
    derivation: 'none',
    cost: 'none',
  };
  return {
    list: async () => [create],
    async call({ args, idempotencyKey }) {
      const mark = join(folder, String(idempotencyKey));
      // The mark of a write is the write.
      if (!existsSync(mark)) {
        writeFileSync(mark, '');
        appendFileSync(join(folder, writesFile), `${String(args['page'])}\n`);
      }
      const write = { write_id: `w-${String(args['page'])}`, applied: true, content_ids: [] };
      return toolReply('written', null, { write });
    },
  };
}

/** Its reply depends only on the prompt. */
function planner(folder: string, way: Way): Model {
  const model = scriptedModel(({ messages }) => {
    const shown = messages.map(({ text }) => text).join('\n');
    const [said] = [...shown.matchAll(/^turn (\d+)/gm)].slice(-1);
    const since = shown.slice(said?.index);
    const turn = Number(said?.[1]);
    appendFileSync(join(folder, promptsFile), 'planner\n');
    const call = (name: string, args: object) => ({
      text: '',
      calls: [{ name, args: JSON.stringify(args) }],
    });
    if (turn === compactingTurn && way === 'tool' && !since.includes('<result of="compact_history"'))
      return call('compact_history', { keep_turns: 1 });
    if (turn === compactingTurn && way === 'shape' && !since.includes('<result of="task"'))
      return call('task', { shape: 'compaction', params: { shape: 'dig', params: {}, why: 'to dig' } });
    if (!since.includes('<result of="create"')) return call('create', { page: `page ${turn}` });
    return { text: `answer ${turn}`, calls: [] };
  });
  return way === 'auto' ? { ...model, contextWindow } : model;
}

function analyst(folder: string): Model {
  return scriptedModel(() => {
    appendFileSync(join(folder, promptsFile), 'analyst\n');
    const insight = { tier: 'workspace', key: 'tides', text: 'twice a day' };
    return { summary: 'They spoke of tides.', insights: [insight] };
  });
}

/** Continues the conversation in the folder to its end. */
export async function converse(folder: string, way: Way, told: OnCommit, last = turns): Promise<void> {
  const real = openFolder(folder);
  const db = observeDatabase(real, told);
  const registry = createShapeRegistry();
  for (const each of [dig, compaction]) registry.register(each);
  const models = { planner: planner(folder, way), analyst: analyst(folder) };
  const tools = host(folder);
  const ports = {
    ...models,
    sessions: openSessionsIn(db),
    store: openStoreIn(db),
    tools,
    dispatcher: dispatcherOf(registry.close(), { ...models, tools, capabilities: new Set() }),
    limits: { tokens: 100_000_000 },
    clock: systemClock,
    random: Math.random,
    sleep: (ms: number) => sleep(ms),
    ...(way === 'auto' && { autoCompact: 0.9 }),
  };
  for (let turn = 0; turn < last; turn += 1)
    await runTurn(thread, { kind: 'message', id: `m-${turn}`, text: `turn ${turn}. ${longText}` }, ports);
  ports.sessions.close();
  await ports.store.close();
  real.close();
}

const [folder, way, instant] = process.argv.slice(2);
if (instant !== undefined) {
  let seen = -1;
  await converse(folder!, way as Way, (side, what) => {
    seen += 1;
    if (seen !== Number(instant)) return;
    appendFileSync(join(folder!, deathFile), `${side} ${what}`);
    process.kill(process.pid, 'SIGKILL');
    // Nothing more is done while the signal is on its way.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
}
