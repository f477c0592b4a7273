/**
 * What every way of reaching an agent must do. A transport's own test calls `channelContract` with a factory: an agent
 * over a fresh workspace, whose planner is `talker` behind a server.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentEvent, AgentReply } from './channel.ts';
import type { AgentClient, AgentRequest } from './channel-client.ts';

export interface ChannelPlace {
  readonly client: AgentClient;
  /** The address of the tools, sent with a message that starts a turn; undefined if they are in the same process. */
  readonly tools: () => { readonly url: string; readonly token: string } | undefined;
  /** All prompts that the model has received. */
  readonly prompts: () => readonly string[];
  close(): Promise<void>;
}

const decision = (text: string, ...calls: { name: string; args: object }[]): string =>
  JSON.stringify({ text, calls: calls.map(({ name, args }) => ({ name, args: JSON.stringify(args) })) });

let slowGate = Promise.withResolvers<void>();
let slowPrompts = 0;

/** Holds back answers to prompts that start with `slow` until `letGo`, so that tests do not depend on timing. */
export const slowAnswers = {
  hold(): void {
    slowGate = Promise.withResolvers<void>();
    slowPrompts = 0;
  },
  release: (): void => slowGate.resolve(),
  /** Resolves when this many slow prompts have arrived. */
  async waitForPrompts(count = 1): Promise<void> {
    while (slowPrompts < count) await sleep(5);
  },
};

/** The scripted model: its reply depends on the person's last message and on tool results after it. */
export async function scriptedReply(prompt: string): Promise<string> {
  const [lastPrompt = '', ...results] = prompt.split('## The person\n').at(-1)!.split('\n## ');
  const resultText = results.join('\n## ');
  if (lastPrompt.startsWith('slow')) {
    slowPrompts += 1;
    await slowGate.promise;
  }
  if (lastPrompt.startsWith('look') && !resultText.includes('search_pages ('))
    return decision('', { name: 'search_pages', args: { query: 'lighthouse' } });
  if (lastPrompt.startsWith('look')) return decision(`found ${resultText.includes('Lighthouse')}`);
  const answer = /\n## The person \([^)]*\)\n(.*)/.exec(prompt)?.[1];
  if (lastPrompt.startsWith('ask') && answer === undefined)
    return decision('', { name: 'ask_user', args: { question: 'Which one?' } });
  if (lastPrompt.startsWith('ask')) return decision(`you chose ${answer}`);
  return decision(`heard: ${lastPrompt.split('\n', 1)[0]}`);
}

export function channelContract(name: string, open: () => Promise<ChannelPlace>): void {
  describe(`agent-event channel: ${name}`, () => {
    let place: ChannelPlace;
    let events: { thread: string; event: AgentEvent }[];
    let replies: AgentReply[];

    beforeEach(async () => {
      slowAnswers.hold();
      place = await open();
      events = [];
      replies = [];
      place.client.onEvent((thread, event) => events.push({ thread, event }));
      place.client.onReply((reply) => replies.push(reply));
      await place.client.ready;
    });
    afterEach(async () => {
      slowAnswers.release();
      await place.close();
    });

    const withTools = () => {
      const tools = place.tools();
      return tools === undefined ? {} : { tools };
    };
    const start = (thread_id: string, prompt: string, message_id = `${thread_id} ${prompt}`) =>
      place.client.request({ type: 'start_run', thread_id, prompt, message_id, ...withTools() });
    const resume = (thread_id: string, answer?: { question: string; value: string }) =>
      place.client.request({ type: 'resume', thread_id, ...withTools(), ...(answer && { answer }) });

    /** The n-th end of a turn in a thread. */
    async function waitForEnd(thread: string, nth = 0) {
      for (;;) {
        const ends = events.flatMap(({ thread: eventThread, event }) =>
          eventThread === thread && event.kind === 'turn_ended' ? [event] : [],
        );
        if (ends[nth] !== undefined) return ends[nth];
        await sleep(5);
      }
    }
    async function waitForReply(count: number) {
      while (replies.length < count) await sleep(5);
      return replies.at(-1)!;
    }

    // world.md: IPC surface 1, 6.
    it('carries a turn: its start, its tools, its end, all with the thread that was named', async () => {
      expect(await start('one', 'look for it')).toMatchObject({ status: 'ok', error_code: null });
      expect(await waitForEnd('one')).toMatchObject({
        status: 'answered',
        text: 'found true',
        questions: [],
      });
      expect(new Set(events.map(({ thread }) => thread))).toEqual(new Set(['one']));
      const kinds = events.map(({ event }) => event.kind).filter((kind) => kind !== 'budget');
      // A text may come in several pieces.
      expect(kinds.filter((kind, at) => kind !== 'text' || kinds[at - 1] !== 'text')).toEqual([
        'turn_started',
        'tool_started',
        'tool_finished',
        'text',
        'turn_ended',
      ]);
    });

    // world.md: Session graph 2.
    it('shows the first call only what the person said', async () => {
      await start('one', 'look for it');
      await waitForEnd('one');
      expect(place.prompts()[0]).toContain('## The person\nlook for it');
      expect(place.prompts()[0]).not.toContain('Lighthouse');
    });

    // world.md: IPC surface 2, 3.
    it.each<[string, unknown]>([
      ['a call of a tool', { type: 'tool_call', id: 'x', thread_id: 'one', name: 'create_page', args: {} }],
      ['another kind of call', { type: 'tools/call', id: 'x', params: { name: 'create_page' } }],
      ['task()', { type: 'task', id: 'x', shape: 'research', params: {} }],
    ])('does not know %s', async (_, message) => {
      place.client.sendRaw(message);
      expect(await waitForReply(1)).toMatchObject({
        id: 'x',
        status: 'error',
        error_code: 'unknown_message',
      });
      expect(events).toEqual([]);
    });

    // world.md: IPC surface 8.
    it.each<[string, unknown]>([
      ['nothing', null],
      ['a text', 'start_run'],
      ['a number', 7],
      ['a list', [{ type: 'cancel' }]],
      ['no type', { id: 'x', thread_id: 'one' }],
      ['a type that is no text', { type: 7, id: 'x' }],
      ['no thread', { type: 'start_run', id: 'x', message_id: 'm', prompt: 'p' }],
      ['an empty prompt', { type: 'start_run', id: 'x', thread_id: 'a', message_id: 'm', prompt: ' ' }],
      ['a thread that is a path', { type: 'cancel', id: 'x', thread_id: '../a' }],
      ['a field too many', { type: 'cancel', id: 'x', thread_id: 'a', tool: 'create_page' }],
      ['a very long name', { type: 'cancel', id: 'x', thread_id: 'a'.repeat(10_000) }],
      ['__proto__', JSON.parse('{"type":"cancel","id":"x","thread_id":"a","__proto__":{"a":1},"b":1}')],
    ])('answers %s with an error, and goes on', async (_, message) => {
      place.client.sendRaw(message);
      expect(await waitForReply(1)).toMatchObject({ status: 'error', error_code: 'malformed_message' });
      expect(events).toEqual([]);
      expect(await place.client.request({ type: 'lifecycle', command: 'ping' })).toMatchObject({
        status: 'ok',
        details: { running: [] },
      });
    });

    // world.md: IPC surface 5; Session graph 9.
    it('brings the question out and the answer in', async () => {
      await start('one', 'ask me');
      const { status, questions } = await waitForEnd('one');
      expect({ status, questions }).toMatchObject({
        status: 'interrupted',
        questions: [{ value: { question: 'Which one?' } }],
      });
      await resume('one', { question: questions[0]!.id, value: 'the red' });
      expect(await waitForEnd('one', 1)).toMatchObject({ status: 'answered', text: 'you chose the red' });
      // The same answer again, as one who did not hear the end would send it.
      await resume('one', { question: questions[0]!.id, value: 'the blue' });
      expect(await waitForEnd('one', 2)).toMatchObject({ status: 'answered', text: 'you chose the red' });
    });

    it('says so where a start would talk past a question, and keeps it', async () => {
      await start('one', 'ask me');
      const { questions } = await waitForEnd('one');
      expect(await start('one', 'something else')).toMatchObject({
        status: 'error',
        error_code: 'run_state',
        details: { questions },
      });
      expect(await place.client.request({ type: 'observe', thread_id: 'one' })).toMatchObject({
        status: 'ok',
        details: { state: 'interrupted', questions, last: { by: 'person', text: 'ask me' } },
      });
      // The same start again is no other: it ends where it stands.
      await start('one', 'ask me');
      expect(await waitForEnd('one', 1)).toMatchObject({ status: 'interrupted', questions });
    });

    it('cancels, and goes on later', async () => {
      await start('one', 'slow thing');
      await slowAnswers.waitForPrompts();
      expect(await place.client.request({ type: 'cancel', thread_id: 'one' })).toMatchObject({
        details: { cancelled: true },
      });
      expect(await waitForEnd('one')).toMatchObject({ status: 'cancelled' });
      expect(await place.client.request({ type: 'observe', thread_id: 'one' })).toMatchObject({
        details: { state: 'unfinished' },
      });
      slowAnswers.release();
      await resume('one');
      expect(await waitForEnd('one', 1)).toMatchObject({ status: 'answered', text: 'heard: slow thing' });
    });

    it('goes on with the next message after a cancel, without a word about it', async () => {
      await start('one', 'slow thing');
      await slowAnswers.waitForPrompts();
      await place.client.request({ type: 'cancel', thread_id: 'one' });
      await waitForEnd('one');
      expect(await start('one', 'another thing')).toMatchObject({ status: 'ok' });
      expect(await waitForEnd('one', 1)).toMatchObject({ status: 'answered', text: 'heard: another thing' });
      // What was said before is still there.
      expect(place.prompts().at(-1)).toContain('slow thing');
    });

    // world.md: Session graph 10, 11, 14.
    it.each([
      ['that runs', 'slow thing', 'cancelled'],
      ['that waits for an answer', 'ask me', 'interrupted'],
    ])('gives up a turn %s, and takes another message', async (_, prompt, before) => {
      const drop = () => place.client.request({ type: 'cancel', thread_id: 'one', drop: true });
      expect(await drop()).toMatchObject({ status: 'error', error_code: 'not_found' });
      await start('one', prompt);
      if (before === 'interrupted') await waitForEnd('one');
      else await slowAnswers.waitForPrompts();
      expect(await drop()).toMatchObject({ status: 'ok', details: { dropped: true } });
      expect(await waitForEnd('one')).toMatchObject({ status: before });
      expect(await waitForEnd('one', 1)).toMatchObject({ status: 'dropped', questions: [] });
      expect(await place.client.request({ type: 'observe', thread_id: 'one' })).toMatchObject({
        details: { state: 'idle', questions: [] },
      });
      await start('one', 'another thing');
      expect(await waitForEnd('one', 2)).toMatchObject({ status: 'answered', text: 'heard: another thing' });
      expect(await drop()).toMatchObject({ status: 'error', error_code: 'run_state' });
    });

    it('starts one turn for one message, and one at a time in a thread', async () => {
      const [first, second] = await Promise.all([start('one', 'slow thing'), start('one', 'slow thing')]);
      expect([first.status, second.status]).toEqual(['ok', 'error']);
      expect(second).toMatchObject({ error_code: 'run_state', details: { busy: true } });
      slowAnswers.release();
      await waitForEnd('one');
      const asked = place.prompts().length;
      await start('one', 'slow thing');
      expect(await waitForEnd('one', 1)).toMatchObject({ status: 'answered' });
      expect(place.prompts().length).toBe(asked);
    });

    it('keeps two threads apart', async () => {
      await Promise.all([start('one', 'slow red'), start('two', 'slow blue')]);
      await slowAnswers.waitForPrompts(2);
      slowAnswers.release();
      const ends = await Promise.all([waitForEnd('one'), waitForEnd('two')]);
      expect(ends.map(({ text }) => text)).toEqual(['heard: slow red', 'heard: slow blue']);
      expect(
        place.prompts().filter((prompt) => prompt.includes('slow red') && prompt.includes('slow blue')),
      ).toEqual([]);
    });

    // world.md: IPC surface 7.
    it('starts a turn for an event of the workspace', async () => {
      const request: AgentRequest = {
        type: 'workspace_event',
        thread_id: 'watch',
        message_id: 'wr-1',
        prompt: 'look at what came',
        event: { id: 'wr-1', name: 'create_page', payload: { content_ids: ['pg-1'] } },
        ...withTools(),
      };
      expect(await place.client.request(request)).toMatchObject({ status: 'ok' });
      await waitForEnd('watch');
      expect(place.prompts()[0]).toContain('look at what came\n\n(create_page: {"content_ids":["pg-1"]})');
    });

    it('says that a thread is not there', async () => {
      expect(await resume('nobody')).toMatchObject({ status: 'error', error_code: 'not_found' });
      expect(await place.client.request({ type: 'observe', thread_id: 'nobody' })).toMatchObject({
        details: { state: 'unknown' },
      });
    });

    it('ends when it is told to, and leaves what it was at', async () => {
      await start('one', 'slow thing');
      expect(await place.client.request({ type: 'lifecycle', command: 'shutdown' })).toMatchObject({
        status: 'ok',
      });
      expect(await waitForEnd('one')).toMatchObject({ status: 'cancelled' });
    });
  });
}
