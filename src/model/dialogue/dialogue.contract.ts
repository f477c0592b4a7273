/** What every model with a dialogue must do. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Model } from '../model.ts';
import {
  addEntries,
  beginDialogue,
  callsOf,
  type Dialogue,
  type DialogueTool,
  type Entry,
} from './dialogue.ts';
import type { PlayedTurn } from './played-turn.contract.ts';
import type { DialogueReply, DialogueRequest } from './reply.ts';
import { replyAsText } from './text-dialogue.ts';

/** A model under test, with control over its replies. */
export interface DialogueSubject {
  readonly model: Model;
  play(...turns: readonly PlayedTurn[]): void;
  /** Each request so far, as the parts that a prefix cache compares. */
  sent(): readonly (readonly string[])[];
  close(): Promise<void> | void;
}

export interface DialogueTraits {
  /** Arguments reach us as the model wrote them, well formed or not. */
  readonly rawArguments: boolean;
  readonly reasons: boolean;
}

export const tools: readonly DialogueTool[] = [
  {
    name: 'grep',
    description: 'Lines that match',
    parameters: {
      type: 'object',
      properties: { pattern: { type: 'string' }, limit: { type: 'integer' } },
      required: ['pattern'],
      additionalProperties: false,
    },
  },
  {
    name: 'finalize',
    description: 'Ends with the answer',
    parameters: {
      type: 'object',
      properties: { answer: { type: 'string' } },
      required: ['answer'],
      additionalProperties: false,
    },
  },
];

export const newDialogue = (): Dialogue =>
  beginDialogue({ system: 'You look for things. '.repeat(40), tools }, 'Where is it?');

export const requestOptions: Omit<DialogueRequest, 'dialogue'> = Object.freeze({
  maxOutputTokens: 2_000,
  timeoutMs: 20_000,
  cacheKey: 'run-1',
});

export async function getReply(model: Model, request: DialogueRequest): Promise<DialogueReply> {
  const answer = await (model.reply?.(request) ?? replyAsText(model, request));
  if (answer.kind === 'failure') throw new Error(`${answer.code}: ${answer.message}`);
  return answer;
}

export function answerCalls(reply: DialogueReply, ok = true): readonly Entry[] {
  const results = callsOf(reply).map(({ id, name }) => ({ call: id, name, ok, text: `what ${name} gave` }));
  return results.length === 0 ? [] : [{ kind: 'results', results, note: '7 rounds are left.' }];
}

const toEntry = ({ by, parts }: DialogueReply): Entry => ({ kind: 'reply', by, parts });
/** Converts a value to JSON and back, as a journal does. */
const throughJson = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

export function dialogueContract(
  name: string,
  { rawArguments, reasons }: DialogueTraits,
  open: () => DialogueSubject | Promise<DialogueSubject>,
): void {
  describe(`${name} keeps the contract of a dialogue:`, () => {
    let subject: DialogueSubject;
    beforeEach(async () => {
      subject = await open();
    });
    afterEach(() => subject.close());

    const withReasoning = (text: string): Pick<PlayedTurn, 'reasoning'> =>
      reasons ? { reasoning: text } : {};
    const script: readonly PlayedTurn[] = [
      {
        ...withReasoning('I look in two places.'),
        text: 'Two places.',
        calls: [
          { name: 'grep', args: '{"pattern": "a\\nb"}' },
          { name: 'grep', args: '{"pattern":"c","limit":2}' },
        ],
      },
      { ...withReasoning('Once more.'), calls: [{ name: 'grep', args: '{"pattern":"d"}' }] },
      { ...withReasoning('Enough.'), calls: [{ name: 'finalize', args: '{"answer":"42"}' }] },
    ];

    /** Plays the script to its end. `steps`: the dialogue before each turn. */
    async function playScript(more: Partial<DialogueRequest> = {}) {
      subject.play(...script);
      let dialogue = newDialogue();
      const steps: Dialogue[] = [];
      const replies: DialogueReply[] = [];
      for (const [n] of script.entries()) {
        steps.push(dialogue);
        const must = n === script.length - 1 ? { must: 'finalize' } : {};
        const reply = await getReply(subject.model, { dialogue, ...requestOptions, ...must, ...more });
        replies.push(reply);
        dialogue = addEntries(dialogue, toEntry(reply), ...answerCalls(reply, n !== 0));
      }
      return { dialogue, steps, replies };
    }

    it('calls side by side, failed results and reasoning are accepted back', async () => {
      const { replies } = await playScript();
      const calls = replies.map((reply) => callsOf(reply).map((call) => [call.name, call.input]));
      expect(calls).toEqual([
        [
          ['grep', { pattern: 'a\nb' }],
          ['grep', { pattern: 'c', limit: 2 }],
        ],
        [['grep', { pattern: 'd' }]],
        [['finalize', { answer: '42' }]],
      ]);
      expect(replies.map(({ stop }) => stop)).toEqual(['calls', 'calls', 'calls']);
      expect(replies[0]?.parts.map(({ kind }) => kind)).toEqual([
        ...(reasons ? ['reasoning'] : []),
        'text',
        'call',
        'call',
      ]);
    });

    it('each request begins with all of the one before, also where a tool is demanded', async () => {
      await playScript();
      const sent = subject.sent();
      expect(sent).toHaveLength(3);
      for (const [n, request] of sent.slice(1).entries())
        expect(request.slice(0, sent[n]?.length)).toEqual(sent[n]);
    });

    it('from what a journal keeps, the same bytes are sent', async () => {
      const { steps } = await playScript();
      const first = [...subject.sent()];
      subject.play(...script);
      for (const [n, dialogue] of steps.entries())
        await getReply(subject.model, {
          dialogue: throughJson(dialogue),
          ...requestOptions,
          ...(n === 2 && { must: 'finalize' }),
        });
      expect(subject.sent().slice(first.length)).toEqual(first);
    });

    it('the same is sent and read whether anybody listens or not', async () => {
      const { replies } = await playScript();
      const pieces: string[] = [];
      const heard = await playScript({ onText: (piece) => pieces.push(piece) });
      const sent = subject.sent();
      const withoutIds = (value: unknown) => JSON.stringify(value).replace(/(_|\b)\d+(_\d+)?(?=")/g, '#');
      expect(withoutIds(heard.replies.map(({ parts }) => parts.map(({ kind }) => kind)))).toBe(
        withoutIds(replies.map(({ parts }) => parts.map(({ kind }) => kind))),
      );
      expect(sent[3]).toEqual(sent[0]);
      expect(pieces.join('')).toContain('Two places.');
    });

    it('the word of the program stands within the last result', async () => {
      await playScript();
      const [, , last = []] = subject.sent();
      const at = last.findIndex((piece) => piece.includes('7 rounds are left.'));
      expect(at).toBeGreaterThan(0);
      expect(last[at]).toContain('what grep gave');
    });

    it('a reply without a call ends in words, and is accepted back', async () => {
      subject.play({ text: 'It is here.' }, { text: 'Fine.' });
      const reply = await getReply(subject.model, { dialogue: newDialogue(), ...requestOptions });
      expect(reply).toMatchObject({ stop: 'end', parts: [{ kind: 'text', text: 'It is here.' }] });
      const dialogue = addEntries(newDialogue(), toEntry(reply), { kind: 'user', text: 'Go on.' });
      expect(await getReply(subject.model, { dialogue, ...requestOptions })).toMatchObject({ stop: 'end' });
    });

    it('a call that the output limit cut is no call', async () => {
      subject.play({ text: 'So:', stop: 'length', calls: [{ name: 'grep', args: '{"pattern": "ab' }] });
      const reply = await getReply(subject.model, { dialogue: newDialogue(), ...requestOptions });
      expect(reply.stop).toBe('length');
      expect(callsOf(reply)).toEqual([]);
    });

    it('of two calls, the one before the cut one stays', async () => {
      subject.play({
        stop: 'length',
        calls: [
          { name: 'grep', args: '{"pattern":"whole"}' },
          { name: 'grep', args: '{"pattern": "cu' },
        ],
      });
      const reply = await getReply(subject.model, { dialogue: newDialogue(), ...requestOptions });
      expect(callsOf(reply).map(({ input }) => input)).toEqual([{ pattern: 'whole' }]);
    });

    it.each([
      ['a tool that is not there', 'no_such_tool', '{"a":"b"}', { a: 'b' }],
      ['no arguments', 'grep', '{}', {}],
      ['a name that no provider takes back', 'functions.grep', '{"pattern":"x"}', { pattern: 'x' }],
    ])('%s is a call with an object, and is accepted back', async (_what, tool, args, input) => {
      subject.play({ ...withReasoning('r'), calls: [{ name: tool, args }] }, { text: 'Fine.' });
      const reply = await getReply(subject.model, { dialogue: newDialogue(), ...requestOptions });
      expect(callsOf(reply)).toMatchObject([{ input }]);
      const dialogue = addEntries(newDialogue(), toEntry(reply), ...answerCalls(reply, false));
      expect((await getReply(subject.model, { dialogue, ...requestOptions })).kind).toBe('reply');
    });

    // Wires whose arguments are objects can bring none of these.
    const written = [
      ["{pattern: 'abc', }", 'repaired', { pattern: 'abc' }],
      ['"{\\"pattern\\":\\"abc\\"}"', 'read', { pattern: 'abc' }],
      ['', 'read', {}],
      ['look for abc', 'unreadable', { unreadable_arguments: 'look for abc' }],
      ['[1, 2]', 'unreadable', { unreadable_arguments: '[1, 2]' }],
    ] as const;
    it.each(rawArguments ? written : [])(
      'arguments %j are %s, and accepted back',
      async (args, fit, input) => {
        subject.play({ ...withReasoning('r'), calls: [{ name: 'grep', args }] }, { text: 'Fine.' });
        const reply = await getReply(subject.model, { dialogue: newDialogue(), ...requestOptions });
        expect(callsOf(reply)).toMatchObject([{ fit, input }]);
        const dialogue = addEntries(newDialogue(), toEntry(reply), ...answerCalls(reply, false));
        expect((await getReply(subject.model, { dialogue, ...requestOptions })).kind).toBe('reply');
      },
    );

    it.each(rawArguments ? ['call_0'] : [])(
      'calls that all have the id %s are told apart, in a reply and over several',
      async (id) => {
        const same = [
          { name: 'grep', args: '{"pattern":"a"}', id },
          { name: 'grep', args: '{"pattern":"b"}', id },
        ];
        subject.play(
          { ...withReasoning('1'), calls: same },
          { ...withReasoning('2'), calls: same },
          { text: 'Fine.' },
        );
        let dialogue = newDialogue();
        for (let n = 0; n < 2; n += 1) {
          const reply = await getReply(subject.model, { dialogue, ...requestOptions });
          dialogue = addEntries(dialogue, toEntry(reply), ...answerCalls(reply));
        }
        const ids = dialogue.entries.flatMap((entry) => callsOf(entry).map(({ id }) => id));
        expect(new Set(ids).size).toBe(4);
        expect((await getReply(subject.model, { dialogue, ...requestOptions })).kind).toBe('reply');
      },
    );

    it('a dialogue that another model began is taken over', async () => {
      const other: Entry = {
        kind: 'reply',
        by: 'other:model',
        parts: [
          {
            kind: 'reasoning',
            text: 'mine',
            opaque: { anthropic: { signature: 'x' }, openai: { itemId: 'rs_9' } },
          },
          {
            kind: 'call',
            id: 'call_9',
            name: 'grep',
            input: { pattern: 'a' },
            fit: 'read',
            opaque: { openai: { itemId: 'fc_9' } },
          },
        ],
      };
      const result = {
        kind: 'results' as const,
        results: [{ call: 'call_9', name: 'grep', ok: true, text: 'found' }],
      };
      subject.play(
        { ...withReasoning('r'), calls: [{ name: 'grep', args: '{"pattern":"b"}' }] },
        { text: 'Fine.' },
      );
      let dialogue = addEntries(newDialogue(), other, result);
      const reply = await getReply(subject.model, { dialogue, ...requestOptions });
      expect(JSON.stringify(subject.sent().at(-1))).not.toContain('mine');
      dialogue = addEntries(dialogue, toEntry(reply), ...answerCalls(reply));
      expect((await getReply(subject.model, { dialogue, ...requestOptions })).kind).toBe('reply');
    });

    it('a reply of nothing, or of blanks, does not stand in the way', async () => {
      subject.play({ text: 'Fine.' });
      const nothing: Entry = {
        kind: 'reply',
        by: subject.model.name,
        parts: [{ kind: 'text', text: ' \n' }],
      };
      const dialogue = addEntries(newDialogue(), nothing, { kind: 'user', text: 'Go on.' });
      expect(await getReply(subject.model, { dialogue, ...requestOptions })).toMatchObject({ stop: 'end' });
    });

    it('cancelled before it began, it costs nothing', async () => {
      const request = { dialogue: newDialogue(), ...requestOptions, signal: AbortSignal.abort() };
      const answer = await (subject.model.reply?.(request) ?? replyAsText(subject.model, request));
      expect(answer).toMatchObject({ kind: 'failure', code: 'cancelled', usage: 'none' });
    });
  });
}
