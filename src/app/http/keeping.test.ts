/** Keeping the house over HTTP: schedules, tokens, what is pruned, and what is remembered. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Desk, incidentEvents, openDesk, researchEvents } from './testbed.contract.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

const schedules = '/workspaces/notes/schedules';
const nightly = { id: 'nightly', prompt: 'Look around.', cron: '0 3 * * *', zone: 'Europe/Berlin' };

describe('schedules', () => {
  it('an operator adds one, switches it off, and removes it', async () => {
    const wanted = { ...nightly, max_per_day: 2, max_usd: 0.5, max_time: '5m', missed: 'skip' };
    const added = await desk.send('POST', schedules, wanted, { as: 'operates' });
    expect(added).toMatchObject({
      status: 201,
      body: {
        id: 'nightly',
        trigger: { kind: 'cron', expression: '0 3 * * *', zone: 'Europe/Berlin' },
        together: { perDay: 2 },
        limits: { usd: 0.5, wall_ms: 300_000 },
        missed: 'skip',
        enabled: true,
        next: expect.any(Number),
      },
    });
    const at = `${schedules}/nightly`;
    const off = await desk.send('PATCH', at, { enabled: false }, { as: 'operates' });
    expect([off.status, off.body.enabled]).toEqual([200, false]);
    expect(await desk.send('DELETE', at, {}, { as: 'operates' })).toMatchObject({
      status: 200,
      body: { removed: 'nightly' },
    });
    expect((await desk.get(schedules)).body.items).toEqual([]);
  });

  it('one that comes ready is made by switching it on', async () => {
    const { status, body } = await desk.send('PATCH', `${schedules}/morning-digest`, { enabled: true });
    expect([status, body.id, body.enabled]).toEqual([200, 'morning-digest', true]);
  });

  it('is started now, though it is off, in a conversation that is there at once', async () => {
    const ready = (await desk.get(schedules)).body.ready;
    expect(ready.map(({ id }: { id: string }) => id)).toEqual([
      ...['morning-digest', 'drift-digest', 'memory-consolidation'],
    ]);
    await desk.send('POST', schedules, { ...nightly, prompt: 'Good night.' });
    await desk.send('PATCH', `${schedules}/nightly`, { enabled: false });
    const { status, body } = await desk.send('POST', `${schedules}/nightly/run`, {}, { as: 'operates' });
    expect([status, body.schedule]).toEqual([202, 'nightly']);
    expect((await desk.get(`/threads/${body.thread}`)).status).toBe(200);
    const said = async () => (await desk.get(`/threads/${body.thread}`)).body.last?.text;
    await expect.poll(said).toBe('heard: Good night.');
    expect((await desk.get(schedules)).body.items[0]).toMatchObject({ enabled: false, last: { note: null } });
    expect((await desk.send('POST', `${schedules}/none/run`, {})).status).toBe(404);
    expect((await desk.send('POST', `${schedules}/nightly/run`, {}, { as: 'reads' })).status).toBe(403);
  });

  it('is tried out without being added', async () => {
    const wanted = { id: 'tidy', prompt: 'Tidy up.', on: ['create_page'] };
    for (const path of ['A', 'B']) desk.write('author', { op: 'create_page', path, text: 'One.\n' });
    const { status, body } = await desk.send('POST', `${schedules}/dry-run`, wanted, { as: 'operates' });
    expect([status, body.total]).toEqual([200, 2]);
    expect(body.starts[0]).toMatchObject({ event: { name: 'create_page', paths: ['A'] }, held: null });
    expect((await desk.get(schedules)).body.items).toEqual([]);
  });

  it.each<[string, string, string, object, number]>([
    ['two times', 'POST', '', { ...nightly, every: '5m' }, 400],
    ['no time', 'POST', '', { id: 'x', prompt: 'Look.' }, 400],
    ['no such write', 'POST', '', { id: 'x', prompt: 'Look.', on: ['explode'] }, 400],
    ['an expression that is none', 'POST', '', { ...nightly, cron: 'soon' }, 400],
    ['one that is not there', 'PATCH', '/none', { enabled: true }, 404],
    ['one that is not there, removed', 'DELETE', '/none', {}, 404],
  ])('%s', async (_, method, path, body, status) => {
    expect(await desk.send(method, `${schedules}${path}`, body, { as: 'operates' })).toMatchObject({
      status,
      body: { error: { message: expect.any(String) } },
    });
  });
});

describe('tokens', () => {
  it('of a reader is made by an operator, told once, opens the interface, and opens nothing once it is gone', async () => {
    const made = await desk.send(
      'POST',
      '/tokens',
      { name: 'ann', role: 'reader' },
      { as: 'operates', key: 'k1' },
    );
    expect(made).toMatchObject({ status: 201, body: { name: 'ann', allow: 'read-only', author: false } });
    const { token } = made.body;
    expect((await desk.get('/session', token)).body).toMatchObject({ role: 'reader', name: 'ann' });
    expect(JSON.stringify((await desk.get('/tokens', 'operates')).body)).not.toContain(token);
    // What was answered is kept with no key: the same again is another one of that name.
    const again = await desk.send(
      'POST',
      '/tokens',
      { name: 'ann', role: 'reader' },
      { as: 'operates', key: 'k1' },
    );
    expect([again.status, JSON.stringify(again.body).includes(token)]).toEqual([400, false]);
    expect(await desk.send('DELETE', '/tokens/ann', {}, { as: 'operates' })).toMatchObject({ status: 200 });
    expect((await desk.get('/session', token)).status).toBe(401);
    expect((await desk.send('DELETE', '/tokens/ann', {}, { as: 'operates' })).status).toBe(404);
  });

  it('for alerts is of another place than one of the workspace', async () => {
    const made = await desk.send(
      'POST',
      '/tokens',
      { name: 'pd', alerts: true, sender: 'pagerduty' },
      { as: 'operates' },
    );
    expect(made).toMatchObject({ status: 201, body: { alerts: true, sender: 'pagerduty', workspace: null } });
    expect((await desk.send('DELETE', '/tokens/pd', {}, { as: 'operates' })).status).toBe(404);
    expect((await desk.send('DELETE', '/tokens/pd?alerts=true', {}, { as: 'operates' })).status).toBe(200);
    const wrong = { name: 'x', alerts: true, sender: 'nagios' };
    expect((await desk.send('POST', '/tokens', wrong, { as: 'operates' })).status).toBe(400);
  });

  it.each<[object, string, number]>([
    [{ role: 'author' }, 'operates', 403],
    [{ role: 'author' }, 'decides', 201],
    [{ role: 'operator' }, 'operates', 201],
    [{ allow: 'agent' }, 'operates', 403],
    [{ allow: 'external' }, 'operates', 403],
    [{ allow: 'agent' }, 'decides', 201],
    [{ allow: 'owner' }, 'decides', 400],
    [{ role: 'reader', allow: 'agent' }, 'decides', 400],
    [{ role: 'reader' }, 'reads', 403],
  ])('%j is made by a token that %s: %i', async (use, as, status) => {
    expect((await desk.send('POST', '/tokens', { name: 'one', ...use }, { as })).status).toBe(status);
  });

  it('of the author is not taken away by an operator', async () => {
    await desk.send('POST', '/tokens', { name: 'vera', role: 'author' });
    expect((await desk.send('DELETE', '/tokens/vera', {}, { as: 'operates' })).status).toBe(403);
    expect((await desk.send('DELETE', '/tokens/vera', {})).status).toBe(200);
  });
});

it('what would go is shown, and goes when it is asked for', async () => {
  const shown = await desk.get('/prune', 'operates');
  expect(shown).toMatchObject({ status: 200, body: { removed: false } });
  await desk.get('/prune?keep=3', 'operates');
  const done = await desk.send('POST', '/prune', { older_than: '12h', keep: 5 }, { as: 'operates' });
  expect(done).toMatchObject({ status: 200, body: { removed: true } });
  const day = 24 * 60 * 60_000;
  expect(desk.prunes.map(({ terms, remove }) => [terms.olderThan, terms.keep, remove])).toEqual([
    [30 * day, 0, false],
    [null, 3, false],
    [day / 2, 5, true],
  ]);
  expect((await desk.send('POST', '/prune', { older_than: 'ever' }, { as: 'operates' })).status).toBe(400);
  expect((await desk.get('/prune', 'reads')).status).toBe(403);
});

it('an operator begins, ends and resumes incidents, and no question', async () => {
  const begun = await desk.send(
    'POST',
    '/runs',
    { shape: 'incident', params: { alert: 'It burns' } },
    { as: 'operates' },
  );
  expect(begun.status).toBe(202);
  const ask = { shape: 'investigate', params: { question: 'Why?' } };
  expect((await desk.send('POST', '/runs', ask, { as: 'operates' })).status).toBe(403);
  await desk.run('turn', researchEvents.slice(0, 4));
  await desk.run('burning', incidentEvents.slice(0, 3), desk.own);
  for (const act of ['cancel', 'resume'])
    expect((await desk.send('POST', `/runs/turn/${act}`, {}, { as: 'operates' })).status).toBe(403);
  expect((await desk.send('POST', '/runs/burning/resume', {}, { as: 'operates' })).status).toBe(202);
});

it('what is remembered is put, found, decided on, forgotten and erased by its owner', async () => {
  const at = '/workspaces/notes/memory';
  const put = await desk.send('POST', at, { key: 'tone', text: 'Short.' });
  expect(put).toMatchObject({ status: 201, body: { change: 'created' } });
  await desk.send('POST', at, { tier: 'conversation', thread: 't1', key: 'tea', text: 'Green.' });
  expect((await desk.send('POST', at, { tier: 'conversation', key: 'x', text: 'y' })).status).toBe(400);
  const keysOf = async (query: string) =>
    (await desk.get(`${at}${query}`)).body.items.map(({ key }: { key: string }) => key);
  expect(await keysOf('?tier=workspace')).toEqual(['tone']);
  expect(await keysOf('?match=green')).toEqual(['tea']);
  desk.memory
    .viewFrom({ thread: null, channel: null })
    .put(
      { tier: 'account', key: 'name', text: 'Vera.' },
      { writer: 'agent planner', idempotencyKey: null, origins: ['web'] },
    );
  const decide = (key: string) => desk.send('POST', `${at}/decision`, { key, accept: true });
  expect(await decide('name')).toMatchObject({ status: 200, body: { accepted: true } });
  expect((await decide('none')).status).toBe(404);
  expect(await desk.send('DELETE', `${at}?key=tone`, {})).toMatchObject({
    status: 200,
    body: { id: put.body.id },
  });
  expect((await desk.send('POST', `${at}/scrub`, { match: 'Green' })).status).toBe(400);
  const scrubbed = await desk.send('POST', `${at}/scrub`, { match: 'Green', yes: true });
  expect(scrubbed).toMatchObject({ status: 200, body: { deleted: 1 } });
  expect(await keysOf('')).toEqual(['name']);
});
