/** Against a double that makes its answers from the recorded ones, with small pages. */
import { expect, test } from 'vitest';
import { manualClock, type Signal } from '../../core/index.ts';
import { askQuestion, fromNoon as at, isoFromNoon, noon, noonWindow as window } from '../asking.contract.ts';
import { type DoubleAnswer, type DoubleRequest, httpDouble } from '../http-double.contract.ts';
import { httpSignalContract } from '../http-signal.contract.ts';
import { readRecordedBody, readRecording } from '../recording.contract.ts';
import { openSentry } from './sentry.ts';

const iso = (k: number): string => isoFromNoon(k).replace('.000', '');
const key = 'sentry-key-0123456789';

const recording = readRecording(import.meta.dirname);
type Bag = Record<string, unknown>;
const [issue] = readRecordedBody<Bag[]>(recording, 'sentry_issues');
const [event] = readRecordedBody<Bag[]>(recording, 'sentry_stack');
const [release] = readRecordedBody<Bag[]>(recording, 'sentry_releases');

/** Always a next page, of which it is said whether there is anything on it. */
function listed(path: string, items: readonly unknown[], query: URLSearchParams, size: number): DoubleAnswer {
  const first = Number((query.get('cursor') ?? '0:0:0').split(':')[1]);
  const more = first + size < items.length;
  const link = `<https://sentry.test${path}?&cursor=0:${first + size}:0>; rel="next"; results="${more}"; cursor="0:${first + size}:0"`;
  return {
    json: items.slice(first, first + size),
    headers: {
      link: `<https://sentry.test${path}?&cursor=0:0:1>; rel="previous"; results="false"; cursor="0:0:1", ${link}`,
    },
  };
}

function double({ path, query, headers }: DoubleRequest): DoubleAnswer {
  if (headers.authorization !== `Bearer ${key}`) return { json: { detail: 'Invalid token' }, status: 401 };
  const root = '/api/0/organizations/acme/';
  if (path === root) return { json: { slug: 'acme', id: '1' } };
  // Times have no zone, and are of UTC.
  const span = ['start', 'end'].map((name) => Date.parse(`${query.get(name)}Z`)) as [number, number];
  const inSpan = (k: number): boolean => at(k) >= span[0] && at(k) < span[1];
  if (path === `${root}issues/`) {
    if (Number(query.get('limit')) > 100) return { json: { detail: 'Invalid limit' }, status: 400 };
    // What is seen is of the stretch; of ever is the lifetime.
    const seen = [7, -9_000].map((ever) => ({
      ...issue,
      id: String(10_000 + ever),
      count: '321',
      firstSeen: iso(7),
      lastSeen: iso(20),
      lifetime: { count: '900', userCount: 30, firstSeen: iso(ever), lastSeen: iso(20) },
    }));
    return listed(path, inSpan(7) ? seen : [], query, 100);
  }
  if (path === `${root}issues/10007/events/`) {
    const found = [29, 9, -400].filter(inSpan).map((k) => ({
      ...event,
      dateCreated: iso(k),
      message: `at ${k} with password=sentry-secret-1`,
    }));
    return listed(path, found, query, Number(query.get('per_page')));
  }
  if (path !== `${root}releases/`) return null;
  const made = [4, -4, -400, -500].map((k) => ({ ...release, version: `shop@${k}`, dateCreated: iso(k) }));
  return listed(path, made, query, 1);
}

const open = (base: string, token = key): Signal =>
  openSentry({
    base,
    organization: 'acme',
    fetch,
    clock: manualClock(noon),
    authorization: { kind: 'bearer', token: { reveal: () => token } },
  });

httpSignalContract('sentry', {
  answer: double,
  open,
  openStranger: (base) => open(base, 'another-key-0123456789'),
  window,
  ask: {
    sentry_issues: { query: 'is:unresolved' },
    sentry_stack: { issue: '10007' },
    sentry_releases: { version: 'shop@' },
  },
  plentiful: ['sentry_issues', 'sentry_stack', 'sentry_releases'],
  timed: ['sentry_issues', 'sentry_stack'],
  secrets: [key, 'sentry-secret-1'],
});

test.each<[string, object, object]>([
  [
    'sentry_issues',
    {},
    {
      rows: {
        patterns: [
          { service: 'shop', level: 'ERROR', count: 321, baseline: 0, first: at(7) },
          { count: 321, baseline: null, first: at(7) },
        ],
      },
    },
  ],
  [
    'sentry_stack',
    { issue: '10007' },
    { text: expect.stringMatching(/at 29 with[\s\S]*at charge \(src\/pay.ts:42\)/) },
  ],
  [
    'sentry_releases',
    {},
    { completeness: 'complete', rows: { changes: [{ kind: 'deploy', id: 'shop@4' }, { id: 'shop@-4' }] } },
  ],
])('%s %j', async (name, args, expected) => {
  const server = await httpDouble(double);
  expect(await askQuestion(open(server.base), name, args, window)).toMatchObject(expected);
  // Releases that are older than the calm are not read to their end.
  expect(server.requests.length).toBeLessThan(4);
  await server.close();
});
