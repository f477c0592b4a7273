/**
 * A conversation of twenty turns with two calls of tools each, of which one writes, over a real host and a real
 * workspace; the model is behind a server. It can be told to kill itself, with -9, at one of the instants at which
 * something becomes durable or comes back. Started as `node kill-worker.contract.ts FOLDER MODEL_URL TURN INSTANT`:
 * the instant is counted from the beginning of that turn, and those before it are done.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../core/index.ts';
import { openaiCompatibleModel } from '../model/openai-compatible.ts';
import { type Database, openDatabase, openSessionsIn, openStoreIn } from '../store/index.ts';
import { capabilitySet, connectInMemory, openToolHost, pageTools, type ToolClient } from '../tools/index.ts';
import { openWorld, worldWrite } from '../world/index.ts';
import { type Told, tellingDatabase } from './commits.contract.ts';
import { runTurn } from './turn.ts';

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

/** What the model says: it depends on the prompt alone. */
export function planned(prompt: string): string {
  const since = prompt.slice(prompt.lastIndexOf('\n## The person\n'));
  const turn = /## The person\nturn (\d+)/.exec(since)?.[1];
  const decision = (text: string, ...calls: readonly (readonly [string, object])[]): string =>
    JSON.stringify({ text, calls: calls.map(([name, args]) => ({ name, args: JSON.stringify(args) })) });
  if (since.includes('\n## create_page (')) return decision(`answer ${turn}`);
  return decision(
    '',
    ['read_page', { page: 'Lamp' }],
    ['create_page', { path: `Made/${turn}`, text: `Page ${turn}.\n` }],
  );
}

/** Every call of a tool that was begun, by its key, a line each. */
export const callsFile = 'calls';

function toldTools(tools: ToolClient, folder: string, told: Told): ToolClient {
  return {
    ...tools,
    async call(request) {
      appendFileSync(join(folder, callsFile), `${request.idempotencyKey}\n`);
      told('before', `call of ${request.name}`);
      const result = await tools.call(request);
      told('after', `call of ${request.name}`);
      return result;
    },
  };
}

/** A request that leaves, and a reply that has come and is not used yet. */
function toldFetch(told: Told): typeof fetch {
  return async (...request) => {
    told('before', 'request to the model');
    const response = await fetch(...request);
    const body = await response.arrayBuffer();
    told('after', 'request to the model');
    const { status, headers } = response;
    return new Response(body, { status, headers });
  };
}

export interface Talk {
  readonly folder: string;
  readonly baseUrl: string;
  /** Those before it are done. */
  readonly from: number;
  /** The turn that is not begun any more; by default there is none. */
  readonly to?: number;
  readonly told: Told;
  readonly onTurn?: (turn: number) => void;
}

/** From wherever the folder is to the end of the conversation, or to a turn. */
export async function converse({ folder, baseUrl, from, to = turns, told, onTurn }: Talk): Promise<void> {
  const real = openFolder(folder);
  const db = tellingDatabase(real, told);
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
  const model = openaiCompatibleModel('openai-compatible', 'planned', {
    baseUrl,
    fetch: toldFetch(told),
    clock: systemClock,
  });
  const ports = {
    sessions: openSessionsIn(db),
    store: openStoreIn(db),
    planner: model,
    analyst: model,
    tools: toldTools(client, folder, told),
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

/** Where the worker leaves what it was at when it killed itself. */
export const diedFile = 'died';

const [folder, baseUrl, turn, instant] = process.argv.slice(2);
if (folder !== undefined && baseUrl !== undefined) {
  let seen = -1;
  const told: Told = (side, what) => {
    seen += 1;
    if (seen !== Number(instant)) return;
    appendFileSync(join(folder, diedFile), `${side} ${what}`);
    process.kill(process.pid, 'SIGKILL');
    // Nothing more is done while the signal is on its way.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  };
  await converse({ folder, baseUrl, from: Number(turn), told });
}
