/** Random requests made from the OpenAPI document: every answer and every body must be as the document says. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { type Desk, incidentEvents, openDesk, researchEvents } from './testbed.contract.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document is taken as it comes
type Body = any;

/** FUZZ_REQUESTS=20000 is what bench/RESULTS.md reports. */
const requests = Number(process.env['FUZZ_REQUESTS'] ?? 1_000);
const seed = Number(process.env['FUZZ_SEED'] ?? 21);

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

/** Mulberry32: the same requests each time. */
function randomOf(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Standing = 'idle' | 'running' | 'interrupted';

const odd: readonly unknown[] = [
  '',
  ' ',
  'x'.repeat(3_000),
  '../../etc/passwd',
  '%',
  '\u0000',
  '\ud800',
  "'; DROP TABLE pages; --",
  'é\u202e',
  '-1',
  0,
  -1,
  1.5,
  1e300,
  Number.MAX_SAFE_INTEGER,
  null,
  true,
  [],
  {},
  { __proto__: null },
  [[]],
  '999999999999999999999',
];

function maker(
  random: () => number,
  document: Body,
  texts: Readonly<Record<string, () => readonly unknown[]>>,
) {
  const pick = <Value>(from: readonly Value[]): Value => from[Math.floor(random() * from.length)]!;

  function fitting(given: Body, name = ''): unknown {
    const schema =
      given.$ref === undefined ? given : document.components.schemas[given.$ref.split('/').at(-1)];
    const known = texts[name]?.() ?? [];
    if (known.length > 0 && random() < 0.9) return pick(known);
    if (schema.enum !== undefined) return pick(schema.enum);
    if (schema.const !== undefined) return schema.const;
    const many = schema.anyOf ?? schema.oneOf;
    if (many !== undefined) return fitting(pick(many), name);
    switch (schema.type) {
      case 'object':
        return Object.fromEntries(
          Object.entries(schema.properties ?? {})
            .filter(([key]) => schema.required?.includes(key) || random() < 0.2)
            .map(([key, value]) => [key, fitting(value, key)]),
        );
      case 'array':
        return Array.from({ length: 1 + Math.floor(random() * 3) }, () => fitting(schema.items));
      case 'integer':
      case 'number':
        return (schema.minimum ?? 0) + Math.floor(random() * Math.min(5, (schema.maximum ?? 5) + 1));
      case 'boolean':
        return random() < 0.5;
      default:
        return pick(['A', 'Some text.\n', `P${Math.floor(random() * 1e6)}`]);
    }
  }

  /** The value with one change at any depth: a value is replaced, removed or added. */
  function broken(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || random() < 0.2) return pick(odd);
    const entries = Object.entries(value);
    const n = Math.floor(random() * (entries.length + 1));
    if (n === entries.length) return { ...value, surplus: pick(odd) };
    if (random() < 0.3) entries.splice(n, 1);
    else entries[n] = [entries[n]![0], broken(entries[n]![1])];
    return Array.isArray(value) ? entries.map(([, one]) => one) : Object.fromEntries(entries);
  }
  return { pick, fitting, broken };
}

/** The check of a schema from the document alone, without the code that made the answer. */
function checkOf(schema: Body, document: Body): z.ZodType {
  const text = JSON.stringify({ ...schema, $defs: document.components.schemas });
  return z.fromJSONSchema(JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/')));
}

it(`${requests} requests out of the document`, async () => {
  await desk.run('turn', researchEvents);
  await desk.run('open', researchEvents.slice(0, 4));
  await desk.run('burning', incidentEvents);
  const [plan] = desk.write('author', {
    op: 'create_page',
    path: 'Plan',
    text: '# Plan\n\nShip [[Deep/Notes]].\n',
  });
  const document = (await desk.get('/openapi.json')).body;
  const random = randomOf(seed);
  const waiting = (): readonly string[] => desk.world.inbox(20).map(({ id }) => id);
  const texts = {
    workspace: () => ['notes'],
    page: () =>
      gone === null
        ? ['Plan', plan!, ...desk.world.pages({ view: 'all', limit: 5 }).map(({ id }) => id)]
        : [gone],
    id: waiting,
    run: () => (begun === null ? ['turn', 'open'] : [begun]),
    incident: () => ['burning'],
    evidence: () => ['ev-0123456789'],
    call: () => ['step-1/model-1'],
    code: () => [desk.code()],
    cursor: () => [],
    thread: () => [talk],
    message: () => said,
    checkpoint: () => places,
    question: () => questions,
    channel: () => ['none'],
    write_id: () => writes,
    seq: () => desk.world.history(plan!, 3).map(({ seq }) => seq),
    act: () => ['accept', 'accept', 'reject', 'edit', 'resolve'],
    revision: () => [1, 1, 1, 2],
    schedule: () => ['nightly'],
    token: () => ['lent'],
    key: () => ['held', 'tone'],
  };
  /** A conversation that has the state, made so by what it is told; a new one now and then, since it grows. */
  async function stands(state: Standing, n: number): Promise<void> {
    talk = `talk-${Math.floor(n / 400)}`;
    if (!(await desk.sessions.threads.has(talk))) await desk.send('POST', '/threads', { id: talk });
    for (let patience = 0; ; patience -= 1) {
      const { body } = await desk.get(`/threads/${talk}`);
      questions = body.questions.map(({ id }: Body) => id);
      if (body.state === state) break;
      if (body.state === 'running') desk.agent.release();
      else if (body.state !== 'idle') await desk.send('POST', `/threads/${talk}/drop`, {});
      else if (patience <= 0) {
        patience = 20;
        await desk.send('POST', `/threads/${talk}/messages`, { text: state === 'running' ? 'wait' : 'ask' });
      }
      await sleep(2);
    }
    const { items } = (await desk.get(`/threads/${talk}/messages?limit=200`)).body;
    said = items.filter(({ kind }: Body) => kind === 'user').map(({ id }: Body) => id);
    const query = { thread: talk, namespace: '', limit: 3 };
    places = (await desk.sessions.checkpoints.heads(query)).map(({ id }) => id);
  }
  /** A run that is under way. */
  let begun: string | null = null;
  /** A page to be restored. */
  let gone: string | null = null;
  function deleted(n: number): string {
    const [page] = desk.write('author', { op: 'create_page', path: `Gone ${n}`, text: 'One.\n' });
    desk.write('author', { op: 'delete_page', page: page! });
    return page!;
  }
  /** Decisions that can be taken back. */
  let writes: readonly string[] = [];
  async function decided(n: number): Promise<void> {
    const [id] = desk.write('agent', { op: 'create_page', path: `Decided ${n}`, text: 'One.\n' });
    await desk.get(`/workspaces/notes/inbox/${id}`);
    const act = random() < 0.5 ? 'accept' : 'reject';
    const address = `/workspaces/notes/inbox/${id}/decision`;
    writes = [(await desk.send('POST', address, { act, revision: 1 })).body.write_id];
  }
  /** What is switched, taken away or decided on is there. */
  const standing: Readonly<Record<string, () => unknown>> = {
    switchSchedule: () => desk.send('POST', '/workspaces/notes/schedules', scheduleOf('nightly')),
    removeSchedule: () => desk.send('POST', '/workspaces/notes/schedules', scheduleOf('nightly')),
    runSchedule: () => desk.send('POST', '/workspaces/notes/schedules', scheduleOf('nightly')),
    removeToken: () => desk.send('POST', '/tokens', { name: 'lent', role: 'reader' }),
    decideMemory: () =>
      desk.memory
        .viewFrom({ thread: null, channel: null })
        .put(
          { tier: 'account', key: 'held', text: 'One.' },
          { writer: 'agent planner', idempotencyKey: null, origins: ['web'] },
        ),
  };
  const scheduleOf = (id: string) => ({
    ...{ id, prompt: 'Look around.' },
    ...pick([{ every: '1h' }, { cron: '0 3 * * *', zone: 'UTC' }, { on: ['create_page'], max_per_day: 2 }]),
  });
  /** Bodies whose fields exclude each other. */
  const bodies: Readonly<Record<string, (n: number) => unknown>> = {
    addSchedule: (n) => scheduleOf(`s${n}`),
    tryScheduleOut: (n) => scheduleOf(`s${n}`),
  };
  let talk = 'talk';
  let said: readonly string[] = [];
  let questions: readonly string[] = [];
  let places: readonly string[] = [];
  const before: Readonly<Record<string, Standing>> = {
    sendMessage: 'idle',
    steerThread: 'running',
    answerThread: 'interrupted',
    dropThread: 'interrupted',
    editMessage: 'interrupted',
    forkThread: 'interrupted',
  };
  const { pick, fitting, broken } = maker(random, document, texts);
  const operations = Object.entries<Body>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Body>(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const checks = new Map<string, z.ZodType>();
  const wrong: string[] = [];
  const good = new Map<string, number>();
  let made = 0;
  const without = () => operations.filter(({ operation }) => !good.has(operation.operationId));
  // Few requests leave an operation without a good answer by chance: those are asked on, whole.
  const maxMore = 1_000;
  for (let n = 0; n < requests || (without().length > 0 && n < requests + maxMore); n += 1) {
    const isMore = n >= requests;
    const asked = isMore ? without() : operations;
    const { path, method, operation } = asked[n % asked.length]!;
    // Makes sure that there is always something to decide on, and that the author was shown it.
    if (waiting().length < 4)
      desk.write('agent', { op: 'create_page', path: `New ${made++}`, text: 'One.\n\nTwo.\n' });
    if (operation.operationId === 'decide' || operation.operationId === 'decideMany')
      await desk.get('/workspaces/notes/inbox');
    if (operation.operationId === 'undo') await decided(n);
    await standing[operation.operationId]?.();
    gone = operation.operationId === 'restorePage' ? deleted(n) : null;
    begun = null;
    // A few run at once.
    if (['startRun', 'cancelRun'].includes(operation.operationId))
      for (const child of desk.children) child.end();
    if (operation.operationId === 'cancelRun') {
      const run = { shape: 'incident', params: { alert: 'It burns' } };
      begun = (await desk.send('POST', '/runs', run)).body.run;
    }
    const state = before[operation.operationId];
    if (state !== undefined && random() < 0.3) await stands(state, n);
    // Every other request of an operation is whole.
    const spoil =
      !isMore && Math.floor(n / operations.length) % 2 === 1 ? pick(['params', 'query', 'body']) : null;
    const value = (schema: Body, name: string, of: string): string => {
      const fit = fitting(schema, name);
      const given = spoil === of && random() < 0.7 ? broken(fit) : fit;
      return typeof given === 'object' ? JSON.stringify(given) : String(given);
    };
    const parameters: readonly Body[] = operation.parameters ?? [];
    const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());
    let address = path.replace('/api/v1', '');
    const query: string[] = [];
    for (const { name, in: place, schema, required } of parameters) {
      if (place === 'path')
        address = address.replace(`{${name}}`, encoded(value(schema, name, 'params')) || '_');
      else if (required || random() < 0.4) query.push(`${name}=${encoded(value(schema, name, 'query'))}`);
    }
    const content = operation.requestBody?.content['application/json'].schema;
    const own = random() < 0.8 ? bodies[operation.operationId] : undefined;
    const fit = content === undefined ? undefined : (own?.(n) ?? fitting(content));
    const sent = JSON.stringify(spoil === 'body' && content !== undefined ? broken(fit) : fit);
    const as =
      random() < 0.06 ? pick([null, 'reads', 'operates', 'program', 'wrong_place', 'nothing']) : 'decides';
    const stop = new AbortController();
    const response = await desk.ask(`${address}${query.length > 0 ? `?${query.join('&')}` : ''}`, {
      method: method.toUpperCase(),
      as,
      signal: stop.signal,
      ...(sent !== undefined && { body: spoil === 'body' && random() < 0.1 ? `${sent}{` : sent }),
      ...(random() < 0.1 && { headers: { 'idempotency-key': pick(['k', `k${n}`, 'no key', '']) } }),
    });
    const { status } = response;
    const said = operation.responses[status];
    const media = (response.headers.get('content-type') ?? '').split(';')[0]!;
    const label = `${method} ${path} ${status}`;
    if (media === 'text/event-stream') await response.body?.cancel();
    else {
      const text = await response.text();
      const schema = said?.content['application/json']?.schema;
      if (status >= 500) wrong.push(`${label}: ${text} of ${address} ${sent}`);
      else if (said === undefined) wrong.push(`${label} is not in the document: ${text}`);
      else if (media === 'application/json' && schema !== undefined) {
        if (!checks.has(label)) checks.set(label, checkOf(schema, document));
        const checked = checks.get(label)!.safeParse(JSON.parse(text));
        if (!checked.success)
          wrong.push(`${label}: ${checked.error.message.slice(0, 300)} in ${text.slice(0, 300)}`);
      }
    }
    if (status < 300) good.set(operation.operationId, (good.get(operation.operationId) ?? 0) + 1);
  }
  expect(desk.logged).toEqual([]);
  expect(wrong).toEqual([]);
  expect(without().map(({ operation }) => operation.operationId)).toEqual([]);
});
