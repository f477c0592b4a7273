/**
 * Somebody who came in for one team, at a server whose store has runs of others: no route shows one of those, and none
 * answers about them otherwise than about what was never there.
 */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { apiRoutes } from './routes.ts';
import { type Desk, openDesk, researchEvents } from './testbed.contract.ts';

const foreign = 'run-of-others';
const never = 'run-of-nobody';
const question = 'hunter22question';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
  for (const [name, token] of [
    ['author-of-red', { name: 'ann', allow: 'owner', author: true, team: 'red' }],
    ['operator-of-red', { name: 'ops', allow: 'operator', author: false, team: 'red' }],
    ['reader-of-red', { name: 'eve', allow: 'read-only', author: false, team: 'red' }],
    // By a provider, with a scope in place of a team.
    ['signed-in', { name: 'max', allow: 'owner', author: true, team: '' }],
  ] as const)
    desk.tokens.set(name, token);
  await desk.own.runs.create(
    { id: 'run-started', shape: 'research', question, root: '/', params: {} },
    { name: 'user:bob', team: 'blue' },
  );
  const events = researchEvents.map((event) =>
    event.kind === 'run_started' ? { ...event, question } : event,
  );
  await desk.run(foreign, events, desk.own);
  await desk.run('run-here', researchEvents);
});
afterEach(() => desk.close());

/** An address with this run wherever an id may stand. */
const addressOf = (path: string, id: string): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === 'workspace' ? 'notes' : id));

/** Streams stay open: only their beginning counts, and a status says as much. */
const isStream = ({ answer }: (typeof apiRoutes)[number]): boolean => 'media' in answer;

it.each(['author-of-red', 'operator-of-red', 'reader-of-red'])('%s', async (as) => {
  for (const route of apiRoutes) {
    const asked = async (id: string) => {
      const stop = new AbortController();
      const response = await desk.ask(addressOf(route.path, id), {
        ...{ method: route.method.toUpperCase(), as, signal: stop.signal },
        ...(route.method !== 'get' && { body: '{}' }),
      });
      const isOpen = isStream(route) && response.status === 200;
      const text = isOpen ? '' : await response.text();
      stop.abort();
      return { status: response.status, text };
    };
    const [about, other] = [await asked(foreign), await asked(never)];
    const where = `${route.method} ${route.path}`;
    expect(about.status, where).toBe(other.status);
    // Others make something new each time, under an id of its own.
    if (/\{(run|incident)\}/.test(route.path))
      expect(about.text.replaceAll(foreign, never), where).toBe(other.text);
    expect(other.text, where).not.toContain(foreign);
    expect(about.text, where).not.toContain(question);
    expect(about.text, where).not.toContain('run-started');
  }
});

/** What a caller may ask for with a token of their own, were one made. */
const uses = [
  ...['reader', 'operator', 'author'].map((role) => ({ role })),
  ...['external', 'read-only', 'agent'].map((allow) => ({ allow })),
  { alerts: true },
  { alerts: true, sender: 'pagerduty' },
];

it.each(['author-of-red', 'operator-of-red', 'reader-of-red', 'signed-in'])(
  '%s makes no token with which the work of others could be seen, and takes none away',
  async (as) => {
    for (const [n, use] of uses.entries()) {
      const { status, body } = await desk.send('POST', '/tokens', { name: `t${n}`, ...use }, { as });
      if (status === 201) expect((await desk.get(`/runs/${foreign}`, body.token)).status).not.toBe(200);
      expect(status, JSON.stringify(use)).toBe(403);
    }
    await desk.send('POST', '/tokens', { name: 'phone', role: 'reader' });
    await desk.send('POST', '/tokens', { name: 'pager', alerts: true });
    for (const path of ['phone', 'pager?alerts=true', 'none'])
      expect((await desk.send('DELETE', `/tokens/${path}`, {}, { as })).status).toBe(403);
    const seen = await desk.get('/tokens', as);
    expect([seen.status, JSON.stringify(seen.body).includes('phone')]).toEqual([403, false]);
    const kept = (await desk.get('/tokens')).body.items as { readonly name: string }[];
    expect(kept.map(({ name }) => name).toSorted()).toEqual(['pager', 'phone']);
  },
);

it('learns of no token for alerts from the audit', async () => {
  await desk.send('POST', '/tokens', { name: 'pager', alerts: true });
  const rows = async (as?: string) => JSON.stringify((await desk.get('/audit', as)).body);
  expect(await rows()).toContain('pager');
  expect(await rows('operator-of-red')).not.toContain('pager');
});

it('sees the conversations of the workspace, as before', async () => {
  const { body } = await desk.get('/runs', 'author-of-red');
  expect((body as { items: { id: string }[] }).items.map(({ id }) => id)).toEqual(['run-here']);
  expect(((await desk.get('/runs')).body as { items: unknown[] }).items.length).toBe(3);
});

it('does not prune what others have', async () => {
  expect((await desk.send('POST', '/prune', {}, { as: 'author-of-red' })).status).toBe(403);
  expect(desk.prunes).toEqual([]);
});
