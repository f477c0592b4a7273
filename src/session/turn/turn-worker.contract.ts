/**
 * A conversation that tests kill: twenty turns with two tool calls each, of which one writes. Requests to the model and
 * writes are recorded in files outside the database, as a provider and a host would. Started as `node
 * turn-worker.contract.ts FOLDER`.
 */
import { appendFileSync, existsSync, mkdirSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock, toolReply } from '../../core/index.ts';
import { scriptedModel } from '../../model/index.ts';
import { openDatabase, openSessionsIn, openStoreIn } from '../../store/index.ts';
import type { ToolClient, ToolListing } from '../../tools/index.ts';
import { runTurn } from './turn.ts';

export const turns = 20;

/**
 * The folder with one file for each applied write, named by its key. Two files for one turn mean that a write was done
 * twice.
 */
export const applied = 'applied';

const folder = process.argv[2];

function listing(name: string, effect: ToolListing['effect']): ToolListing {
  return {
    name,
    description: name,
    parameters: { type: 'object' },
    capability: null,
    effect,
    derivation: 'none',
    cost: 'none',
  };
}

/** Applies a write once for each key, as the host does. */
function host(place: string): Pick<ToolClient, 'list' | 'call'> {
  mkdirSync(join(place, applied), { recursive: true });
  return {
    list: async () => [listing('look', 'read'), listing('create', 'write')],
    async call({ name, args, idempotencyKey }) {
      await sleep(1);
      if (name === 'look') return toolReply(`seen ${JSON.stringify(args)}`, null);
      const page = join(place, applied, `${idempotencyKey}`);
      if (!existsSync(page)) {
        // Written atomically: the file is the write and its mark, so that no kill can come between the two.
        writeFileSync(`${page}.new`, JSON.stringify(args));
        renameSync(`${page}.new`, page);
      }
      return toolReply('written', null, {
        write: { write_id: `w-${String(args['turn'])}`, applied: true, content_ids: [] },
      });
    },
  };
}

/** A model whose replies depend only on the page, so that no state is lost in a crash. */
function planner(place: string) {
  return scriptedModel(({ messages }) => {
    const page = messages.map(({ text }) => text).join('\n');
    const asked = [...page.matchAll(/^turn (\d+)$/gm)].at(-1)!;
    const turn = Number(asked[1]);
    const since = page.slice(asked.index);
    appendFileSync(
      join(place, 'asked'),
      `${turn} ${since.includes('<result of="create">') ? 'end' : 'begin'}\n`,
    );
    if (since.includes('<result of="create">')) return { text: `answer ${turn}`, calls: [] };
    return {
      text: '',
      calls: [
        { name: 'look', args: JSON.stringify({ turn }) },
        { name: 'create', args: JSON.stringify({ turn }) },
      ],
    };
  });
}

if (folder !== undefined) {
  const db = openDatabase({ path: join(folder, 'workspace.db'), schemas: [], busyMs: 10_000 });
  const ports = {
    sessions: openSessionsIn(db),
    store: openStoreIn(db),
    planner: planner(folder),
    analyst: scriptedModel([]),
    tools: host(folder),
    limits: { tokens: 100_000_000 },
    clock: systemClock,
    random: Math.random,
    sleep: (ms: number) => sleep(ms),
  };
  for (let turn = 0; turn < turns; turn += 1) {
    const result = await runTurn('thread', { kind: 'message', id: `m-${turn}`, text: `turn ${turn}` }, ports);
    writeSync(1, `${JSON.stringify({ turn, status: result.status, text: result.text })}\n`);
  }
  ports.sessions.close();
  await ports.store.close();
  db.close();
}
