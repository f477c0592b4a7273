/** What runs do, told to those who watch the whole workspace: every step once, whoever reads it and whenever. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RunEvent } from '../../../core/index.ts';
import { type Desk, type Json, openDesk, researchEvents } from '../testbed.contract.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

interface Heard {
  readonly id: string;
  readonly kind: string;
  readonly data: Json;
}

/** Reads on until there are so many. */
async function heard(count: number, as = 'decides', last?: string): Promise<readonly Heard[]> {
  const headers: Record<string, string> = last === undefined ? {} : { 'last-event-id': last };
  const response = await desk.ask('/events', { as, headers });
  expect(response.status).toBe(200);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const found: Heard[] = [];
  let text = '';
  while (found.length < count) {
    const { value, done } = await reader.read();
    if (done) break;
    text += value;
    const pieces = text.split('\n\n');
    text = pieces.pop()!;
    for (const piece of pieces) {
      const [, id, kind, data] = /^id: (.+)\nevent: (.+)\ndata: (.+)$/.exec(piece) ?? [];
      if (id !== undefined) found.push({ id, kind: kind!, data: JSON.parse(data!) });
    }
  }
  await reader.cancel();
  return found.slice(0, count);
}

const headOf = async (): Promise<string> => `${desk.world.head()}-0`;
const cells: readonly RunEvent[] = [
  { kind: 'run_started', shape: 'investigation', question: 'How many?', params: {} },
  { kind: 'node_started', step: 1, node: 'root', depth: 0, prompt: 'How many are hunter22secret?' },
  { kind: 'cell_started', step: 1, node: 'root', cell: '1', code: 'print(1)' },
  {
    ...{ kind: 'cell_finished', step: 1, node: 'root', cell: '1', outcome: 'ok', output: '1' },
    ...{ bytes: 1, fuel: 1, calls: 0, wall_ms: 1, left: {} },
  },
];

it('a run is told step by step: nodes, cells, actions, its end', async () => {
  const from = await headOf();
  // From now on.
  expect((await desk.ask('/events')).status).toBe(200);
  await desk.run('counts', cells);
  await desk.run('reads', researchEvents);
  const found = await heard(11, 'decides', from);
  const of = (run: string) => found.filter(({ data }) => data.run === run).map(({ kind }) => kind);
  expect(of('counts')).toEqual(['run_started', 'node_started', 'cell_started', 'cell_finished']);
  expect(of('reads')).toEqual([
    ...['run_started', 'step_started', 'model_called', 'model_replied'],
    ...['action_started', 'action_finished', 'run_finished'],
  ]);
  expect(found.find(({ kind }) => kind === 'cell_finished')!.data).toEqual({
    ...{ run: 'counts', shape: 'investigation', thread: null, seq: 4, at: expect.any(Number) },
    event: { kind: 'cell_finished', step: 1, node: 'root', cell: '1', outcome: 'ok' },
  });
  const places = found.map(({ id }) => Number(id.split('-')[1]));
  expect(places).toEqual(places.map((_, n) => n + 1));
});

it('a reader is told of conversations alone, and of no secret', async () => {
  const from = await headOf();
  await desk.ask('/events');
  await desk.run('mine', researchEvents, desk.own);
  await desk.run('turn', cells);
  const found = await heard(4, 'reads', from);
  expect(new Set(found.map(({ data }) => data.run))).toEqual(new Set(['turn']));
  expect(found[1]!.data.event.prompt).toBe('How many are [secret]?');
  const all = await heard(11, 'operates', from);
  expect(new Set(all.map(({ data }) => data.run))).toEqual(new Set(['mine', 'turn']));
});

it('who comes again is given every step once, also of what was done while nobody listened', async () => {
  let last = await headOf();
  await desk.ask('/events');
  await desk.store.runs.create({ id: 'r', shape: 'research', question: 'Why?', root: '/', params: {} });
  const lease = await desk.store.runs.acquire('r');
  const log = desk.store.log(lease);
  const total = 60;
  const seen: string[] = [];
  for (let n = 0; n < total; n += 1) {
    log.append(`e${n}`, { kind: 'step_started', step: n, left: {} });
    await desk.store.commit(lease);
    if (n % 7 !== 0) continue;
    const found = await heard(Math.min(5, n + 1 - seen.length), 'decides', last);
    seen.push(...found.map(({ data }) => String(data.event.step)));
    last = found.at(-1)?.id ?? last;
  }
  await lease.release();
  seen.push(
    ...(await heard(total - seen.length, 'decides', last)).map(({ data }) => String(data.event.step)),
  );
  expect(seen).toEqual(Array.from({ length: total }, (_, n) => String(n)));
});

it.each<[string, number]>([
  ['0-5', 410],
  ['9999-0', 410],
  ['one', 400],
  ['1-', 400],
])('%s is no place to go on from: %i', async (id, status) => {
  expect((await desk.ask('/events', { headers: { 'last-event-id': id } })).status).toBe(status);
});
