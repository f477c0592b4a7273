import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Desk, type Json, openDesk } from './testbed.contract.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
  await desk.send('POST', '/threads', { id: 'talk', title: 'Talk' });
});
afterEach(() => desk.close());

const post = (what: string, body: unknown, more: object = {}) =>
  desk.send('POST', `/threads/talk/${what}`, body, more);
const say = (text: string, message_id?: string) =>
  post('messages', { text, ...(message_id && { message_id }) });
const thread = async (id = 'talk') => (await desk.get(`/threads/${id}`)).body;
const messages = async (id = 'talk') => (await desk.get(`/threads/${id}/messages`)).body.items;
const textsOf = async (id = 'talk') =>
  (await messages(id)).filter((one: Json) => one.text !== '').map((one: Json) => `${one.kind}: ${one.text}`);

/** Events of a thread until one for which `isLast` holds, with what the stream gave them as numbers. */
async function follow(
  isLast: (event: Json) => boolean,
  headers: Record<string, string> = {},
  as = 'decides',
) {
  const stop = new AbortController();
  const response = await desk.ask('/threads/talk/events', { headers, signal: stop.signal, as });
  expect(response.status).toBe(200);
  const seen: { id: number | null; event: Json }[] = [];
  let rest = '';
  const decoder = new TextDecoder();
  for await (const piece of response.body!) {
    rest += decoder.decode(piece, { stream: true });
    const whole = rest.split('\n\n');
    rest = whole.pop()!;
    for (const one of whole) {
      const data = /^data: (.*)$/m.exec(one)?.[1];
      if (data === undefined) continue;
      const id = /^id: (\d+)$/m.exec(one)?.[1];
      const { event } = JSON.parse(data);
      seen.push({ id: id === undefined ? null : Number(id), event });
      if (!isLast(event)) continue;
      stop.abort();
      return seen;
    }
  }
  return seen;
}
const ended = (event: Json) => event.kind === 'turn_ended';
/** Until so many turns have ended. */
async function ends(count = 1) {
  let left = count;
  return follow((event) => ended(event) && --left === 0);
}
const isTool = (name: string) => (event: Json) => event.kind === 'tool_started' && event.name === name;

describe('a conversation', () => {
  it('is begun, named, talked in, and says how it stands and what it cost', async () => {
    expect(await thread()).toMatchObject({ title: 'Talk', state: 'idle', last: null, runs: 0 });
    expect(await post('messages', { text: '' })).toMatchObject({ status: 400 });
    expect(await desk.send('POST', '/threads/none/messages', { text: 'x' })).toMatchObject({ status: 404 });
    expect(await say('look around', 'one')).toMatchObject({ status: 202, body: { message_id: 'one' } });
    await ends();
    expect(await say('look around', 'one')).toMatchObject({
      body: { state: 'done', outcome: { status: 'answered', text: 'heard: look around' } },
    });
    expect(await say('look elsewhere', 'one')).toMatchObject({ status: 409 });
    expect(await thread()).toMatchObject({
      state: 'idle',
      runs: 1,
      last: { by: 'agent', text: 'heard: look around' },
      spent: { calls: 2, tokens: expect.any(Number) },
    });
    const { status, body } = await desk.send('PATCH', '/threads/talk', { title: 'Walk' });
    expect([status, body.title]).toEqual([200, 'Walk']);
    const { last_run } = await thread();
    expect(new Set((await messages()).map(({ run }: Json) => run))).toEqual(new Set([last_run]));
    expect((await messages()).map(({ kind }: Json) => kind)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ]);
    expect((await desk.get('/threads', 'reads')).body.items).toMatchObject([{ id: 'talk', questions: 0 }]);
    const run = (await thread()).last_run;
    expect((await desk.get(`/runs/${run}`)).body).toMatchObject({ shape: 'turn', thread: 'talk' });
  });

  it('asks, waits over messages, and takes one answer', async () => {
    await say('ask me');
    const [end] = (await ends()).slice(-1);
    const [question] = end!.event.questions;
    expect(await thread()).toMatchObject({ state: 'interrupted', questions: [{ id: question.id }] });
    expect(await say('something else')).toMatchObject({
      status: 409,
      body: { error: { code: 'run_state' } },
    });
    expect(await post('answers', { question: 'none', value: 'x' })).toMatchObject({ status: 409 });
    expect(await post('answers', { question: question.id, value: 'blue' })).toMatchObject({ status: 202 });
    await ends(2);
    expect(await thread()).toMatchObject({ state: 'idle', questions: [] });
    expect((await messages()).find(({ name }: Json) => name === 'ask_user').text).toContain('blue');
  });

  it('is cancelled, continued, dropped', async () => {
    await say('wait for it');
    await follow(isTool('wait'));
    expect((await thread()).state).toBe('running');
    expect(await post('cancel', {})).toMatchObject({ status: 200, body: { cancelled: true } });
    expect((await thread()).state).toBe('unfinished');
    await post('continue', {});
    await follow(isTool('wait'), { 'last-event-id': '3' });
    await post('cancel', {});
    expect(await post('drop', {})).toMatchObject({ status: 200, body: { state: 'idle' } });
    expect(await post('drop', {})).toMatchObject({ status: 200 });
  });

  it('is steered while it works, and refuses to be where it does not', async () => {
    expect(await post('steer', { text: 'blue ones' })).toMatchObject({ status: 409 });
    await say('wait for it');
    await follow(isTool('wait'));
    expect(await post('steer', { text: 'only the blue ones' })).toMatchObject({ status: 202 });
    desk.agent.release();
    // The turn of the message, and what the queue makes of the same words afterwards: nothing.
    await ends(2);
    expect(await textsOf()).toEqual([
      'user: wait for it',
      expect.stringContaining('tool: '),
      'steer: only the blue ones',
      expect.stringContaining('assistant: heard: '),
    ]);
    expect(desk.agent.prompts().filter((one) => one.includes('only the blue ones'))).toHaveLength(1);
    expect((await thread()).runs).toBe(1);
  });

  it('takes a message back for another', async () => {
    await say('one');
    await ends();
    await say('two');
    await ends(2);
    const [first] = await messages();
    expect(await post('edit', { message: 'none', text: 'x' })).toMatchObject({ status: 404 });
    expect(await post('edit', { message: first.id, text: 'uno' })).toMatchObject({ status: 202 });
    await ends(3);
    expect(await textsOf()).toEqual(['user: uno', 'assistant: heard: uno']);
  });

  it('forks where it stood', async () => {
    await say('one');
    await ends();
    const [place] = (await desk.get('/threads/talk/checkpoints?limit=1')).body.items;
    expect(place).toMatchObject({ messages: 2, end: 'answered', last: { text: 'heard: one' } });
    await say('two');
    await ends(2);
    const { status, body } = await post('fork', { checkpoint: place.id, title: 'Other' });
    expect([status, body.title, body.state]).toEqual([201, 'Other', 'idle']);
    expect(await textsOf(body.id)).toEqual(['user: one', 'assistant: heard: one']);
    expect(await post('fork', { checkpoint: 'none' })).toMatchObject({ status: 404 });
    expect((await desk.get('/threads/talk/checkpoints?limit=200')).body.next).toBeNull();
  });

  it('is talked in by its author alone', async () => {
    for (const as of ['reads', 'operates', 'program'])
      for (const what of ['messages', 'steer', 'edit', 'answers', 'cancel', 'continue', 'drop', 'fork'])
        expect([what, (await post(what, { text: 'x' }, { as })).status]).toEqual([what, 403]);
  });
});

describe('its events', () => {
  it('replay after any of them, each once, in order, with the answer as it comes', async () => {
    await say('look around');
    const first = await ends();
    const kept = first.filter(({ id }) => id !== null);
    expect(kept.map(({ event }) => event.kind)).toEqual([
      'turn_started',
      'tool_started',
      'tool_finished',
      'turn_ended',
    ]);
    expect(kept.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
    for (const { id } of kept.slice(0, -1)) {
      const again = await follow(ended, { 'last-event-id': `${id}` });
      expect(again.filter((one) => one.id !== null)).toEqual(kept.slice(id!));
    }
    expect(await desk.get('/threads/talk/events', 'program')).toMatchObject({ status: 403 });
    expect((await desk.ask('/threads/talk/events', { headers: { 'last-event-id': 'x' } })).status).toBe(400);
  });

  it('say what a call changed and what it read', async () => {
    await say('propose a page');
    const done = (await ends()).find(({ event }) => event.kind === 'tool_finished')!.event;
    expect(done.changes).toMatchObject([
      { path: 'propose a page', before: null, after: 'Proposed.\n', held: false },
    ]);
    await say('look around');
    const looked = (await ends(2)).findLast(({ event }) => event.kind === 'tool_finished')!.event;
    expect(looked.reads).toEqual(['pg-looked']);
  });

  it('hide secrets from those who only look', async () => {
    await say('hunter22secret');
    await ends();
    const seen = async (as: string) => JSON.stringify(await follow(ended, {}, as));
    expect(await seen('reads')).not.toContain('hunter22secret');
    expect(await seen('decides')).toContain('hunter22secret');
  });
});

it('the role and the memory of a conversation are those that its next turn has, told to its owner alone', async () => {
  const { sessions, memory } = desk;
  await sessions.channels.create({ id: 'kitchen' });
  await sessions.threads.create({ id: 'bake', channel: 'kitchen' });
  const by = { writer: 'user vera', idempotencyKey: null };
  const view = memory.viewFrom({ thread: 'bake', channel: 'kitchen' });
  view.put({ tier: 'channel', key: 'oven', text: 'The deck oven.' }, by);
  view.put({ tier: 'workspace', key: 'tone', text: 'Short.' }, by);
  memory
    .viewFrom({ thread: 'other', channel: null })
    .put({ tier: 'conversation', key: 'not', text: 'Not here.' }, by);
  const context = async () => (await desk.get('/threads/bake/context')).body;
  const everywhere = { level: 'workspace', within: '' } as const;
  await sessions.roles.set(everywhere, { content: 'Be kind.', appliesTo: null });
  expect((await context()).roles).toEqual([{ level: 'workspace', text: 'Be kind.' }]);
  await sessions.roles.set(
    { level: 'channel', within: 'kitchen' },
    { content: 'Be a cook.', appliesTo: null },
  );
  await sessions.roles.set(
    { level: 'thread', within: 'bake' },
    { content: 'Be brief.', appliesTo: ['research'] },
  );
  const { roles, memory: found } = await context();
  // What is for other work is not its own.
  expect(roles).toEqual([{ level: 'channel', text: 'Be a cook.' }]);
  expect(found.map(({ tier, items }: Json) => [tier, items.map(({ key }: Json) => key)])).toEqual([
    ['conversation', []],
    ['channel', ['oven']],
    ['workspace', ['tone']],
    ['account', []],
  ]);
  expect((await desk.get('/threads/bake/context', 'operates')).status).toBe(403);
  expect((await desk.get('/threads/none/context')).status).toBe(404);
});
