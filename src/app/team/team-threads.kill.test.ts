/** Two fronts and two workers of one workspace, as real processes over a real server; a model that follows a plan. */
import { readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../store/index.ts';
import {
  noPostgres,
  type TestPostgres,
  testPostgres,
} from '../../store/postgres/postgres-server.contract.ts';
import { openWorld } from '../../world/index.ts';
import { decision, isPlanner, readLastTurn } from '../testbed/conversation.contract.ts';
import { isReaderPrompt, type ModelServer, modelServer, supportAllClaims } from '../testbed/model-server.ts';
import { newHome, type StartedProcess, startSonde } from '../testbed/run-sonde.ts';
import { createSmallWorld } from '../testbed/small-world.ts';

const rounds = process.env['TRIALS'] === 'all' ? 20 : 2;
const key = 'sk-planted-0123456789';
const paint = 'The lamp was painted.\n';

interface Front {
  readonly one: StartedProcess;
  readonly address: string;
  readonly token: string;
}

interface Told {
  readonly id: number;
  readonly event: { readonly kind: string; readonly status?: string; readonly text?: string };
}

describe.skipIf(noPostgres() !== null)('conversations of a team', () => {
  let postgres: TestPostgres;
  let url: string;
  let frontUrl: string;
  /** The file of the workspace. */
  let path: string;
  let model: ModelServer;
  let homes: string[];
  let started: StartedProcess[];
  let over: AbortController;
  /** Told of each prompt of the planner before it is answered. */
  let before: (turn: string) => Promise<void>;
  beforeAll(async () => {
    postgres = await testPostgres();
  });
  afterAll(() => postgres?.close());
  beforeEach(async () => {
    url = await postgres.freshDatabase();
    frontUrl = await postgres.frontOf(url);
    [homes, started, before] = [[newHome(), newHome(), newHome()], [], async () => {}];
    over = new AbortController();
    path = await createSmallWorld(homes[2]!);
    model = await modelServer(async (prompt) => {
      if (isReaderPrompt(prompt)) return supportAllClaims(prompt);
      if (!isPlanner(prompt)) return 'yes';
      const turn = readLastTurn(prompt);
      await before(turn);
      return planner(turn);
    });
  });
  afterEach(async () => {
    over.abort();
    for (const { child, ended } of started) {
      child.kill('SIGKILL');
      await ended;
    }
    await model.close();
    for (const home of homes) rmSync(home, { recursive: true, force: true });
  });

  function planner(turn: string): string {
    if (turn.includes('Which colour?')) {
      if (!turn.includes('\n## The person ('))
        return decision('', ['ask_user', { question: 'Red or else?' }]);
      return decision(turn.includes('blue') ? 'It is blue.' : 'It is of no colour.');
    }
    if (turn.includes('as you like')) return decision('Heard.');
    if (turn.includes('Look at what is new')) return decision('Seen.');
    const nth = /Paint it (\d+)/.exec(turn)?.[1];
    if (nth === undefined) return decision('Nothing.');
    if (!turn.includes('\n## search_pages (')) return decision('', ['search_pages', { query: 'lamp' }]);
    if (!turn.includes('\n## create_page ('))
      return decision('', ['create_page', { path: `Paint ${nth}`, text: paint }]);
    return decision(`Painted ${nth}.`);
  }

  const env = (more = {}) => ({ SONDE_STORE: 'postgres', SONDE_STORE_URL: url, ...more });
  async function front(home: string): Promise<Front> {
    const one = startSonde(['serve', '--workspace', 'main', '--port', '0'], {
      env: { ...env(), SONDE_STORE_URL: frontUrl },
      home,
    });
    started.push(one);
    const address = await one.waitFor((said) => /workspace at (http\S+)/.exec(said)?.[1]);
    const file = await one.waitFor((said) => /The token is in (\S+)\.\n/.exec(said)?.[1]);
    return { one, address, token: readFileSync(file, 'utf8').trim() };
  }
  /** The world is on one machine: both workers are there, and either can be its host. */
  async function worker(): Promise<StartedProcess> {
    const keys = { OPENAI_BASE_URL: model.address, OPENAI_API_KEY: key };
    const settings = { SONDE_MODEL: 'openai-compatible:planned', SONDE_MAX_TOKENS: '100000000' };
    const args = ['worker', '--workspaces', 'main', '--json'];
    const one = startSonde(args, { env: env({ ...keys, ...settings }), home: homes[2]! });
    started.push(one);
    await one.waitFor((said) => said.includes('"ready":true'));
    return one;
  }
  async function call({ address, token }: Front, route: string, body?: object) {
    const response = await fetch(`${address}/api/v1${route}`, {
      headers: { authorization: `Bearer ${token}` },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: whatever a route answers
    return { status: response.status, body: (await response.json()) as any };
  }
  const standing = async (at: Front, thread: string) => (await call(at, `/threads/${thread}`)).body;
  const ended = (at: Front, thread: string, text: string) =>
    expect
      .poll(async () => (await standing(at, thread)).last?.text, { timeout: 90_000, interval: 200 })
      .toBe(text);

  /** Reads until the signal aborts, and goes on after the last id where the stream ends before. */
  function follow({ address, token }: Front, thread: string, signal: AbortSignal): readonly Told[] {
    const told: Told[] = [];
    void (async () => {
      while (!signal.aborted) {
        try {
          const last = told.at(-1)?.id;
          const response = await fetch(`${address}/api/v1/threads/${thread}/events`, {
            signal,
            headers: {
              authorization: `Bearer ${token}`,
              ...(last !== undefined && { 'last-event-id': String(last) }),
            },
          });
          let text = '';
          for await (const bytes of response.body!) {
            text += Buffer.from(bytes).toString('utf8');
            const parts = text.split('\n\n');
            text = parts.pop()!;
            for (const part of parts) {
              const id = /^id: (\d+)$/m.exec(part)?.[1];
              const data = /^data: (.+)$/m.exec(part)?.[1];
              if (id !== undefined) told.push({ id: Number(id), event: JSON.parse(data!).event });
            }
          }
        } catch {
          // The front went, or the test is over.
        }
        await sleep(50);
      }
    })();
    return told;
  }

  it.each([
    ['ask', { question: 'Which lamp?' }, 'sonde queue add'],
    ['incident', { alert: 'The lamp is out' }, 'POST /alerts'],
  ])('a front starts no %s, and says where one is', async (shape, params, remedy) => {
    const { status, body } = await call(await front(homes[0]!), '/runs', { shape, params });
    expect([status, body.error.code]).toEqual([409, 'run_state']);
    expect(body.error.remedy).toContain(remedy);
  });

  it(`go on at the other worker, ${rounds} times killed in the middle, and each front hears it once`, async () => {
    const fronts = [await front(homes[0]!), await front(homes[1]!)];
    const workers = [await worker(), await worker()];
    const [one, other] = fronts as [Front, Front];
    expect(readFileSync(`/proc/${one.one.child.pid}/environ`, 'utf8')).not.toContain(key);
    expect(
      (
        await call(other, '/workspaces/main/schedules', {
          id: 'watch',
          prompt: 'Look at what is new',
          on: ['create_page'],
          thread: 'watching',
        })
      ).status,
    ).toBe(201);
    expect((await call(one, '/threads', { id: 'talk' })).status).toBe(201);
    const heard = fronts.map((at) => follow(at, 'talk', over.signal));
    /** The host is who has the seat. */
    async function killHost(): Promise<void> {
      const client = await postgres.connect(url);
      const { rows } = await client.query(`SELECT pid FROM sonde_w_main.leases WHERE run = 'host'`);
      await client.end();
      const nth = workers.findIndex(({ child }) => child.pid === Number(rows[0].pid));
      workers[nth]!.child.kill('SIGKILL');
      await workers[nth]!.ended;
      workers[nth] = await worker();
    }
    for (let round = 0; round < rounds; round += 1) {
      const moments = [
        /^(?!.*\n## search_pages \()/s,
        /\n## search_pages \((?!.*\n## create_page)/s,
        /\n## create_page \(/,
      ];
      const moment = moments[round % moments.length]!;
      let killed = false;
      before = async (turn) => {
        if (killed || !turn.includes(`Paint it ${round}`) || !moment.test(turn)) return;
        killed = true;
        await killHost();
      };
      const sent = { text: `Paint it ${round}`, message_id: `m-${round}` };
      expect((await call(fronts[round % 2]!, '/threads/talk/messages', sent)).status).toBe(202);
      await ended(fronts[(round + 1) % 2]!, 'talk', `Painted ${round}.`);
      expect([round, killed]).toEqual([round, true]);
      // Its last word stands an instant before its request is over.
      await expect
        .poll(async () => (await call(fronts[round % 2]!, '/threads/talk/messages', sent)).body, {
          timeout: 20_000,
        })
        .toMatchObject({ state: 'done', outcome: { status: 'answered' } });
    }
    // What a worker's turn wrote started a turn of its own.
    await ended(other, 'watching', 'Seen.');
    for (const told of heard) {
      await expect
        .poll(() => told.filter(({ event }) => event.kind === 'turn_ended').length, { timeout: 20_000 })
        .toBe(rounds);
      expect(told.map(({ id }) => id)).toEqual(told.map((_, n) => n + 1));
      const ends = told.flatMap(({ event }) => (event.kind === 'turn_ended' ? [event.text] : []));
      expect(ends).toEqual(Array.from({ length: rounds }, (_, n) => `Painted ${n}.`));
    }
    const { body } = await call(one, '/threads/talk/messages?limit=200');
    const kinds = body.items.map(({ kind }: { kind: string }) => kind);
    expect(kinds).toEqual(
      Array.from({ length: rounds }, () => [
        ...['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant'],
      ]).flat(),
    );
    // Each write was applied once.
    const db = openDatabase({ path, schemas: [], busyMs: 10_000 });
    const world = openWorld(db, { name: 'main' });
    const written = world.events(0, 1_000).filter(({ caller_kind }) => caller_kind === 'agent');
    expect(written.map(({ op }) => op)).toEqual(Array(rounds).fill('create_page'));
    world.close();
    db.close();
  });

  it('an answer, a steer and a cancel at one front reach the worker, and pages are read there', async () => {
    const [one, other] = [await front(homes[0]!), await front(homes[1]!)];
    await call(one, '/threads', { id: 'ask' });
    await call(one, '/threads/ask/messages', { text: 'Which colour?', message_id: 'm-1' });
    expect((await call(other, '/threads/ask/cancel', {})).body).toMatchObject({
      error: { message: expect.stringContaining('No worker') },
    });
    await worker();
    await expect
      .poll(async () => (await standing(other, 'ask')).questions.length, { timeout: 60_000 })
      .toBe(1);
    const [question] = (await standing(other, 'ask')).questions;
    const answered = await call(other, '/threads/ask/answers', { question: question.id, value: 'blue' });
    expect(answered.status).toBe(202);
    await ended(one, 'ask', 'It is blue.');

    let go = (): void => {};
    let asked = (): void => {};
    const isAsked = new Promise<void>((done) => {
      asked = done;
    });
    before = (turn) =>
      new Promise((done) => {
        if (!turn.includes('Paint it 7') || turn.includes('as you like')) return done();
        go = done;
        asked();
      });
    await call(one, '/threads', { id: 'talk' });
    await call(one, '/threads/talk/messages', { text: 'Paint it 7', message_id: 'm-2' });
    await isAsked;
    expect((await call(other, '/threads/talk/steer', { text: 'or as you like' })).status).toBe(202);
    go();
    await ended(one, 'talk', 'Heard.');

    await call(one, '/threads', { id: 'slow' });
    await call(one, '/threads/slow/messages', { text: 'Paint it 7', message_id: 'm-3' });
    await expect.poll(async () => (await standing(other, 'slow')).state, { timeout: 30_000 }).toBe('running');
    expect((await call(other, '/threads/slow/cancel', {})).body).toEqual({ cancelled: true });
    go();
    await expect.poll(async () => (await standing(one, 'slow')).state).toBe('unfinished');
    expect((await call(one, '/workspaces/main/pages')).status).toBe(200);
  });
});
