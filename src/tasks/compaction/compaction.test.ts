import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toolReply } from '../../core/index.ts';
import { applyUpdate, type Message, type MessagesUpdate, ThreadCheckpointer } from '../../session/index.ts';
import { type Database, openDatabase, openSessionsIn, type Sessions } from '../../store/index.ts';
import { shape } from '../shape.ts';
import { subThreadOf } from '../sub-thread.ts';
import { requestOf, scriptedClients } from '../task.contract.ts';
import { createShapeRegistry } from '../task.ts';
import { compaction } from './shape.ts';

let db: Database;
let sessions: Sessions;
let worked: string[];
let failures: Map<string, number>;
/** Where the caller stood before, as the last compaction has it. */
let rewound: { readonly namespace: string; readonly checkpoint: string } | undefined;

beforeEach(async () => {
  db = openDatabase({ path: ':memory:', schemas: [], busyMs: 1000 });
  sessions = openSessionsIn(db);
  await sessions.threads.create({ id: 'thread' });
  worked = [];
  failures = new Map();
});
afterEach(() => {
  sessions.close();
  db.close();
});

/** Fails the next so many times at a place. */
function maybeFail(place: string): void {
  worked.push(place);
  const left = failures.get(place) ?? 0;
  failures.set(place, left - 1);
  if (left > 0) throw new Error(`crash ${place}`);
}

const written = toolReply('written', {}, { write: { write_id: 'w-1', applied: true, content_ids: [] } });

const Digging = Annotation.Root({ depth: Annotation<number>() });
/** Work in two steps, with a write between them. */
const dig = shape({
  key: 'dig',
  description: 'Digs.',
  paramSchema: z.strictObject({}),
  outputSchema: z.strictObject({ found: z.string() }),
  recovery: 'reattach',
  async handler(_, { clients, config }) {
    await new StateGraph(Digging)
      .addNode('one', async () => {
        maybeFail('dig one');
        await clients.tools.call({ name: 'create_page', args: {}, idempotencyKey: 'k1' });
        return { depth: 1 };
      })
      .addNode('two', async () => {
        maybeFail('dig two');
        return { depth: 2 };
      })
      .addEdge(START, 'one')
      .addEdge('one', 'two')
      .addEdge('two', END)
      .compile()
      .invoke({}, config);
    return { found: 'a very long trace '.repeat(50) };
  },
});

const form = { summary: 'Gold at page p-1.', insights: [{ tier: 'workspace', key: 'gold', text: 'at p-1' }] };

const Talk = Annotation.Root({
  messages: Annotation<readonly Message[], MessagesUpdate>({ reducer: applyUpdate, default: () => [] }),
});

async function talk(clients = scriptedClients({ analyst: [form, form], tools: { create_page: written } })) {
  const lease = await sessions.threads.acquire('thread');
  const checkpointer = new ThreadCheckpointer({ checkpoints: sessions.checkpoints, leaseOf: () => lease });
  const registry = createShapeRegistry();
  for (const each of [dig, compaction]) registry.register(each);
  const tasks = registry.close();
  const graph = new StateGraph(Talk)
    .addNode('work', async (_, config) => {
      const params = { shape: 'dig', params: {}, why: 'to find gold' };
      const outcome = await tasks.task('compaction', params, requestOf(clients, { config }));
      if (outcome.kind === 'failed') throw new Error(outcome.error.message);
      const { form, rewind } = outcome.output as {
        form: Extract<Message, { kind: 'compact' }>['form'];
        rewind: { readonly namespace: string; readonly checkpoint: string };
      };
      rewound = rewind;
      maybeFail('caller');
      return { messages: [{ id: 'm-2', kind: 'compact' as const, form }] };
    })
    .addEdge(START, 'work')
    .addEdge('work', END)
    .compile({ checkpointer });
  return { graph, clients, end: () => lease.release() };
}

const config = { configurable: { thread_id: 'thread' }, durability: 'sync' as const };
const start: Message = { id: 'm-1', kind: 'user', text: 'dig' };

describe('compaction', () => {
  // world.md: Compaction 1 to 5, 7 and 8.
  const places = ['none', 'dig one', 'dig two', 'caller'];
  it.each(places)(
    'leaves the rewind target and the compact form, also after a crash at: %s',
    async (place) => {
      failures.set(place, 1);
      const clients = scriptedClients({ analyst: [form], tools: { create_page: written } });
      if (place !== 'none') {
        const first = await talk(clients);
        await expect(first.graph.invoke({ messages: [start] }, config)).rejects.toThrow('crash');
        // Not half of it: the history stands where it stood.
        expect((await first.graph.getState(config)).values['messages']).toEqual([start]);
        await first.end();
      }
      const { graph } = await talk(clients);
      const { messages } = await graph.invoke(place === 'none' ? { messages: [start] } : null, config);
      const subThread = subThreadOf({ thread: 'thread', namespace: '', call: 'call-1' }, 'compaction');
      expect(messages).toEqual([
        start,
        {
          id: 'm-2',
          kind: 'compact',
          form: {
            ...form,
            write_ids: ['w-1'],
            dropped: { messages: 0, bytes: expect.any(Number) },
            trace: { thread: 'thread', namespace: expect.stringContaining(subThread) },
          },
        },
      ]);
      // The model was asked once, and no step that was checkpointed was done twice.
      expect(clients.analyst.calls).toHaveLength(1);
      const twice = worked.filter((each, index) => worked.indexOf(each) !== index);
      expect(twice).toEqual(place === 'none' ? [] : [place]);
      // The work ran unabridged, and all it came to is what the summary was made of.
      expect(worked.filter((each) => each !== place)).toEqual(
        ['dig one', 'dig two', 'caller'].filter((each) => each !== place),
      );
      expect(clients.analyst.calls[0]!.messages.at(-1)!.text).toContain('a very long trace '.repeat(50));
      // What is worth keeping is told, and kept by nobody yet.
      expect(new Set(clients.tools.calls.map(({ name }) => name))).toEqual(new Set(['create_page']));
      // It goes back to a checkpoint of the caller that was there before the work, with nothing of it.
      const target = {
        thread_id: 'thread',
        checkpoint_ns: rewound!.namespace,
        checkpoint_id: rewound!.checkpoint,
      };
      const { values } = await graph.getState({ configurable: target });
      expect([rewound!.namespace, values['messages']]).toEqual(['', [start]]);
      // The mark of it is a checkpoint of its own, and the full trace can still be read.
      const heads = await sessions.checkpoints.heads({ thread: 'thread', namespace: subThread });
      expect(heads.length).toBeGreaterThanOrEqual(4);
      const { trace } = (messages[1] as Extract<Message, { kind: 'compact' }>).form;
      expect(await sessions.checkpoints.latest('thread', trace.namespace)).toBeDefined();
    },
  );

  // world.md: Compaction 6.
  it('compacts nothing where the work fails, and says why', async () => {
    failures.set('dig two', 99);
    const clients = scriptedClients({ tools: { create_page: written } });
    const { graph } = await talk(clients);
    await expect(graph.invoke({ messages: [start] }, config)).rejects.toThrow('crash dig two');
    expect(clients.analyst.calls).toHaveLength(0);
    expect((await graph.getState(config)).values['messages']).toEqual([start]);
  });

  // world.md: Compaction 4 and 6.
  it('compacts nothing where the summary fails, or is not what was asked for', async () => {
    const { graph } = await talk(
      scriptedClients({ analyst: ['no json', 'none'], tools: { create_page: written } }),
    );
    await expect(graph.invoke({ messages: [start] }, config)).rejects.toThrow('no usable condense');
    expect((await graph.getState(config)).values['messages']).toEqual([start]);
  });
});

describe('a history', () => {
  const say = (id: string): Message => ({ id, kind: 'user', text: id });
  const [a, b, c, d, f] = ['a', 'b', 'c', 'd', 'f'].map(say) as [Message, Message, Message, Message, Message];
  const held = [a, b, c, d];
  it.each<[string, MessagesUpdate, readonly Message[]]>([
    ['grows', [f], [a, b, c, d, f]],
    ['goes back to a message', { rewind: { after: 'b', through: null, form: f, more: [] } }, [a, b, f]],
    ['loses its oldest', { rewind: { after: null, through: 'c', form: f, more: [] } }, [f, d]],
    ['loses its middle', { rewind: { after: 'a', through: 'c', form: f, more: [] } }, [a, f, d]],
    ['is replaced whole', { rewind: { after: null, through: null, form: f, more: [] } }, [f]],
    ['stays where what is named is gone', { rewind: { after: 'x', through: null, form: f, more: [] } }, held],
    ['stays where the end is gone', { rewind: { after: 'a', through: 'x', form: f, more: [] } }, held],
    [
      'stays where it was done already',
      { rewind: { after: 'a', through: null, form: { ...f, id: 'd' }, more: [] } },
      held,
    ],
  ])('%s', (_, update, expected) => {
    expect(applyUpdate(held, update)).toEqual(expected);
  });
});
