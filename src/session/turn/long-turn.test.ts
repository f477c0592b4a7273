/** One turn whose results of tools are more than the planner's context window holds: it goes on, or says why not. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { manualClock, toolReply } from '../../core/index.ts';
import { countTokens, type Model, type ScriptLine, scriptedModel } from '../../model/index.ts';
import { type Database, openDatabase, openSessionsIn, openStoreIn } from '../../store/index.ts';
import { type ScriptedTools, scriptedTools } from '../../tools/scripted.ts';
import { removeBlocks } from '../boundary/planted-orders.contract.ts';
import { readThread } from './thread-state.ts';
import { runTurn, type TurnPorts } from './turn.ts';
import type { TurnInput } from './turn-start.ts';

let db: Database;
beforeEach(() => {
  db = openDatabase({ path: ':memory:', schemas: [], busyMs: 1000 });
});
afterEach(() => db.close());

const contextWindow = 30_000;
/** Some 8,000 tokens, with a mark at the beginning and one at the end. */
const long = (name: string): string =>
  `<first ${name}>\n${'The tide comes in and goes out.\n'.repeat(1_000)}<last ${name}>\n`;
const call = (name: string, args: object) => ({ name, args: JSON.stringify(args) });
const read = (...pages: readonly string[]) => ({
  text: '',
  calls: pages.map((page) => call('read', { page })),
});

type Decide = (prompt: string, nth: number) => ScriptLine;

function talk(decide: Decide, more: Partial<TurnPorts> = {}) {
  const prompts: string[] = [];
  /** As a provider does: what is too long is refused, and not answered. */
  const model = (window: number): Model => ({
    ...scriptedModel(({ messages }) => {
      const prompt = messages.map(({ text }) => text).join('\n');
      if (countTokens(prompt) > window) return { failure: 'context_overflow' };
      prompts.push(prompt);
      return decide(prompt, prompts.length - 1);
    }),
    contextWindow,
  });
  const tools: ScriptedTools = scriptedTools({
    read: ({ args }) => toolReply(long(String(args['page'])), null),
    note: () => toolReply('noted', null),
  });
  const sessions = openSessionsIn(db);
  const store = openStoreIn(db);
  const ports = (window: number): TurnPorts => ({
    sessions,
    store,
    planner: model(window),
    analyst: scriptedModel([]),
    tools,
    limits: { tokens: 10_000_000 },
    clock: manualClock(1),
    random: () => 0.5,
    sleep: async () => {},
    ...more,
  });
  return {
    prompts,
    tools,
    store,
    turn: (input: TurnInput | string, window = contextWindow) =>
      runTurn(
        'talk',
        typeof input === 'string' ? { kind: 'message', id: input, text: input } : input,
        ports(window),
      ),
    state: () => readThread('talk', sessions.checkpoints),
  };
}

describe('a turn that reads more than the window holds', () => {
  it('goes on: what was seen longest ago gives way, says how to see it again, and stays in the history', async () => {
    const pages = Array.from({ length: 10 }, (_, n) => `p${n}`);
    const { turn, prompts, tools, state } = talk((_, nth) =>
      nth < pages.length ? read(pages[nth]!) : { text: 'read all', calls: [] },
    );
    expect(await turn('read them all')).toMatchObject({ status: 'answered', text: 'read all' });
    expect(prompts).toHaveLength(pages.length + 1);
    for (const [nth, prompt] of prompts.entries()) {
      if (nth === 0) continue;
      // What has just been read is there, and whole.
      expect(prompt).toContain(`<last p${nth - 1}>`);
      expect(prompt).toContain('read them all');
      for (const page of pages.slice(0, nth))
        expect([
          page,
          prompt.includes(`<last ${page}>`) || prompt.includes('Make the same call to see it again'),
        ]).toEqual([page, true]);
    }
    expect(prompts.at(-1)).not.toContain('<first p0>');
    expect(tools.calls).toHaveLength(pages.length);
    const { messages } = await state();
    for (const page of pages) expect(JSON.stringify(messages)).toContain(`<last ${page}>`);
  });

  it('can see again what gave way', async () => {
    const { turn, prompts } = talk((_, nth) =>
      nth < 5 ? read(`p${nth}`) : nth === 5 ? read('p0') : { text: 'seen', calls: [] },
    );
    expect(await turn('go')).toMatchObject({ status: 'answered' });
    expect(prompts[5]).not.toContain('<last p0>');
    expect(prompts[6]).toContain('<last p0>');
  });

  it('is shown the beginnings of what it asked for at once, in marked blocks, where all of it is too much', async () => {
    const pages = Array.from({ length: 8 }, (_, n) => `p${n}`);
    const { turn, prompts } = talk((_, nth) =>
      nth === 0
        ? { text: '', calls: [...read(...pages).calls, call('note', {})] }
        : { text: 'enough', calls: [] },
    );
    expect(await turn('go')).toMatchObject({ status: 'answered', text: 'enough' });
    const [, shown = ''] = prompts;
    for (const page of pages) expect(shown).toContain(`<first ${page}>`);
    expect(shown.match(/Cut to make room: \d+ of \d+ characters/g)).toHaveLength(pages.length);
    expect(shown).toContain('noted');
    expect(removeBlocks(shown)).not.toContain('The tide');
  });

  it('is shown once what it asked for twice, while that stands there', async () => {
    const { turn, prompts } = talk((_, nth) =>
      nth === 0
        ? read('p0', 'p0')
        : nth === 1 || nth === 5
          ? read('p0')
          : nth < 5
            ? read(`p${nth}`)
            : { text: 'seen', calls: [] },
    );
    expect(await turn('go')).toMatchObject({ status: 'answered' });
    const times = (prompt = '') => [
      prompt.split('<last p0>').length - 1,
      prompt.split('The same as before').length - 1,
    ];
    expect(times(prompts[1])).toEqual([1, 1]);
    expect(times(prompts[2])).toEqual([1, 2]);
    // It gave way meanwhile.
    expect(prompts[5]).not.toContain('<last p0>');
    expect(prompts[6]).toContain('<last p0>');
  });

  it('is shown no more than its turn can pay for, and the next turn goes on', async () => {
    const pages = Array.from({ length: 8 }, (_, n) => `p${n}`);
    const limits = { tokens: 30_000 };
    const large = (script: Decide, prompts: string[] = []): Partial<TurnPorts> => ({
      limits,
      planner: scriptedModel(({ messages }) => {
        prompts.push(messages.map(({ text }) => text).join('\n'));
        return script(prompts.at(-1)!, prompts.length - 1);
      }),
    });
    const shown: string[] = [];
    const first = talk(
      () => '',
      large((_, nth) => (nth === 0 ? read(...pages) : { text: 'enough', calls: [] }), shown),
    );
    expect(await first.turn('go')).toMatchObject({ status: 'answered', text: 'enough' });
    expect(shown[1]!.match(/Cut to make room/g)).toHaveLength(pages.length);
    const next = talk(
      () => '',
      large(() => ({ text: 'yes', calls: [] })),
    );
    expect(await next.turn('and now')).toMatchObject({ status: 'answered', text: 'yes' });
  });

  it('is shown the same where a turn is taken up again', async () => {
    const { turn, prompts } = talk((_, nth) => (nth < 5 ? read(`p${nth}`) : { failure: 'auth' }));
    expect(await turn('go')).toMatchObject({ status: 'failed' });
    const again = talk(() => ({ text: 'done', calls: [] }));
    expect(await again.turn({ kind: 'continue' })).toMatchObject({ status: 'answered', text: 'done' });
    const conversation = (prompt = '') => prompt.slice(prompt.indexOf('\ngo\n'));
    expect(conversation(again.prompts[0])).toBe(conversation(prompts.at(-1)));
    expect(again.prompts[0]).toContain('Left out to make room');
  });
});

describe('a model that takes less than it was said to', () => {
  it('is shown half as much, until it fits', async () => {
    const { turn, prompts, store } = talk((_, nth) =>
      nth < 3 ? read(`p${nth}`) : { text: 'done', calls: [] },
    );
    expect(await turn('go', 14_000)).toMatchObject({ status: 'answered', text: 'done' });
    expect(prompts.at(-1)).toContain('<first p2>');
    const [run] = await store.runs.list();
    const refused = (await store.events(run!.id)).filter(({ event }) => event.kind === 'model_failed');
    expect(refused.length).toBeGreaterThan(0);
  });
});

describe('a conversation in which nothing can give way', () => {
  const words = `${'many words of the person '.repeat(9_000)}`;

  it('fails with what it takes and what there is, before anything is sent, and can be gone on with', async () => {
    const { turn, prompts, state, store } = talk(() => ({ text: 'all of it', calls: [] }));
    const ended = await turn(words);
    expect(ended).toMatchObject({
      status: 'failed',
      text: expect.stringMatching(/The conversation has \d+ tokens, where the planner takes 30000 at once/),
    });
    expect(prompts).toEqual([]);
    expect((await store.accounts.balance(ended.run)).spent.tokens).toBe(0);
    expect(await state()).toMatchObject({ unfinished: true });
    // Again, with a model that takes more: the same turn, from where it was.
    const larger = { ...scriptedModel([{ text: 'all of it', calls: [] }]), contextWindow: 1_000_000 };
    const again = talk(() => ({ text: '', calls: [] }), { planner: larger });
    expect(await again.turn({ kind: 'continue' })).toMatchObject({
      status: 'answered',
      text: 'all of it',
      run: ended.run,
    });
  });
});
