/** Bodies that a sender may send: half of them random, half an alert of a known form in which one thing is changed. */
import { brotliCompressSync, deflateRawSync, gzipSync } from 'node:zlib';

export interface SentBody {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
}

export type Random = () => number;

/** Numbers from 0 to 1, the same for the same seed: mulberry32. */
export function random(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const forms: readonly object[] = [
  {
    version: '4',
    status: 'firing',
    commonLabels: { severity: 'critical' },
    alerts: [
      {
        status: 'firing',
        labels: { alertname: 'HighErrorRate', service: 'orders' },
        annotations: { summary: 'orders fails' },
        startsAt: '2026-03-05T10:24:00Z',
        endsAt: '0001-01-01T00:00:00Z',
        fingerprint: 'c0ffee',
      },
      {
        status: 'resolved',
        labels: { alertname: 'Old', service: 'mail' },
        annotations: {},
        startsAt: '2026-03-05T09:00:00Z',
      },
    ],
  },
  {
    orgId: 1,
    title: 'slow',
    state: 'alerting',
    alerts: [{ labels: { grafana_folder: 'shop' }, valueString: '[ value=3 ]' }],
  },
  { ruleName: 'cpu', state: 'alerting', evalMatches: [{ metric: 'cpu', value: 97, tags: { host: 'a' } }] },
  {
    event: {
      event_type: 'incident.triggered',
      occurred_at: '2026-03-05T10:24:00Z',
      data: {
        id: 'P1',
        title: 'orders is down',
        service: { summary: 'orders' },
        body: { details: { metric: 'errors' } },
      },
    },
  },
  {
    routing_key: 'R',
    event_action: 'trigger',
    dedup_key: 'd',
    payload: {
      summary: 'queue is full',
      severity: 'error',
      source: 'host-3',
      timestamp: '2026-03-05T10:24:00Z',
      custom_details: { depth: 9 },
    },
  },
  {
    alertname: 'Plain',
    service: 'tickets',
    severity: 'high',
    fired_at: 1_772_706_240,
    labels: { team: 'a' },
    summary: 'it is slow',
  },
  {
    Type: 'Notification',
    MessageId: 'm',
    Subject: 'ALARM',
    Message: '{"AlarmName":"x","NewStateValue":"ALARM"}',
    Timestamp: '2026-03-05T10:24:00.000Z',
  },
  [
    { monitor: 'm', service: 's' },
    { monitor: 'n', service: 's' },
  ],
];

export function randomBody(next: Random): SentBody {
  return next() < 0.5 ? { body: noise(next), headers: randomHeaders(next) } : changeForm(next);
}

const randomBelow = (next: Random, max: number): number => Math.floor(next() * max);
const pickOne = <Value>(next: Random, values: readonly Value[]): Value =>
  values[randomBelow(next, values.length)]!;
const toBytes = (text: string, encoding: BufferEncoding = 'utf8') =>
  Uint8Array.from(Buffer.from(text, encoding));

function randomHeaders(next: Random): Readonly<Record<string, string>> {
  const types = [
    'application/json',
    'text/plain; charset=utf-16',
    'application/json; charset=x',
    'multipart/form-data',
  ];
  return {
    ...(next() < 0.5 && { 'content-type': pickOne(next, types) }),
    ...(next() < 0.05 && {
      'content-encoding': pickOne(next, ['gzip', 'br', 'deflate', 'x-gzip', 'zstd', 'gzip, br', '']),
    }),
  };
}

function noise(next: Random): Uint8Array<ArrayBuffer> {
  const length = next() < 0.1 ? randomBelow(next, 40_000) : randomBelow(next, 600);
  const characters = '{}[]",:\\ \n\t0123456789aeflnrstu-+.éü\u0000\ud83d\ude00';
  switch (randomBelow(next, 3)) {
    case 0:
      return Uint8Array.from({ length }, () => randomBelow(next, 256));
    case 1:
      return toBytes(Array.from({ length }, () => pickOne(next, [...characters])).join(''));
    default:
      return toBytes(JSON.stringify(value(next, 5)));
  }
}

const scalars: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1e300,
  -8.64e18,
  2 ** 53,
  '',
  ' ',
  'x',
  '\u0000',
  '\ud800',
  '__proto__',
  '[]',
  '{}',
];
const names = [
  'alerts',
  'labels',
  'alertname',
  'status',
  'event',
  'messages',
  'payload',
  'fingerprint',
  'startsAt',
  'evalMatches',
  'tags',
  '__proto__',
  'constructor',
  'name',
  'service',
  'a',
];

function value(next: Random, depth: number): unknown {
  if (depth === 0 || next() < 0.3) return pickOne(next, scalars);
  const parts = Array.from({ length: randomBelow(next, 6) }, () => value(next, depth - 1));
  return next() < 0.5 ? parts : Object.fromEntries(parts.map((part) => [pickOne(next, names), part]));
}

function changeForm(next: Random): SentBody {
  const form = structuredClone(pickOne(next, forms));
  switch (randomBelow(next, 4)) {
    case 0:
      return { body: toBytes(growForm(next, form)), headers: {} };
    case 1: {
      const depth = next() < 0.05 ? 60_000 : randomBelow(next, 200);
      const [open, close] = pickOne(next, [
        ['[', ']'],
        ['{"a":', '}'],
      ] as const);
      const deep = `${open.repeat(depth)}1${next() < 0.9 ? close.repeat(depth) : ''}`;
      return {
        body: toBytes(JSON.stringify(replaceValue(next, form, 'DEEP')).replace('"DEEP"', () => deep)),
        headers: {},
      };
    }
    case 2:
      return encodeBody(next, JSON.stringify(form));
    default:
      return { body: toBytes(JSON.stringify(replaceValue(next, form, value(next, 3)))), headers: {} };
  }
}

/** Rarely a field longer than is stored, a body over the limit, or a list of very many alerts. */
function growForm(next: Random, form: object): string {
  const chance = next();
  if (chance < 0.001) return JSON.stringify(replaceValue(next, form, 'y'.repeat(4_100_000)));
  if (chance < 0.01) return JSON.stringify(replaceValue(next, form, 'z '.repeat(randomBelow(next, 200_000))));
  if (chance < 0.02)
    return JSON.stringify(
      replaceValue(next, form, Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`k${n}`, n]))),
    );
  if (chance < 0.03) return JSON.stringify(Array.from({ length: randomBelow(next, 300) }, () => form));
  return JSON.stringify(replaceValue(next, form, 'x'.repeat(randomBelow(next, 3_000))));
}

function encodeBody(next: Random, text: string): SentBody {
  const plain = Buffer.from(text);
  const cases: readonly (() => SentBody)[] = [
    () => ({ body: toBytes(text, 'utf16le'), headers: {} }),
    () => ({ body: toBytes(text.replace('orders', 'größe'), 'latin1'), headers: {} }),
    () => ({ body: toBytes(`\ufeff${text}`), headers: {} }),
    () => ({ body: Uint8Array.from(gzipSync(plain)), headers: { 'content-encoding': 'gzip' } }),
    () => ({ body: Uint8Array.from(brotliCompressSync(plain)), headers: { 'content-encoding': 'br' } }),
    () => ({ body: Uint8Array.from(deflateRawSync(plain)), headers: { 'content-encoding': 'deflate' } }),
    () => ({
      body: Uint8Array.from(gzipSync(plain).subarray(0, 20)),
      headers: { 'content-encoding': 'gzip' },
    }),
    () => ({
      body: Uint8Array.from(gzipSync('x'.repeat(4_500_000))),
      headers: { 'content-encoding': 'gzip' },
    }),
    () => ({ body: Uint8Array.from(plain.subarray(0, randomBelow(next, plain.length))), headers: {} }),
    () => ({
      body: Uint8Array.from(plain, (byte) => (next() < 0.01 ? randomBelow(next, 256) : byte)),
      headers: {},
    }),
  ];
  return pickOne(next, cases)();
}

/** The form with one value, at any depth, replaced. */
function replaceValue(next: Random, form: object, replacement: unknown): unknown {
  const places: [Record<string, unknown>, string][] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const name of Object.keys(node)) {
      places.push([node as Record<string, unknown>, name]);
      walk((node as Record<string, unknown>)[name]);
    }
  };
  walk(form);
  const [holder, name] = pickOne(next, places);
  holder[name] = replacement;
  return form;
}
