/**
 * A conversation of twenty turns with two calls of tools each, of which one writes, over a real host and a real
 * workspace; the model is behind a server. It can kill itself (SIGKILL) at one of the instants at which something
 * becomes durable or is received. Started as `node kill-worker.contract.ts FOLDER ORIGIN WAY TURN INSTANT`: the instant
 * is counted from the beginning of that turn, and those before it are done.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../core/index.ts';
import type { Body, PlayedTurn } from '../model/dialogue/played-turn.contract.ts';
import { wires } from '../model/dialogue/wires.contract.ts';
import type { Model } from '../model/index.ts';
import { type Database, openDatabase, openSessionsIn, openStoreIn } from '../store/index.ts';
import { capabilitySet, connectInMemory, openToolHost, pageTools, type ToolClient } from '../tools/index.ts';
import { openWorld, worldWrite } from '../world/index.ts';
import { type OnCommit, observeDatabase } from './commits.contract.ts';
import { runTurn } from './turn/turn.ts';

export const turns = 20;
export const thread = 'talk';

const caller = { kind: 'agent', name: 'world-agent', device: 'here', thread, channel: null } as const;

export function openFolder(folder: string): Database {
  return openDatabase({ path: join(folder, 'workspace.db'), schemas: [], busyMs: 10_000 });
}

/** The page that every turn reads. */
export async function prepare(folder: string): Promise<void> {
  const db = openFolder(folder);
  const operation = { op: 'create_page', path: 'Lamp', text: 'The lamp is lit at dusk.\n' } as const;
  const user = { ...caller, kind: 'user', name: 'author' } as const;
  openWorld(db, { name: 'main' }).submit(
    worldWrite({ operation, caller: user, source: 'test', idempotencyKey: null }),
  );
  openSessionsIn(db).close();
  await openStoreIn(db).close();
  db.close();
}

/** The wires, and the one for models without native tools. */
export const modelWays = [...(Object.keys(wires) as (keyof typeof wires)[]), 'text tags'] as const;
export type Way = (typeof modelWays)[number];

const isWay = (name: string | undefined): name is Way => modelWays.some((way) => way === name);

function openModel(way: Way, origin: string, fetch: typeof globalThis.fetch): Model {
  const { fetch: real } = globalThis;
  globalThis.fetch = fetch;
  try {
    if (way !== 'text tags') return wires[way](origin);
    const { reply: _native, ...model } = wires.chat(origin);
    return model;
  } finally {
    globalThis.fetch = real;
  }
}

type Calls = NonNullable<PlayedTurn['calls']>;

/** The model's reply, which depends only on the request. */
export function replyFor(way: Way, { messages, input }: Body): PlayedTurn {
  const prompt = JSON.stringify(messages ?? input);
  const turnMatch = [...prompt.matchAll(/"turn (\d+)/g)].at(-1);
  const turn = turnMatch?.[1];
  const thought = /thinking|openai/.test(way) ? { reasoning: `Turn ${turn}.` } : {};
  if (prompt.slice(turnMatch?.index).includes(`Made/${turn}`)) return { ...thought, text: `answer ${turn}` };
  const calls: Calls = [
    { name: 'read_page', args: JSON.stringify({ page: 'Lamp' }) },
    { name: 'create_page', args: JSON.stringify({ path: `Made/${turn}`, text: `Page ${turn}.\n` }) },
  ];
  return way === 'text tags' ? { text: toTags(calls) } : { ...thought, calls };
}

function toTags(calls: Calls): string {
  return calls
    .map(({ name, args }) => {
      const input = Object.entries(JSON.parse(args)).map(
        ([key, value]) => `<arg name="${key}">${String(value)}</arg>`,
      );
      return [`<call name="${name}">`, ...input, '</call>'].join('\n');
    })
    .join('\n');
}

/** The file with the key of every tool call that was begun, one per line. */
export const callsFile = 'calls';

function observeTools(tools: ToolClient, folder: string, onInstant: OnCommit): ToolClient {
  return {
    ...tools,
    async call(request) {
      appendFileSync(join(folder, callsFile), `${request.idempotencyKey}\n`);
      onInstant('before', `call of ${request.name}`);
      const result = await tools.call(request);
      onInstant('after', `call of ${request.name}`);
      return result;
    },
  };
}

/** Reports a request before it is sent, and its reply before it is used. */
function observeFetch(onInstant: OnCommit): typeof fetch {
  const { fetch: real } = globalThis;
  return async (...request) => {
    onInstant('before', 'request to the model');
    const response = await real(...request);
    const body = await response.arrayBuffer();
    onInstant('after', 'request to the model');
    const { status, headers } = response;
    return new Response(body, { status, headers });
  };
}

export interface TalkOptions {
  readonly folder: string;
  /** Of the model's server. */
  readonly origin: string;
  readonly way: Way;
  /** The first turn: the turns before it are done. */
  readonly from: number;
  /** The turn before which the worker stops; by default it does all turns. */
  readonly to?: number;
  readonly onInstant: OnCommit;
  readonly onTurn?: (turn: number) => void;
}

/** Continues the conversation in the folder, to its end or to a turn. */
export async function converse({
  folder,
  origin,
  way,
  from,
  to = turns,
  onInstant,
  onTurn,
}: TalkOptions): Promise<void> {
  const real = openFolder(folder);
  const db = observeDatabase(real, onInstant);
  const world = openWorld(db, { name: 'main' });
  const host = openToolHost({
    tools: [
      ...pageTools({
        world,
        search: {
          search: async () => {
            throw new Error('nothing is searched here');
          },
        },
      }),
    ],
    workspace: world.workspace,
  });
  const client = await connectInMemory(host, { caller, capabilities: capabilitySet('agent') });
  const model = openModel(way, origin, observeFetch(onInstant));
  const ports = {
    sessions: openSessionsIn(db),
    store: openStoreIn(db),
    planner: model,
    analyst: model,
    tools: observeTools(client, folder, onInstant),
    limits: { tokens: 100_000_000 },
    clock: systemClock,
    random: Math.random,
    sleep: (ms: number) => sleep(ms),
  };
  for (let turn = from; turn < to; turn += 1) {
    onTurn?.(turn);
    const input = { kind: 'message', id: `m-${turn}`, text: `turn ${turn}` } as const;
    const { status, text } = await runTurn(thread, input, ports);
    if (status !== 'answered') throw new Error(`turn ${turn} ${status}: ${text}`);
  }
  await client.close();
  ports.sessions.close();
  await ports.store.close();
  real.close();
}

/** The file in which the worker says at which instant it killed itself. */
export const deathFile = 'died';

const [folder, origin, way, turn, instant] = process.argv.slice(2);
if (folder !== undefined && origin !== undefined && isWay(way)) {
  let seen = -1;
  const onInstant: OnCommit = (side, instantName) => {
    seen += 1;
    if (seen !== Number(instant)) return;
    appendFileSync(join(folder, deathFile), `${side} ${instantName}`);
    process.kill(process.pid, 'SIGKILL');
    // Nothing more is done while the signal is on its way.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  };
  await converse({ folder, origin, way, from: Number(turn), onInstant });
}
