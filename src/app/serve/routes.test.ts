import { expect, it, vi } from 'vitest';
import { SondeError } from '../../core/index.ts';
import type { RequestQueue } from '../agent/requests/request-queue.ts';
import { conversationRoutes } from './routes.ts';

const question = { id: 'q1', value: { text: 'Which?' } };

/** A desk that keeps the first request of an id, as the real one does, and whose question stands meanwhile. */
function routes(path = 'answers', state: 'interrupted' | 'idle' = 'interrupted', thread = 't') {
  const rows = new Map<
    string,
    { id: string; thread: string; request: unknown; state: string; outcome: null }
  >();
  const desk = {
    observe: async () => ({ details: { state, questions: state === 'idle' ? [] : [question], last: null } }),
    knows: (thread: string) => thread === 't',
    cancel: async () => ({ message: 'nothing was running', details: { cancelled: false } }),
    find: (id: string) => rows.get(id) ?? null,
    post(row: { id: string; thread: string; request: unknown }) {
      if (!rows.has(row.id)) rows.set(row.id, { ...row, state: 'waiting', outcome: null });
      return rows.get(row.id)!;
    },
  };
  const serve = conversationRoutes({
    requests: desk as unknown as RequestQueue,
    sessions: { threads: { has: () => false } } as never,
    tokenOf: () => ({ name: 'desk', author: true }) as never,
  });
  return async (value: unknown) => {
    const body = JSON.stringify(path === 'answers' ? { question: 'q1', value } : value);
    const reply = await serve(
      new Request(`http://host/threads/${thread}/${path}`, { method: 'POST', body }),
      {} as never,
      () => true,
    );
    return { status: reply!.status, body: await reply!.json() };
  };
}

it('refuses a second, other answer to a question, and takes the same one again', async () => {
  const answer = routes();
  expect(await answer({ pick: ['a'], note: 'x' })).toMatchObject({ status: 202 });
  expect(await answer({ note: 'x', pick: ['a'] })).toMatchObject({ status: 202 });
  for (const other of [{ pick: ['b'], note: 'x' }, 'a', null])
    expect(await answer(other)).toMatchObject({
      status: 409,
      body: { error_code: 'run_state', details: { value: { pick: ['a'], note: 'x' } } },
    });
});

it('refuses another text under the id of a message, and takes the same one again', async () => {
  const post = routes('messages', 'idle');
  const first = { text: 'Paint it.', message_id: 'm' };
  expect(await post(first)).toMatchObject({ status: 202 });
  expect(await post(first)).toMatchObject({ status: 202 });
  expect(await post({ ...first, text: 'Burn it.' })).toMatchObject({
    status: 409,
    body: { error_code: 'run_state', message: expect.stringContaining('another text') },
  });
});

it.each(['cancel', 'continue', 'drop', 'answers'])(
  '%s of a thread that nobody began is not found',
  async (path) => {
    expect(await routes(path, 'interrupted', 'none')(0)).toMatchObject({
      status: 404,
      body: { error_code: 'not_found', message: expect.stringContaining('none') },
    });
  },
);

it('says whether anything was cancelled', async () => {
  expect(await routes('cancel')(0)).toMatchObject({
    status: 200,
    body: { message: 'nothing was running', details: { cancelled: false } },
  });
});

it('says when to come again while the agent is away, and of nothing else', async () => {
  const asked = async (code: 'tool_failed' | 'internal') => {
    const observe = () => Promise.reject(new SondeError(code, { message: 'The agent starts' }));
    const serve = conversationRoutes({
      requests: { observe, knows: () => true } as unknown as RequestQueue,
      sessions: { threads: { has: () => true } } as never,
      tokenOf: () => ({ name: 'desk', author: true }) as never,
    });
    const reply = await serve(
      new Request('http://host/threads/t', { method: 'GET' }),
      {} as never,
      () => true,
    );
    return [reply!.status, reply!.headers.get('retry-after')];
  };
  expect([await asked('tool_failed'), await asked('internal')]).toEqual([
    [503, '5'],
    [500, null],
  ]);
});

it('a stream of events ends once its token is of no use', async () => {
  vi.useFakeTimers();
  const off = vi.fn();
  const serve = conversationRoutes({
    requests: { onEvent: () => off } as unknown as RequestQueue,
    sessions: {} as never,
    tokenOf: () => ({ name: 'desk', author: true }) as never,
  });
  const mayListen = vi.fn(() => true);
  const reply = await serve(new Request('http://host/threads/t/events'), {} as never, mayListen);
  const text = reply!.text();
  vi.advanceTimersByTime(3_000);
  expect([off.mock.calls.length, mayListen.mock.calls.length]).toEqual([0, 3]);
  mayListen.mockReturnValue(false);
  vi.advanceTimersByTime(1_000);
  expect(await text).toBe(': there\n\n');
  expect(off).toHaveBeenCalledOnce();
  vi.useRealTimers();
});
