/** Turns as steps: what they cost, what is recorded of them, and that a death changes nothing. */
import { afterEach, describe, expect, it } from 'vitest';
import { manualClock, type RunEvent } from '../../core/index.ts';
import { failure } from '../call/failure.ts';
import type { Model } from '../model.ts';
import { scriptedModel } from '../scripted.ts';
import { runCalls } from './calls.ts';
import { newDialogue, tools } from './dialogue.contract.ts';
import {
  addEntries,
  addNote,
  beginDialogue,
  type Call,
  callsOf,
  type Dialogue,
  type Result,
  uncut,
} from './dialogue.ts';
import { Death, type MemoryRun, memoryRun, memoryStep } from './memory-step.contract.ts';
import type { PlayedTurn } from './played-turn.contract.ts';
import type { DialogueReply } from './reply.ts';
import { requestTurn, type TurnOptions } from './turn.ts';
import { requestTurnInWindow } from './turn-in-window.ts';
import { openWire, type Wire } from './wires.contract.ts';

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const options = (more: Partial<TurnOptions> = {}): TurnOptions => ({
  number: 1,
  name: 'research',
  scope: 'run-1',
  maxOutputTokens: 1_000,
  timeoutMs: 20_000,
  clock: manualClock(0),
  random: () => 0,
  sleep: async () => {},
  ...more,
});

const usage = { input: 1_000, output: 100, cacheRead: 800, cacheWrite: 100, estimated: false };
const priced = (model: Model): Model => ({ ...model, name: 'anthropic:claude-sonnet-4-6', local: false });
const events = (run: MemoryRun) => [...run.log.values()].map(({ kind }: RunEvent) => kind);

describe('a turn', () => {
  it('is reserved as if nothing were cached, settled at what was reported; what was read counts as a tenth', async () => {
    const run = memoryRun();
    const model = priced(scriptedModel([{ text: 'It is here.', usage }]));
    const turned = await requestTurn(memoryStep(run), 'round-1', model, newDialogue(), options());
    expect(turned).toMatchObject({ kind: 'replied', recalled: false, reply: { stop: 'end' } });
    expect(run.spent).toMatchObject({ tokens: 100 + 100 + 100 + 80, calls: 1 });
    expect(run.spent.usd).toBeCloseTo((100 * 3 + 800 * 0.3 + 100 * 3.75 + 100 * 15) / 1e6, 9);
    const [reserved] = run.reserved;
    const input = (reserved?.tokens ?? 0) - 1_000;
    expect(reserved?.usd).toBeCloseTo((input * 3.75 + 1_000 * 15) / 1e6, 9);
    expect(events(run)).toEqual(['model_called', 'model_replied']);
  });

  it('is recalled without a call, also in its own process', async () => {
    const run = memoryRun();
    const model = scriptedModel(['once']);
    const first = await requestTurn(memoryStep(run), 'round-1', model, newDialogue(), options());
    const again = await requestTurn(memoryStep(run), 'round-1', scriptedModel([]), newDialogue(), options());
    expect(again).toEqual({ ...first, recalled: true });
    expect(run.spent.calls).toBe(1);
  });

  it('what may be thought is reserved with the output limit', async () => {
    const run = memoryRun();
    await requestTurn(
      memoryStep(run),
      'a',
      { ...scriptedModel(['x']), thinking: 0 },
      newDialogue(),
      options(),
    );
    await requestTurn(
      memoryStep(run),
      'b',
      { ...scriptedModel(['x']), thinking: 4_096 },
      newDialogue(),
      options(),
    );
    const [without, thinking] = run.reserved;
    expect((thinking?.tokens ?? 0) - (without?.tokens ?? 0)).toBe(4_096);
  });

  it('asks for as much output as the pool can pay, and not below what is worth a call', async () => {
    const run = memoryRun();
    const input = scriptedModel([]).maxInput?.({ messages: [] });
    expect(input).toBe(0);
    const limits: number[] = [];
    const model = scriptedModel((request) => {
      limits.push(request.maxOutputTokens);
      return 'ok';
    });
    const whole = memoryRun();
    await requestTurn(memoryStep(whole), 'a', model, newDialogue(), options());
    const all = whole.reserved[0]?.tokens ?? 0;
    await requestTurn(
      memoryStep(run, { limits: { tokens: all - 400 } }),
      'a',
      model,
      newDialogue(),
      options(),
    );
    expect(limits).toEqual([1_000, 600]);
    const poor = memoryStep(memoryRun(), { limits: { tokens: all - 900 } });
    expect(await requestTurn(poor, 'a', model, newDialogue(), options())).toMatchObject({
      kind: 'exhausted',
      resource: 'tokens',
    });
  });

  it('that was cut before it called anything is asked for again with more room; the cut one is paid, and left', async () => {
    const run = memoryRun();
    const limits: number[] = [];
    const model = scriptedModel((request, n) => {
      limits.push(request.maxOutputTokens);
      return n === 0
        ? { text: '<call name="grep">\n<arg name="pattern">a', stop: 'length' }
        : { text: 'whole' };
    });
    const turned = await requestTurn(memoryStep(run), 'round-1', model, newDialogue(), options());
    expect(turned).toMatchObject({ kind: 'replied', reply: { stop: 'end', parts: [{ text: 'whole' }] } });
    expect(limits).toEqual([1_000, 8_000]);
    expect(run.spent.calls).toBe(2);
    // Killed behind the first: the second alone is asked.
    const dead = memoryRun();
    const asked = { n: 0 };
    const counting = scriptedModel((request, n) => {
      asked.n += 1;
      return request.maxOutputTokens === 1_000 && n === 0
        ? { text: 'cu', stop: 'length' }
        : { text: 'whole' };
    });
    await expect(
      requestTurn(memoryStep(dead, { diesAfter: 1 }), 'r', counting, newDialogue(), options()),
    ).rejects.toThrow(Death);
    await requestTurn(memoryStep(dead), 'r', counting, newDialogue(), options());
    expect(asked.n).toBe(2);
  });

  it('a failure that may pass is tried again, at its price; what is left of it is the last one', async () => {
    const run = memoryRun();
    const model = scriptedModel([
      { failure: 'overloaded' },
      { failure: { code: 'unreachable', usage: 'unknown' } },
      { text: 'ok' },
    ]);
    const waits: number[] = [];
    const turned = await requestTurn(
      memoryStep(run),
      'r',
      model,
      newDialogue(),
      options({ sleep: async (ms) => void waits.push(ms) }),
    );
    expect(turned).toMatchObject({ kind: 'replied' });
    expect(waits).toHaveLength(2);
    expect(run.spent.tokens).toBeGreaterThan(run.reserved[1]?.tokens ?? Infinity);
    expect(events(run)).toEqual(['model_called', 'model_failed', 'model_failed', 'model_replied']);
  });

  it.each([
    ['a run that ends there meets it again', false, 'failed'],
    ['one that can be taken up again asks again', true, 'replied'],
  ] as const)('a model that is away: %s', async (_what, resumable, later) => {
    const run = memoryRun();
    const away = scriptedModel(() => ({ failure: 'unreachable' }));
    expect(
      await requestTurn(memoryStep(run), 'r', away, newDialogue(), options({ resumable })),
    ).toMatchObject({
      kind: 'failed',
    });
    const back = await requestTurn(
      memoryStep(run),
      'r',
      scriptedModel(['here']),
      newDialogue(),
      options({ resumable }),
    );
    expect(back.kind).toBe(later);
  });

  it('a failure that does not pass is recorded, and met again', async () => {
    const run = memoryRun();
    const failed = await requestTurn(
      memoryStep(run),
      'r',
      scriptedModel([{ failure: 'auth' }]),
      newDialogue(),
      options({ resumable: true }),
    );
    expect(failed).toMatchObject({ kind: 'failed', failure: { code: 'auth' } });
    expect(
      await requestTurn(
        memoryStep(run),
        'r',
        scriptedModel(['x']),
        newDialogue(),
        options({ resumable: true }),
      ),
    ).toEqual(failed);
  });

  it('a timeout at the end of the time is the end of the budget', async () => {
    const over = {
      kind: 'exhausted',
      resource: 'wall_ms',
      account: 'a',
      limit: 1,
      spent: 1,
      held: 0,
      requested: 1,
    } as const;
    const model = scriptedModel(() => ({ failure: 'timeout' }));
    const turned = await requestTurn(
      memoryStep(memoryRun()),
      'r',
      model,
      newDialogue(),
      options({ timeRefusal: () => over }),
    );
    expect(turned).toEqual(over);
  });

  it('a reply that comes when somebody has cancelled is kept, since it is paid for', async () => {
    const run = memoryRun();
    const stop = new AbortController();
    const model: Model = {
      ...scriptedModel([]),
      async reply() {
        stop.abort();
        const reply: DialogueReply = { kind: 'reply', by: 'm', parts: [], stop: 'end', usage, model: 'm' };
        return reply;
      },
    };
    await requestTurn(memoryStep(run, { signal: stop.signal }), 'r', model, newDialogue(), options());
    expect(run.journal.has('r')).toBe(true);
    expect(
      (await requestTurn(memoryStep(run, { signal: stop.signal }), 'other', model, newDialogue(), options()))
        .kind,
    ).toBe('cancelled');
  });
});

describe('calls of one reply', () => {
  const call = (name: string): Call => ({ kind: 'call', id: name, name, input: {}, fit: 'read' });

  it('reads go side by side, writes alone, and results keep the order of the calls', async () => {
    const log: string[] = [];
    const waiting = new Map<string, () => void>();
    const came = runCalls(memoryStep(memoryRun()), 'round-1', ['r1', 'r2', 'w1', 'r3'].map(call), {
      isWrite: ({ name }) => name.startsWith('w'),
      work: ({ name }) => ({
        run: async () => {
          log.push(`${name} begins`);
          // The first read ends behind the second.
          if (name === 'r1') await new Promise<void>((done) => waiting.set('r1', done));
          if (name === 'r2') waiting.get('r1')?.();
          log.push(`${name} ends`);
          return { value: name };
        },
      }),
    });
    expect(await came).toEqual({ kind: 'done', values: ['r1', 'r2', 'w1', 'r3'] });
    expect(log).toEqual([
      'r1 begins',
      'r2 begins',
      'r2 ends',
      'r1 ends',
      'w1 begins',
      'w1 ends',
      'r3 begins',
      'r3 ends',
    ]);
  });

  it('a bug in one lets the others come to their end first', async () => {
    const done: string[] = [];
    const came = runCalls(memoryStep(memoryRun()), 'r', ['a', 'b'].map(call), {
      isWrite: () => false,
      work: ({ name }) => ({
        run: async () => {
          if (name === 'a') throw new RangeError('a bug');
          await Promise.resolve();
          done.push(name);
          return { value: name };
        },
      }),
    });
    await expect(came).rejects.toThrow('a bug');
    expect(done).toEqual(['b']);
  });
});

describe('a window', () => {
  const long = 'some line of what was found\n'.repeat(100);
  const answers = (n: number) => ({ text: '', calls: [{ name: 'grep', input: { pattern: `${n}` } }] });

  async function rounds(model: Model, run: MemoryRun, count: number) {
    let dialogue: Dialogue = newDialogue();
    let cut = uncut;
    for (let n = 1; n <= count; n += 1) {
      const turned = await requestTurnInWindow(
        memoryStep(run),
        `round-${n}`,
        model,
        dialogue,
        cut,
        options({ maxOutputTokens: 500 }),
      );
      cut = turned.cut;
      if (turned.kind !== 'replied') return turned;
      const { by, parts } = turned.reply;
      const results: readonly Result[] = callsOf(turned.reply).map(({ id, name }) => ({
        call: id,
        name,
        ok: true,
        text: long,
      }));
      dialogue = addEntries(dialogue, { kind: 'reply', by, parts }, { kind: 'results', results });
    }
    return { kind: 'done' as const };
  }

  it('a model with a small window is never sent more than it holds, round after round', async () => {
    const sizes: number[] = [];
    const model: Model = {
      ...scriptedModel((request, n) => {
        sizes.push(Buffer.byteLength(request.messages.map(({ text }) => text).join('')) / 3);
        return answers(n);
      }),
      contextWindow: 8_192,
    };
    expect(await rounds(model, memoryRun(), 20)).toEqual({ kind: 'done' });
    expect(Math.max(...sizes)).toBeLessThan(8_192);
  });

  it('an overflow that nobody knew of makes room and goes on; the same requests after a death', async () => {
    const play = async (run: MemoryRun, diesAfter = Infinity) => {
      const sent: string[] = [];
      const base = scriptedModel(() => 'unused');
      const model: Model = {
        ...base,
        async reply(request) {
          const text = JSON.stringify(request.dialogue.entries);
          sent.push(text);
          if (text.length > 20_000)
            return failure(
              'context_overflow',
              { provider: 'p', model: 'm', secrets: [], detail: 'too long' },
              'none',
            );
          const n = request.dialogue.entries.length;
          const call = {
            kind: 'call' as const,
            id: `c${sent.length}-${n}`,
            name: 'grep',
            input: {},
            fit: 'read' as const,
          };
          return { kind: 'reply', by: 'm', parts: [call], stop: 'calls', usage, model: 'm' } as DialogueReply;
        },
      };
      let left = diesAfter;
      const step = memoryStep(run, { diesAfter: left });
      left = Infinity;
      let dialogue = newDialogue();
      let cut = uncut;
      for (let n = 1; n <= 12; n += 1) {
        const turned = await requestTurnInWindow(step, `round-${n}`, model, dialogue, cut, options());
        if (turned.kind !== 'replied') throw new Error(turned.kind);
        cut = turned.cut;
        const results = callsOf(turned.reply).map(({ id, name }) => ({
          call: id,
          name,
          ok: true,
          text: long,
        }));
        const { by, parts } = turned.reply;
        dialogue = addEntries(dialogue, { kind: 'reply', by, parts }, { kind: 'results', results });
      }
      return sent;
    };
    const run = memoryRun();
    const whole = await play(run);
    expect(whole.length).toBeGreaterThan(12);
    for (let diesAfter = 1; diesAfter < run.journal.size; diesAfter += 1) {
      const again = memoryRun();
      await expect(play(again, diesAfter)).rejects.toThrow(Death);
      await play(again);
      expect([...again.journal.keys()]).toEqual([...run.journal.keys()]);
    }
  });
});

const thinking = (text: string, wire: Wire): Pick<PlayedTurn, 'reasoning'> =>
  wire === 'chat' ? {} : { reasoning: text };
const script = (wire: Wire): readonly PlayedTurn[] => [
  {
    ...thinking('three at once', wire),
    text: 'Three at once.',
    calls: ['a', 'b', 'c'].map((pattern) => ({ name: 'grep', args: JSON.stringify({ pattern }) })),
  },
  {
    ...thinking('two', wire),
    calls: ['d', 'e'].map((pattern) => ({ name: 'grep', args: JSON.stringify({ pattern }) })),
  },
  { stop: 'length', calls: [{ name: 'grep', args: '{"pattern": "cu' }] },
  { ...thinking('again', wire), calls: [{ name: 'grep', args: '{"pattern":"f"}' }] },
  { ...thinking('enough', wire), calls: [{ name: 'finalize', args: '{"answer":"42"}' }] },
];

/** A loop as small as one can be. */
async function looked(run: MemoryRun, model: Model, diesAfter = Infinity): Promise<string> {
  const step = memoryStep(run, { diesAfter });
  let dialogue = beginDialogue({ system: 'You look for things. '.repeat(40), tools }, 'Where?');
  let cut = uncut;
  for (let n = 1; ; n += 1) {
    const must = n === 4 ? { must: 'finalize', final: true } : {};
    const turned = await requestTurnInWindow(step, `round-${n}`, model, dialogue, cut, options(must));
    if (turned.kind !== 'replied') throw new Error(`${turned.kind} ${JSON.stringify(turned)}`);
    cut = turned.cut;
    const { by, parts } = turned.reply;
    const calls = callsOf(turned.reply);
    const final = calls.find(({ name }) => name === 'finalize');
    if (final) return String(final.input['answer']);
    const acted = await runCalls<Result>(step, `round-${n}`, calls, {
      isWrite: () => false,
      work: ({ id, name, input }) => ({
        run: async () => ({ value: { call: id, name, ok: true, text: `found ${JSON.stringify(input)}` } }),
      }),
    });
    if (acted.kind !== 'done') throw new Error(acted.kind);
    dialogue = addEntries(dialogue, { kind: 'reply', by, parts }, { kind: 'results', results: acted.values });
    dialogue = addNote(dialogue, `${9 - n} rounds are left.`);
  }
}

describe.each(['anthropic, thinking', 'openai', 'chat'] as const)(
  '%s, killed behind each record and resumed',
  (wire) => {
    it('the same requests byte for byte, each billed once, the same answer', async () => {
      const subject = await openWire(wire, false);
      ends.push(subject.close);
      const { server, model } = subject;
      const whole = memoryRun();
      server.play(...script(wire));
      const answer = await looked(whole, model);
      const requests = server.requests.map(({ raw }) => raw);
      expect(requests).toHaveLength(script(wire).length);
      for (let diesAfter = 1; diesAfter < whole.journal.size; diesAfter += 1) {
        const run = memoryRun();
        const from = server.requests.length;
        server.play(...script(wire));
        await expect(looked(run, model, diesAfter)).rejects.toThrow(Death);
        expect(await looked(run, model)).toBe(answer);
        const sent = server.requests.slice(from).map(({ raw }) => raw);
        expect(sent).toEqual(requests);
        expect(run.spent).toEqual(whole.spent);
        expect([...run.log.keys()].sort()).toEqual([...whole.log.keys()].sort());
      }
    });
  },
);
