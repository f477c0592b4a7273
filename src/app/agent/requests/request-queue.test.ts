/** Which ends count as deaths of the agent over a request, and what waits for what. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { manualClock } from '../../../core/index.ts';
import { type MemoryJobs, memoryQueue } from '../../../store/memory/memory-queue.ts';
import type { AgentEvent, AgentReply } from '../channel/channel.ts';
import type { AgentClient, AgentEventListener, AgentRequest } from '../channel/channel-client.ts';
import { openRequestQueue, type RequestQueue } from './request-queue.ts';
import type { QueuedRequest } from './request-rows.ts';

/** Takes every request, and never comes to an end with it. */
const endless = {
  request: () => new Promise(() => {}),
  onEvent: () => () => {},
  onReply: () => () => {},
} as unknown as AgentClient;

const message: QueuedRequest = { kind: 'message', text: 'x', schedule: null, event: null, limits: null };

function place({ maxTurns }: { readonly maxTurns?: number } = {}) {
  const jobs: MemoryJobs = [];
  const clock = manualClock(1_000_000);
  const open = (isDead = () => false): Promise<RequestQueue> =>
    openRequestQueue({
      queue: memoryQueue({ clock, jobs, isDead }),
      tell: () => {},
      progress: async () => 0,
      ...(maxTurns !== undefined && { maxTurns }),
      issue: () => ({ tools: { url: 'http://127.0.0.1:1', token: 't' }, revoke: () => {} }),
    });
  return { open, clock };
}

const until = async (met: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await met())) await turn();
};

it.each([
  ['died', 1],
  ['ended', 0],
] as const)('an agent that %s: %i deaths, and the request waits for the next one', async (how, deaths) => {
  const { open } = place();
  let gone = false;
  const desk = await open(() => gone);
  await desk.post({ id: 'm', thread: 't', request: message });
  desk.up(endless);
  await until(async () => (await desk.find('m'))?.state === 'running');
  if (how === 'died') {
    desk.down();
    await until(async () => (await desk.find('m'))?.state === 'waiting');
  }
  await desk.close();
  // The process goes, and the host starts again.
  gone = true;
  const next = await open();
  expect(await next.find('m')).toMatchObject({ state: 'waiting', deaths });
  await next.close();
});

it('a host that dies with its agent counts one death, looked at before anything else is done', async () => {
  const { open } = place();
  let gone = false;
  const desk = await open(() => gone);
  await desk.post({ id: 'm', thread: 't', request: message });
  desk.up(endless);
  await until(async () => (await desk.find('m'))?.state === 'running');
  gone = true;
  const next = await open();
  expect(await next.find('m')).toMatchObject({ state: 'waiting', deaths: 1 });
  await desk.close();
  await next.close();
});

/** Answers as it is told to, and ends turns when it is told to. */
function scripted(reply: (request: AgentRequest) => Partial<AgentReply>) {
  const asked: string[] = [];
  /** By thread, the message that began its turn. */
  const begun = new Map<string, string>();
  let hear: AgentEventListener = () => {};
  let hearReply: (reply: AgentReply) => void = () => {};
  const client = {
    request: async (request: AgentRequest, id = '') => {
      if ('thread_id' in request && request.type !== 'steer') begun.set(request.thread_id, id);
      asked.push(`${request.type} ${'message_id' in request ? request.message_id : ''}`.trim());
      return { status: 'ok', error_code: null, message: '', details: {}, ...reply(request) };
    },
    onEvent(listener: AgentEventListener) {
      hear = listener;
      return () => {};
    },
    onReply(listener: typeof hearReply) {
      hearReply = listener;
      return () => {};
    },
  } as unknown as AgentClient;
  const end = (thread: string, text = 'well'): void => {
    const event = { kind: 'turn_ended', run_id: null, status: 'answered', text, questions: [] } as AgentEvent;
    hear(thread, event, begun.get(thread) ?? '');
  };
  const leave = (id: string): void =>
    hearReply({
      ...{ type: 'reply', id, status: 'error', error_code: 'store_away', details: {} },
      message: 'The store does not answer',
    });
  return { client, asked, end, leave };
}

it('a message behind a question waits for its answer, which comes before it, and is sent then', async () => {
  const { open } = place();
  const desk = await open();
  let asks = true;
  const { client, asked, end } = scripted(({ type }) =>
    type === 'start_run' && asks
      ? { status: 'error', error_code: 'run_state', details: { questions: [{ id: 'q' }] } }
      : {},
  );
  const told: string[] = [];
  desk.onEvent(async (_, event) => {
    // Who hears of an end finds it kept.
    if (event.kind === 'turn_ended') told.push(`${(await desk.find('a'))?.state}`);
  });
  desk.up(client);
  await desk.post({ id: 'm', thread: 't', request: message });
  await until(async () => asked.length === 1 && (await desk.find('m'))?.state === 'waiting');
  await desk.post({ id: 'after', thread: 't', request: message });
  await desk.post({ id: 'a', thread: 't', request: { kind: 'answer', question: 'q', value: 1 } });
  await until(() => asked.length === 2);
  asks = false;
  end('t');
  await until(() => asked.length === 3);
  end('t', 'm is done');
  expect(await desk.waitUntilDone('m')).toEqual({ status: 'answered', text: 'm is done' });
  await until(() => asked.length === 4);
  end('t');
  await desk.waitUntilDone('after');
  expect(asked).toEqual(['start_run m', 'resume', 'start_run m', 'start_run after']);
  expect(told[0]).toBe('done');
  await desk.close();
});

it('a turn that is dropped lets the message behind it through', async () => {
  const { open } = place();
  const desk = await open();
  let unfinished = true;
  const { client, asked, end } = scripted(({ type }) => {
    if (type === 'cancel') unfinished = false;
    return type === 'start_run' && unfinished
      ? { status: 'error', error_code: 'run_state', details: { unfinished: true } }
      : {};
  });
  desk.up(client);
  await desk.post({ id: 'm', thread: 't', request: message });
  await until(async () => asked.length === 1 && (await desk.find('m'))?.state === 'waiting');
  await desk.drop('t');
  await until(() => asked.length === 3);
  end('t');
  expect(await desk.waitUntilDone('m')).toMatchObject({ status: 'answered' });
  await desk.close();
});

it('what the agent refuses for good is over, and whoever waits no more is told so', async () => {
  const { open } = place();
  const desk = await open();
  const refused = scripted(() => ({ status: 'error', error_code: 'bad_argument', message: 'odd' }));
  desk.up(refused.client);
  await desk.post({ id: 'm', thread: 't', request: message });
  expect(await desk.waitUntilDone('m')).toEqual({ status: 'refused', text: 'bad_argument: odd' });
  await expect(desk.waitUntilDone('never', AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' });
  await desk.close();
});

it('an agent that has not been there yet is started, not started again', async () => {
  const desk = await place().open();
  const asked = [() => desk.observe('t'), () => desk.cancel('t'), () => desk.drop('t')];
  for (const ask of asked) await expect(ask()).rejects.toThrow(/is being started$/);
  desk.up(endless);
  desk.down();
  for (const ask of asked) await expect(ask()).rejects.toThrow(/is being started again$/);
  await desk.close();
});

it('a turn that the store kept from its beginning or its end is sent again, and ends once', async () => {
  const { open, clock } = place();
  const desk = await open();
  let isAway = true;
  const { client, asked, end, leave } = scripted(() =>
    isAway ? { status: 'error', error_code: 'store_away' } : {},
  );
  const told: string[] = [];
  desk.onEvent((_, { kind }) => void told.push(kind));
  desk.up(client);
  const again = async (times: number): Promise<void> => {
    await until(async () => (await desk.find('m'))?.state === 'waiting');
    clock.advance(1_000);
    desk.wake();
    await until(() => asked.length === times);
  };
  await desk.post({ id: 'm', thread: 't', request: message });
  await until(() => asked.length === 1);
  isAway = false;
  await again(2);
  leave('m');
  await again(3);
  expect(told).toEqual([]);
  end('t');
  expect(await desk.waitUntilDone('m')).toEqual({ status: 'answered', text: 'well' });
  expect(told).toEqual(['turn_ended']);
  expect(await desk.find('m')).toMatchObject({ deaths: 0 });
  await desk.close();
});

it('a turn that the store always keeps from its end fails at last', async () => {
  const { open, clock } = place();
  const desk = await open();
  const { client, asked, leave } = scripted(() => ({}));
  desk.up(client);
  await desk.post({ id: 'm', thread: 't', request: message });
  for (let times = 1; (await desk.find('m'))?.state !== 'done'; times += 1) {
    await until(() => asked.length === times);
    leave('m');
    await until(async () => (await desk.find('m'))?.state !== 'running');
    clock.advance(1_000);
    desk.wake();
  }
  expect(await desk.waitUntilDone('m')).toEqual({ status: 'failed', text: 'The store does not answer' });
  await desk.close();
});

it('of many requests the agent is sent so many at once', async () => {
  const desk = await place({ maxTurns: 2 }).open();
  const { client, asked, end } = scripted(() => ({}));
  desk.up(client);
  for (const n of [1, 2, 3]) await desk.post({ id: `m${n}`, thread: `t${n}`, request: message });
  await until(() => asked.length === 2);
  expect((await desk.find('m3'))?.state).toBe('waiting');
  end('t1');
  await until(() => asked.length === 3);
  await desk.close();
});
