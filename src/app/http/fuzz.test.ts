/** Requests made of the document alone: no answer that it does not tell of, and no body that its schema refuses. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { anIncident, type Desk, openDesk, someRun } from './testbed.contract.ts';

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
    if (schema.anyOf !== undefined) return fitting(pick(schema.anyOf), name);
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

  /** One value of it, at any depth, becomes another, goes, or comes. */
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

/** A schema of the document by itself, checked by another hand than the one that made the answer. */
function checkOf(schema: Body, document: Body): z.ZodType {
  const text = JSON.stringify({ ...schema, $defs: document.components.schemas });
  return z.fromJSONSchema(JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/')));
}

it(`${requests} requests out of the document`, async () => {
  await desk.run('turn', someRun);
  await desk.run('open', someRun.slice(0, 4));
  await desk.run('burning', anIncident);
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
    page: () => ['Plan', plan!, ...desk.world.pages({ view: 'all', limit: 5 }).map(({ id }) => id)],
    id: waiting,
    run: () => ['turn', 'open'],
    incident: () => ['burning'],
    evidence: () => ['ev-0123456789'],
    call: () => ['step-1/model-1'],
    code: () => [desk.code()],
    cursor: () => [],
    act: () => ['accept', 'accept', 'reject', 'edit', 'resolve'],
    revision: () => [1, 1, 1, 2],
  };
  const { pick, fitting, broken } = maker(random, document, texts);
  const operations = Object.entries<Body>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Body>(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const checks = new Map<string, z.ZodType>();
  const wrong: string[] = [];
  const good = new Map<string, number>();
  let made = 0;
  for (let n = 0; n < requests; n += 1) {
    const { path, method, operation } = operations[n % operations.length]!;
    // So that there is always something to decide on, given to the author.
    if (waiting().length < 4)
      desk.write('agent', { op: 'create_page', path: `New ${made++}`, text: 'One.\n\nTwo.\n' });
    if (operation.operationId === 'decide' || operation.operationId === 'decideMany')
      await desk.get('/workspaces/notes/inbox');
    const spoil = random() < 0.5 ? pick(['params', 'query', 'body']) : null;
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
    const fit = content === undefined ? undefined : fitting(content);
    const sent = JSON.stringify(spoil === 'body' && content !== undefined ? broken(fit) : fit);
    const as =
      random() < 0.06 ? pick([null, 'reads', 'operates', 'program', 'elsewhere', 'nothing']) : 'decides';
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
  expect(desk.told).toEqual([]);
  expect(wrong).toEqual([]);
  const without = operations.map(({ operation }) => operation.operationId).filter((id) => !good.has(id));
  expect(without).toEqual([]);
});
