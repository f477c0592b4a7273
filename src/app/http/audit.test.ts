/** Each act over HTTP has its row in the audit, with the token that did it, and without a text. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Desk, openDesk } from './testbed.contract.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

type Row = { readonly actor: string; readonly act: string; readonly on: string; readonly result: string };

const secret = 'hunter22secret';

async function act(): Promise<void> {
  const ok = async (sent: Promise<{ readonly status: number; readonly body: unknown }>) => {
    const { status, body } = await sent;
    if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  };
  const schedule = { id: 'daily', prompt: secret, every: '1h' };
  await ok(desk.send('POST', '/workspaces/notes/pages', { path: 'Plan', text: `${secret}\n` }));
  const [candidate] = desk.write('agent', { op: 'create_page', path: 'Idea', text: `${secret}\n` });
  const item = await desk.get(`/workspaces/notes/inbox/${candidate}`);
  await ok(
    desk.send('POST', `/workspaces/notes/inbox/${candidate}/decision`, {
      act: 'accept',
      revision: (item.body as { revision: number }).revision,
    }),
  );
  await ok(desk.send('POST', '/workspaces/notes/schedules', schedule, { as: 'operates' }));
  await ok(desk.send('PATCH', '/workspaces/notes/schedules/daily', { enabled: false }, { as: 'operates' }));
  await ok(desk.send('DELETE', '/workspaces/notes/schedules/daily', {}, { as: 'operates' }));
  await ok(desk.send('POST', '/tokens', { name: 'phone', role: 'reader' }));
  await ok(desk.send('DELETE', '/tokens/phone', {}));
}

const rowsOf = async (query = ''): Promise<readonly Row[]> =>
  ((await desk.get(`/audit${query}`, 'operates')).body as { items: readonly Row[] }).items;

it('names who did what, newest first', async () => {
  await act();
  const rows = await rowsOf();
  expect(rows.map((row) => `${row.actor} ${row.act} ${row.result}`).toSorted()).toEqual(
    [
      'token:decides create_page done',
      'token:decides promote done',
      'token:operates schedule_added done',
      'token:operates schedule_disabled done',
      'token:operates schedule_removed done',
      'token:decides token_added done',
      'token:decides token_removed done',
    ].toSorted(),
  );
  expect(rows.find((row) => row.act === 'token_added')?.on).toBe('phone, for the workspace notes');
  expect(JSON.stringify(rows)).not.toContain(secret);
});

it('is given in pieces, by actor and by time', async () => {
  await act();
  const all = await rowsOf();
  const seen: Row[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await desk.get(`/audit?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`, 'operates');
    const { items, next } = body as { items: readonly Row[]; next: string | null };
    seen.push(...items);
    cursor = next;
  }
  expect(seen).toEqual(all);
  expect((await rowsOf('?actor=token:operates')).length).toBe(3);
  expect(await rowsOf(`?since=${Date.now() + 60_000}`)).toEqual([]);
});

it('is for operators and authors', async () => {
  const statusFor = async (as: string) => (await desk.get('/audit', as)).status;
  expect(await statusFor('reads')).toBe(403);
  expect(await statusFor('decides')).toBe(200);
  expect(await statusFor('nobody')).toBe(401);
});

it('a token of another workspace, and who was refused, is not in it', async () => {
  await desk.send('POST', '/tokens', { name: 'bad name', role: 'reader' });
  await desk.send('DELETE', '/tokens/none', {});
  await desk.send('POST', '/workspaces/notes/pages', { path: 'Plan', text: 'x\n' }, { as: 'reads' });
  expect(await rowsOf()).toEqual([]);
});

it('a run that is begun and cancelled', async () => {
  const body = { shape: 'ask', params: { question: secret } };
  const begun = await desk.send('POST', '/runs', body);
  expect([begun.status, desk.children.at(-1)?.setting]).toMatchObject([
    202,
    { request: { by: { name: 'token:decides', team: '' } } },
  ]);
  const { run } = begun.body as { run: string };
  await desk.send('POST', `/runs/${run}/cancel`, {});
  expect((await rowsOf()).map((row) => `${row.act} ${row.on}`)).toEqual([`run_cancelled ${run}`]);
});
