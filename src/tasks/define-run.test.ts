import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Capability, type RunResult, SondeError, type StopReason } from '../core/index.ts';
import { openStore, type Store } from '../store/index.ts';
import { defineRun, type RunParams, type RunRequest } from './define-run.ts';
import type { RunEnd } from './run-row.ts';
import { runTask } from './run-task.ts';
import { poolOf, requestOf, scriptedClients } from './task.contract.ts';
import { createShapeRegistry } from './task.ts';

/** A kind of run as its author writes it: it asks a count of each folder, and adds them up. */
interface CountTypes {
  readonly request: RunRequest & { readonly folders: readonly string[] };
  readonly params: RunParams & { readonly folders: readonly string[] };
  readonly ports: { readonly models: { readonly planner: { readonly name: string } }; readonly count: Count };
  readonly end: RunEnd;
  readonly given: undefined;
  readonly replayed: RunEnd;
  readonly offer: Count;
}
type Count = (folder: string) => Promise<number>;

const countRun = defineRun<CountTypes>({
  shape: 'count',
  params({ folders }) {
    if (folders.length === 0)
      throw new SondeError('bad_argument', { message: 'There is no folder', remedy: 'Name one.' });
    return { question: `How many in ${folders.join(', ')}?`, params: { folders } };
  },
  limits: () => ({ limits: { tokens: 100 }, reserve: { tokens: 10 } }),
  paramsForLog: ({ folders, ...params }) => ({ ...params, folders: folders.length }),
  async work({ row, params }, { count }, { step, signal, spent, tell }) {
    let sum = 0;
    for (const folder of params.folders) {
      const key = `count/${folder}`;
      if (signal.aborted) return { result: resultOf(row.id, String(sum), 'cancelled', spent()) };
      const counted = await step(key, { run: async () => ({ value: await count(folder) }) });
      if (counted.kind === 'done') sum += counted.value;
      tell(key, { kind: 'note', level: 'info', text: `${folder} is counted` });
    }
    return { result: resultOf(row.id, String(sum), 'finalized', spent()) };
  },
  result: ({ result }) => ({ result }),
  requiredKey: 'count/a',
  replay: ({ row }, work) =>
    work({
      models: { planner: { name: 'none' } },
      count: (folder) => Promise.reject(new Error(`${row.id} asks for ${folder} again`)),
    }),
  task: async () =>
    runTask<CountTypes, { folders: string[] }, { answer: string }>({
      description: 'Counts folders.',
      takes: () => z.strictObject({ folders: z.array(z.string()) }),
      gives: z.strictObject({ answer: z.string() }),
      needs: () => ['CodeRead'],
      async work({ folders }, { offer: count, context, run }) {
        const ports = { models: context.clients, count };
        const { result } = await run(ports, (share) => ({ folders, root: `with ${share.tokens} tokens` }));
        return { answer: result.answer };
      },
    }),
});

function resultOf(
  run_id: string,
  answer: string,
  stop_reason: StopReason,
  spent: RunResult['spent'],
): RunResult {
  return {
    run_id,
    status: 'unverified',
    answer,
    citations: [],
    unsupported: [],
    confidence: null,
    stop_reason,
    model: 'none',
    spent,
    coverage: {
      files: 0,
      skipped: 0,
      searches: 0,
      files_read: 0,
      evidence: 0,
      completeness: 'complete',
      notes: [],
    },
  };
}

let folder: string;
let store: Store;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sonde-define-run-'));
  store = openStore(join(folder, 'sonde.db'));
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const request = { root: '/material', folders: ['a', 'b', 'c'] };

/** A world of three folders, in which the process dies at the `deadly`-th question. */
function world(deadly = Number.POSITIVE_INFINITY) {
  const asked: string[] = [];
  const count: Count = async (name) => {
    asked.push(name);
    if (asked.length === deadly) throw new Error('killed');
    return name.charCodeAt(0);
  };
  return { asked, setting: { store, models: { planner: { name: 'none' } }, count } };
}

describe('a kind of run, defined once', () => {
  it('starts, and ends with its result; the row holds what starts it again', async () => {
    const { asked, setting } = world();
    const { result } = await countRun.start({ ...request, extra: { of: 'test' } }, setting);
    expect(result).toMatchObject({ answer: String(97 + 98 + 99), stop_reason: 'finalized' });
    expect(asked).toEqual(['a', 'b', 'c']);
    expect(await store.runs.get(result.run_id)).toMatchObject({
      shape: 'count',
      question: 'How many in a, b, c?',
      status: 'finished',
      params: { folders: ['a', 'b', 'c'], model: 'none', store_artifacts: true, extra: { of: 'test' } },
    });
  });

  it('refuses a wrong request before anything is written', async () => {
    const { setting } = world();
    await expect(countRun.start({ root: '/material', folders: [] }, setting)).rejects.toMatchObject({
      code: 'bad_argument',
    });
    expect(await store.runs.list()).toEqual([]);
  });

  it('tells the log its parameters in the short form', async () => {
    const { result } = await countRun.start(request, world().setting);
    const started = (await store.events(result.run_id)).find(({ event }) => event.kind === 'run_started');
    expect(started?.event).toMatchObject({ params: { folders: 3 }, limits: { tokens: 100 } });
  });

  it.each([1, 2, 3])('killed at question %d it goes on, and asks nothing twice', async (deadly) => {
    const first = world(deadly);
    let run = '';
    await expect(countRun.start(request, { ...first.setting, onRun: (id) => (run = id) })).rejects.toThrow(
      'killed',
    );
    const second = world();
    const { result } = await countRun.resume(run, second.setting);
    expect(result.answer).toBe('294');
    expect([...first.asked.slice(0, -1), ...second.asked]).toEqual(['a', 'b', 'c']);
    // One that is finished gives what it ended with.
    expect((await countRun.resume(run, world(1).setting)).result).toEqual(result);
  });

  it('is replayed from its records alone, with what it had spent', async () => {
    const { result } = await countRun.start(request, world().setting);
    expect((await countRun.replay(result.run_id, store)).result).toEqual(result);
  });

  it('a cancelled one stays unfinished, and has no replay', async () => {
    const stopped = AbortSignal.abort();
    const { result } = await countRun.start(request, { ...world().setting, signal: stopped });
    expect(result).toMatchObject({ stop_reason: 'cancelled', answer: '0' });
    expect((await store.runs.get(result.run_id)).status).toBe('running');
    await expect(countRun.replay(result.run_id, store)).rejects.toMatchObject({ code: 'run_state' });
    expect((await countRun.readLeft(result.run_id, store))?.result).toEqual(result);
    expect((await countRun.resume(result.run_id, world().setting)).result.answer).toBe('294');
    expect(await countRun.readLeft(result.run_id, store)).toBeNull();
  });

  it('a run without artifacts kept nothing to replay', async () => {
    const { result } = await countRun.start({ ...request, storeArtifacts: false }, world().setting);
    await expect(countRun.replay(result.run_id, store)).rejects.toMatchObject({
      code: 'run_state',
      message: expect.stringContaining('kept no records'),
    });
  });

  it('opens no run of another kind', async () => {
    const row = await store.runs.create({
      id: 'run-b2',
      shape: 'research',
      question: 'q',
      root: '/',
      params: {},
    });
    await expect(countRun.resume(row.id, world().setting)).rejects.toMatchObject({
      code: 'run_state',
      message: 'run-b2 is a run of the shape research, not count',
    });
  });

  it('is written down without being started', async () => {
    const { asked, setting } = world();
    const row = await countRun.create({ ...request, id: 'run-c3' }, setting);
    expect([row.id, row.status, asked]).toEqual(['run-c3', 'running', []]);
    expect((await countRun.resume('run-c3', setting)).result.answer).toBe('294');
  });

  it('is a shape of work: a run of its own on a share of the planner’s budget, found again by the same call', async () => {
    const { asked, setting } = world();
    const registry = createShapeRegistry();
    registry.register(await countRun.task(setting.count, { store }));
    const tasks = registry.close();
    const pool = poolOf(1_000);
    const request = (call: string, may: readonly Capability[] = ['CodeRead']) =>
      requestOf(scriptedClients(), { call, pool, capabilities: new Set(may) });
    const folders = { folders: ['a', 'b'] };
    expect(await tasks.task('count', folders, request('one', []))).toMatchObject({
      error: { code: 'capability' },
    });
    const first = await tasks.task('count', folders, request('one'));
    expect(first).toMatchObject({ kind: 'done', output: { answer: '195' } });
    expect(await tasks.task('count', folders, request('one'))).toEqual(first);
    expect(asked).toEqual(['a', 'b']);
    await tasks.task('count', folders, request('two'));
    const rows = await store.runs.list();
    expect(rows.map(({ root }) => root)).toEqual(['with 750 tokens', 'with 750 tokens']);
    expect(rows.map(({ params }) => params['extra'])).toEqual([
      { thread: 'thread', sub_thread: expect.stringMatching(/^task:/) },
      { thread: 'thread', sub_thread: expect.stringMatching(/^task:/) },
    ]);
  });
});
