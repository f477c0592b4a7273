/** A run that ends anywhere goes on with its namespace, pays for nothing twice, and can be run again from its log. */

import { afterAll, describe, expect, it } from 'vitest';
import { formatReport } from '../../core/runs.ts';
import { type Model, type ModelRequest, type ScriptLine, scriptedModel } from '../../model/index.ts';
import type { Sandbox, Session, SessionOptions } from '../../sandbox/index.ts';
import {
  allCapabilities,
  bench,
  code,
  isPlanner,
  noWait,
  pageOf,
  question,
  runTrial,
  testMaterial,
  turnOf,
} from './investigation.contract.ts';
import { type InvestigationSetting, investigationRun } from './run.ts';

/** As in durable.long.process.test.ts; else some of each. */
const everyTrial = process.env['TRIALS'] === 'all';

const b = bench();
afterAll(async () => {
  await whole;
  await b.close();
});

/** Every helper that asks somebody, names that must last, a nested investigation, an error on the way. */
const story = [
  code('import random', 'lucky = random.random()', 'hits = kb_search("expire session")', 'print(len(hits))'),
  code(
    'text = kb_read("src/session.py", 8, 12)',
    'notes = [llm_query("what does it do?", material=text)]',
    'notes += llm_query_batched(["a", "b", "c"])',
  ),
  code('1 / 0'),
  code('child = investigate("how does the server tick?")', 'print(child.status, lucky, budget()["steps"])'),
  code('FINAL("It says “del self.sessions[key]” " + text.cite() + ". " + str(child))'),
];
const inner = [
  code('t = kb_read("src/server.py")'),
  code('FINAL("It says “def tick(now):” " + t.cite(5, 6) + ".")'),
];

/** What a model answers depends on what it is asked, as far as a real model allows. */
function reply(request: ModelRequest): ScriptLine {
  const page = pageOf(request);
  if (!isPlanner(request)) return `answer to ${request.messages.at(-1)?.text.slice(0, 20)}`;
  const turn = turnOf(request);
  const script = page.includes('source="the investigation that asks this"') ? inner : story;
  return script[turn - 1] ?? code('FINAL("too far")');
}

/** A model that counts what it is asked, by the key of each question, and dies when it is told to. */
function counted(dies: (request: number) => boolean = () => false) {
  const asked = new Map<string, number>();
  let requests = 0;
  const model: Model = {
    ...scriptedModel('unused'),
    async generate(request) {
      requests += 1;
      if (dies(requests)) throw new Error('the process died');
      const key = request.idempotencyKey ?? '';
      asked.set(key, (asked.get(key) ?? 0) + 1);
      return scriptedModel(reply(request)).generate(request);
    },
  };
  return { model, asked };
}

const setting = (model: Model, more: Partial<InvestigationSetting> = {}): InvestigationSetting => ({
  store: b.store,
  sandbox: b.sandbox,
  models: { planner: model, analyst: model },
  material: testMaterial(),
  capabilities: allCapabilities,
  ...noWait,
  ...more,
});
const request = { prompt: question, root: '/material' };

const whole = (async () => {
  const { model, asked } = counted();
  const done = await investigationRun.start(request, setting(model));
  return { ...done, asked };
})();

/** Equal but for what tells one run from another. */
const comparable = (text: unknown) => JSON.stringify(text).replace(/run-\w+/g, 'run');

it('the story itself: ends by FINAL, verified, with its child', async () => {
  const { result, investigation, asked } = await whole;
  expect(investigation).toMatchObject({ nodes: 2, cells: 7, result: { stop_reason: 'finalized' } });
  expect(result.citations.map(({ path }) => path)).toEqual(['src/session.py', 'src/server.py']);
  expect(asked.size).toBe(5 + 2 + 4);
  expect(formatReport(await b.store.events(result.run_id))).toContain(
    `7 cells ran, some of them in 1 nested investigation; 1 ended by an error; ${result.spent.fuel.toLocaleString('en-US')} units of fuel.`,
  );
});

it('what was paid for outlives a loss of power: it is on the disk before anybody hears of it', async () => {
  // The store of investigations waits for the disk only where a commit says so.
  let onDisk = 0;
  const store: typeof b.store = {
    ...b.store,
    async commit(lease, options) {
      const last = await b.store.commit(lease, options);
      if (options?.onDisk === true) onDisk = last;
      return last;
    },
  };
  const paid: string[] = [];
  const late: string[] = [];
  const onEvent: InvestigationSetting['onEvent'] = ({ seq, key, event }) => {
    if (!['model_replied', 'cell_finished', 'run_finished'].includes(event.kind)) return;
    paid.push(event.kind);
    if (seq > onDisk) late.push(`${event.kind} ${key}`);
  };
  await investigationRun.start(request, setting(counted().model, { store, onEvent }));
  expect(new Set(paid)).toContain('cell_finished');
  expect(paid.length).toBeGreaterThan(12);
  expect(late).toEqual([]);
});

describe('dies', () => {
  const all = Array.from({ length: 11 }, (_, n) => n + 1);
  // A planner's first, one of several side by side, one of a child, and the last.
  it.each(everyTrial ? all : [1, 5, 9, 11])(
    'at call %i of a model, and goes on: same answer, nothing asked twice',
    async (at) => {
      const expected = await whole;
      let id = '';
      const first = counted((n) => n === at);
      await expect(
        investigationRun.start(request, setting(first.model, { onRun: (run) => (id = run) })),
      ).rejects.toThrow('the process died');
      const rest = counted();
      const { result, investigation } = await investigationRun.resume(id, setting(rest.model));
      expect(investigation.result.answer).toBe(expected.investigation.result.answer);
      expect(investigation).toMatchObject({ nodes: 2, cells: 7 });
      expect(comparable(investigation.read_trail)).toBe(comparable(expected.investigation.read_trail));
      for (const key of first.asked.keys()) expect(rest.asked.get(key) ?? 0).toBe(0);
      const within = (keys: Iterable<string>) =>
        new Set([...keys].map((key) => key.replace(/^run-\w+\//, '')));
      expect(within([...first.asked.keys(), ...rest.asked.keys()])).toEqual(within(expected.asked.keys()));
      // Calls that were under way when it died may have been billed: they count as spent, once.
      const billed = result.spent.calls - expected.result.spent.calls;
      expect(billed).toBeGreaterThanOrEqual(1);
      expect(billed).toBeLessThanOrEqual(3);
      const again = await investigationRun.replay(id, b.store, b.sandbox);
      expect(again.differences).toEqual([]);
      expect(again.cells).toBe(7);
    },
  );

  it('in the worker of the sandbox: the cell is lost, the names are not', async () => {
    const done = await runTrial(b, {
      script: [code('kept = [1, 2, 3]'), code('lost = 1'), code('FINAL([kept, "lost" in globals()])')],
      setting: { sandbox: flaky(b.sandbox, 2) },
    });
    expect(done.investigation.result.answer).toEqual([[1, 2, 3], false]);
  });
});

/** A sandbox whose session is gone when it runs the n-th cell of all. */
function flaky(sandbox: Sandbox, at: number): Pick<Sandbox, 'open' | 'restore'> {
  let cells = 0;
  const wrapped = (session: Session): Session => ({
    image: session.image,
    variables: () => session.variables(),
    read: (name) => session.read(name),
    checkpoint: () => session.checkpoint(),
    close: () => session.close(),
    async execute(text, options) {
      cells += 1;
      if (cells !== at) return session.execute(text, options);
      await session.close();
      return session.execute(text, options);
    },
  });
  return {
    open: async (options?: SessionOptions) => wrapped(await sandbox.open(options)),
    restore: async (bytes, options?: SessionOptions) => wrapped(await sandbox.restore(bytes, options)),
  };
}

/** Cells that a sandbox really ran, and sessions that were continued. */
function watched(sandbox: Sandbox) {
  const ran: string[] = [];
  let restored = 0;
  const wrapped = (session: Session): Session => ({
    image: session.image,
    variables: () => session.variables(),
    read: (name) => session.read(name),
    checkpoint: () => session.checkpoint(),
    close: () => session.close(),
    execute: (text, options) => {
      ran.push(text);
      return session.execute(text, options);
    },
  });
  return {
    ran,
    get restored() {
      return restored;
    },
    // A session that is opened once one was continued is that in which the answer is looked at again.
    open: async (options?: SessionOptions) =>
      restored > 0 ? sandbox.open(options) : wrapped(await sandbox.open(options)),
    restore: async (bytes: Uint8Array, options?: SessionOptions) => {
      restored += 1;
      return wrapped(await sandbox.restore(bytes, options));
    },
  };
}

describe('a run that goes on', () => {
  async function dead(at: number): Promise<string> {
    let id = '';
    await expect(
      investigationRun.start(
        request,
        setting(counted((n) => n === at).model, { onRun: (run) => (id = run) }),
      ),
    ).rejects.toThrow();
    return id;
  }

  it('continues its session from the checkpoint, and runs no cell twice', async () => {
    // Calls 1 to 6: two turns and the four questions of the second; the seventh plans the third.
    const id = await dead(7);
    const sandbox = watched(b.sandbox);
    await investigationRun.resume(id, setting(counted().model, { sandbox }));
    expect(sandbox.restored).toBe(1);
    expect(sandbox.ran.filter((text) => text.includes('kb_search'))).toEqual([]);
  });

  it('without a checkpoint runs its cells again, with the answers they had', async () => {
    const expected = await whole;
    const id = await dead(7);
    const lease = await b.store.runs.acquire(id);
    b.store.snapshots(lease).drop('root');
    await lease.release();
    const looked = testMaterial();
    const { investigation } = await investigationRun.resume(
      id,
      setting(counted().model, { material: looked }),
    );
    expect(investigation.result.answer).toBe(expected.investigation.result.answer);
    // What was searched and read before is not looked at again, but for the citation gate.
    expect(looked.calls.filter((call) => call.startsWith('search'))).toEqual([]);
  });

  it('with a checkpoint of another sandbox does the same', async () => {
    const expected = await whole;
    const id = await dead(7);
    const lease = await b.store.runs.acquire(id);
    b.store.snapshots(lease).save('root', { cells: 2, bytes: Uint8Array.of(1, 2, 3) });
    await lease.release();
    const { investigation } = await investigationRun.resume(id, setting(counted().model));
    expect(investigation.result.answer).toBe(expected.investigation.result.answer);
  });

  it('leaves no snapshot behind', async () => {
    const id = await dead(8);
    await investigationRun.resume(id, setting(counted().model));
    const row = await b.store.runs.get(id);
    expect(row.status).toBe('finished');
    const lease = await b.store.runs.acquire(id);
    expect(await b.store.snapshots(lease).load('root')).toBeNull();
    await lease.release();
  });

  it('is refused while another process works on it, and cannot be written to by one that lost it', async () => {
    const id = await dead(3);
    const other = await b.store.runs.acquire(id);
    await expect(investigationRun.resume(id, setting(counted().model))).rejects.toMatchObject({
      code: 'run_state',
    });
    await other.release();
    expect(() => b.store.snapshots(other).save('root', { cells: 9, bytes: Uint8Array.of(1) })).toThrow(
      expect.objectContaining({ code: 'lease_lost' }),
    );
  });
});

describe('cancelled', () => {
  it.each(everyTrial ? [1, 2, 4, 7, 9] : [4, 9])(
    'at call %i: a partial result at once, and it goes on later',
    async (at) => {
      const expected = await whole;
      const stop = new AbortController();
      let id = '';
      let calls = 0;
      const { model } = counted();
      const stopping: Model = {
        ...model,
        async generate(asked) {
          calls += 1;
          if (calls !== at) return model.generate(asked);
          stop.abort();
          return {
            kind: 'failure',
            code: 'cancelled',
            message: 'stopped',
            remedy: '',
            retryable: false,
            usage: 'none',
          };
        },
      };
      const cut = await investigationRun.start(
        request,
        setting(stopping, { signal: stop.signal, onRun: (run) => (id = run) }),
      );
      expect(cut.investigation.result.stop_reason).toBe('cancelled');
      expect(cut.result.stop_reason).toBe('cancelled');
      const { investigation } = await investigationRun.resume(id, setting(counted().model));
      expect(investigation.result.answer).toBe(expected.investigation.result.answer);
    },
  );

  it('in the middle of a cell that runs', async () => {
    const stop = new AbortController();
    const { result } = await runTrial(b, {
      // What is paid for is told at once; what is read is told with whatever is written next.
      script: [code('llm_query("expire?")', 'while True: pass')],
      setting: {
        signal: stop.signal,
        // The cell runs: it has asked for something.
        onEvent: ({ event }) => {
          if (event.kind === 'helper_called') stop.abort();
        },
      },
    });
    expect(result.stop_reason).toBe('cancelled');
  });
});

/** As a session of an interpreter that was built otherwise. */
function renamed(session: Session): Session {
  const image = { ...session.image, interpreter: '0'.repeat(64), snapshot: '1'.repeat(64) };
  return {
    image,
    execute: (text, options) => session.execute(text, options),
    variables: () => session.variables(),
    read: (name) => session.read(name),
    checkpoint: () => session.checkpoint(),
    close: () => session.close(),
  };
}

describe('run again from its log', () => {
  it('every cell, child and all, with the same output and the same fuel', async () => {
    const { result, investigation } = await whole;
    const sandbox = watched(b.sandbox);
    const again = await investigationRun.replay(result.run_id, b.store, sandbox);
    expect(again).toMatchObject({ cells: 7, differences: [] });
    expect(again.result).toEqual(result);
    expect(again.fuel).toBe(result.spent.fuel);
    expect(sandbox.ran).toHaveLength(investigation.cells);
    expect(sandbox.restored).toBe(0);
  });

  it('a run that was resumed too', async () => {
    let id = '';
    await expect(
      investigationRun.start(request, setting(counted((n) => n === 9).model, { onRun: (run) => (id = run) })),
    ).rejects.toThrow();
    await investigationRun.resume(id, setting(counted().model));
    expect(await investigationRun.replay(id, b.store, b.sandbox)).toMatchObject({
      cells: 7,
      differences: [],
    });
  });

  it('what the clock said is said again', async () => {
    const script = [
      code('import time', 'began = time.time()', 'while time.time() < began + 0.02: pass'),
      code('print(began, time.time(), time.monotonic(), time.strftime("%F %T"))', 'FINAL("done")'),
    ];
    const { run, result } = await runTrial(b, { script });
    const again = await investigationRun.replay(run, b.store, b.sandbox);
    expect(again).toMatchObject({ cells: 2, differences: [], notes: [], fuel: result.spent.fuel });
  });

  it('the log names the image it ran in, and the seed', async () => {
    const { run_id } = (await whole).result;
    const opened = (await b.store.events(run_id)).flatMap(({ event }) =>
      event.kind === 'session_opened' ? [event] : [],
    );
    expect(opened.map(({ node }) => node)).toEqual(['root', 'root/4.1-1']);
    expect(opened.map(({ seed }) => seed)).toEqual([`${run_id}/root`, `${run_id}/root/4.1-1`]);
    expect(new Set(opened.map(({ image }) => image.snapshot)).size).toBe(1);
    expect(opened[0]?.image.interpreter).toMatch(/^[0-9a-f]{64}$/);
  });

  it('another image is told, and what comes out otherwise with it', async () => {
    const script = [code('import random', 'print(random.random())', 'FINAL("done")')];
    const { run } = await runTrial(b, { script });
    const other: Pick<Sandbox, 'open' | 'restore'> = {
      open: async (options) => renamed(await b.sandbox.open({ ...options, seed: 'another' })),
      restore: (bytes, options) => b.sandbox.restore(bytes, options),
    };
    const { differences, notes } = await investigationRun.replay(run, b.store, other);
    expect(notes).toEqual([
      expect.stringMatching(
        /^It ran in another sandbox image: python\.wasm \w{12}, now 000000000000; snapshot \w{12}, now 111111111111\. Fuel and output may differ for that alone\.$/,
      ),
    ]);
    expect(differences[0]).toMatch(/^root\/t1\.1: output was/);
  });

  it('a run that kept nothing says so', async () => {
    const { run } = await runTrial(b, { script: [code('FINAL("done")')], storeArtifacts: false });
    await expect(investigationRun.replay(run, b.store, b.sandbox)).rejects.toMatchObject({
      code: 'run_state',
    });
  });
});

it('the graph comes to the same as the loop', async () => {
  const expected = await whole;
  const { investigation, result } = await investigationRun.start(
    request,
    setting(counted().model, { form: 'graph' }),
  );
  expect(investigation.result.answer).toBe(expected.investigation.result.answer);
  expect(result.spent.calls).toBe(expected.result.spent.calls);
  expect(comparable(investigation.read_trail)).toBe(comparable(expected.investigation.read_trail));
});
