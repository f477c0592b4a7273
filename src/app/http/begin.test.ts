import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Desk, openDesk, researchEvents } from './testbed.contract.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

const start = (shape: string, params: object, as = 'decides') =>
  desk.send('POST', '/runs', { shape, params }, { as });

it.each([
  [
    'ask',
    { question: 'Why?', scope: 'src/**', max_usd: 1 },
    { shape: 'research', request: { question: 'Why?', scope: 'src/**', settings: { max_usd: 1 } } },
  ],
  [
    'investigate',
    { question: 'All?' },
    { shape: 'investigation', request: { prompt: 'All?', workspace: expect.stringMatching(/notes\.db$/) } },
  ],
  [
    'investigate',
    { question: 'All?', over: 'code' },
    { shape: 'investigation', request: { prompt: 'All?', root: expect.any(String) } },
  ],
  ['incident', { alert: 'It burns' }, { shape: 'incident', request: { alert: 'It burns' } }],
])('%s is begun in a process of its own: %j', async (shape, params, setting) => {
  const { status, body } = await start(shape, params);
  expect([status, body]).toEqual([202, { run: 'begun-0' }]);
  expect(desk.children[0]?.setting).toMatchObject(setting);
  expect((await desk.get('/runs/begun-0')).body).toMatchObject({ id: 'begun-0' });
});

it.each<[string, object, string, number]>([
  ['ask', { question: ' ' }, 'decides', 400],
  ['ask', { question: 'x', root: '/etc' }, 'decides', 400],
  ['look', { question: 'x' }, 'decides', 400],
  ['ask', { question: 'refused' }, 'decides', 400],
  ['ask', { question: 'x' }, 'operates', 403],
  ['ask', { question: 'x' }, 'reads', 403],
])('%s %j of %s is not', async (shape, params, as, status) => {
  expect(await start(shape, params, as)).toMatchObject({ status });
});

it('a few at once, and no more', async () => {
  for (let n = 0; n < 4; n += 1) expect(await start('ask', { question: 'x' })).toMatchObject({ status: 202 });
  expect(await start('ask', { question: 'x' })).toMatchObject({
    status: 409,
    body: { error: { code: 'run_state', details: { runs: ['begun-0', 'begun-1', 'begun-2', 'begun-3'] } } },
  });
  desk.children[1]!.end();
  await desk.children[1]!.gone;
  expect(await start('ask', { question: 'x' })).toMatchObject({ status: 202 });
});

it('is cancelled and resumed, by its author', async () => {
  await desk.run('done', researchEvents, desk.own);
  await start('ask', { question: 'x' });
  const act = (run: string, what: string, as = 'decides') =>
    desk.send('POST', `/runs/${run}/${what}`, {}, { as });
  for (const as of ['reads', 'operates'])
    expect(await act('begun-0', 'cancel', as)).toMatchObject({ status: 403 });
  expect(await act('begun-0', 'resume')).toMatchObject({ status: 409 });
  expect(await act('begun-0', 'cancel')).toMatchObject({ status: 202, body: { run: 'begun-0' } });
  await desk.children[0]!.gone;
  expect(await act('begun-0', 'cancel')).toMatchObject({ status: 409 });
  expect(await act('done', 'resume')).toMatchObject({ status: 409 });
  expect(await act('none', 'resume')).toMatchObject({ status: 404 });
  expect(await act('begun-0', 'resume')).toMatchObject({ status: 202 });
  expect(desk.children[1]?.setting).toEqual({ resume: 'begun-0' });
});
