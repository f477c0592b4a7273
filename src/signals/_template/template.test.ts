import { expect, test } from 'vitest';
import { manualClock } from '../../core/index.ts';
import { askQuestion } from '../asking.contract.ts';
import { type DoubleAnswer, type DoubleRequest, httpDouble } from '../http-double.contract.ts';
import { httpSignalContract } from '../http-signal.contract.ts';
import { openTemplate } from './template.ts';

const start = Date.UTC(2026, 6, 11, 12);
const window = { from: start, to: start + 3_600_000, baseline_from: start - 3_600_000, derivation: 'a test' };
const token = 'template-token-0123456789';

const events = Array.from({ length: 20 }, (_, k) => ({
  at: start + k * 60_000,
  text: `event ${k}`,
  service: 'shop',
}));

/** As the system does it. Where it can't be had, make its answers from a recording: see `recorded.test.ts`. */
function double({ path, query, headers }: DoubleRequest): DoubleAnswer {
  if (headers.authorization !== `Bearer ${token}`) return { json: {}, status: 401 };
  if (path === '/version') return { json: { version: '1.0' } };
  const inside = events.filter(({ at }) => at >= Number(query.get('from')) && at < Number(query.get('to')));
  // A system may well put into a message what it was sent.
  const echo = [{ at: start + 1, text: `asked by ${headers.authorization} with password=hunter2-secret` }];
  const all = [...(inside.length > 0 ? echo : []), ...inside];
  const first = Number(query.get('cursor') ?? 0);
  const next = first + 8 < all.length ? String(first + 8) : null;
  return { json: { events: all.slice(first, first + 8), next } };
}

const open = (base: string, own = token) =>
  openTemplate({
    base,
    fetch,
    clock: manualClock(start),
    authorization: { kind: 'bearer', token: { reveal: () => own } },
  });

httpSignalContract('template', {
  answer: double,
  open,
  openStranger: (base) => open(base, 'another-token-0123456789'),
  window,
  ask: { template_events: { service: 'shop' } },
  plentiful: ['template_events'],
  timed: ['template_events'],
  secrets: [token, 'hunter2-secret'],
});

test('what it makes of the answers', async () => {
  const server = await httpDouble(double);
  const reply = await askQuestion(open(server.base), 'template_events', {}, window);
  expect(reply).toMatchObject({ completeness: 'complete', rows: { lines: { length: 21 } } });
  await server.close();
});
