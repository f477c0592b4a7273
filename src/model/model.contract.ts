/** What every `Model` must do, whatever is behind it. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Model, ModelRequest } from './model.ts';

/** A model under test, with control over its replies. */
export interface Subject {
  readonly model: Model;
  /** Sets the text of the next replies. */
  answer(text: string): void;
  /** The next calls are never answered. */
  hang(): void;
  /** Whether a call has reached the server. */
  wasAsked(): boolean;
  close(): Promise<void> | void;
}

const request: ModelRequest = Object.freeze({
  messages: Object.freeze([
    Object.freeze({ role: 'system' as const, text: 'Be short.', cache: true }),
    Object.freeze({ role: 'user' as const, text: 'What is in the box?' }),
  ]),
  maxOutputTokens: 500,
  timeoutMs: 20_000,
});

export function modelContract(name: string, open: () => Subject | Promise<Subject>): void {
  describe(`${name} keeps the contract of a model:`, () => {
    let subject: Subject;
    beforeEach(async () => {
      subject = await open();
    });
    afterEach(() => subject.close());

    test('it has a name and sizes', () => {
      expect(subject.model.name).toMatch(/^[a-z-]+(:.+)?$/);
      expect(subject.model.maxOutput).toBeGreaterThan(0);
      expect(subject.model.contextWindow).toBeGreaterThanOrEqual(subject.model.maxOutput);
    });

    test('a reply is a frozen value with text, usage and a stop', async () => {
      subject.answer('A cat. “Ünïcode” 猫 and "quotes".');
      const reply = await subject.model.generate(request);
      expect(reply).toMatchObject({ kind: 'reply', text: 'A cat. “Ünïcode” 猫 and "quotes".', stop: 'end' });
      if (reply.kind !== 'reply') return;
      expect(Object.isFrozen(reply)).toBe(true);
      expect(reply.usage.input).toBeGreaterThan(0);
      expect(reply.usage.output).toBeGreaterThan(0);
      expect(reply.usage.cacheRead + reply.usage.cacheWrite).toBeLessThanOrEqual(reply.usage.input);
      expect(reply.model).not.toBe('');
    });

    test('the pieces of a stream make up the text', async () => {
      subject.answer('one two three four');
      const pieces: string[] = [];
      const reply = await subject.model.generate({ ...request, onText: (piece) => pieces.push(piece) });
      expect(reply).toMatchObject({ kind: 'reply', text: 'one two three four' });
      expect(pieces.join('')).toBe('one two three four');
    });

    test('a schema leaves the text of the reply as JSON', async () => {
      subject.answer('{"animal":"cat"}');
      const json = {
        type: 'object',
        properties: { animal: { type: 'string' } },
        required: ['animal'],
        additionalProperties: false,
      };
      const reply = await subject.model.generate({ ...request, schema: { name: 'box', json } });
      expect(reply).toMatchObject({ kind: 'reply' });
      if (reply.kind === 'reply') expect(JSON.parse(reply.text)).toEqual({ animal: 'cat' });
    });

    test('no answer in time is a failure that may have been billed', async () => {
      subject.hang();
      const reply = await subject.model.generate({ ...request, timeoutMs: 600 });
      expect(reply).toMatchObject({ kind: 'failure', code: 'timeout', usage: 'unknown' });
    });

    test('a call that is cancelled before it starts costs nothing', async () => {
      subject.answer('too late');
      const reply = await subject.model.generate({ ...request, signal: AbortSignal.abort() });
      expect(reply).toMatchObject({ kind: 'failure', code: 'cancelled', usage: 'none', retryable: false });
    });

    test('a call that is cancelled on its way may have been billed', async () => {
      subject.hang();
      const stop = new AbortController();
      const call = subject.model.generate({ ...request, signal: stop.signal });
      await vi.waitUntil(() => subject.wasAsked(), { timeout: 300_000, interval: 5 });
      stop.abort();
      const reply = await call;
      expect(reply).toMatchObject({ kind: 'failure', code: 'cancelled', usage: 'unknown', retryable: false });
    });

    test('calls at the same time do not disturb each other', async () => {
      subject.answer('the same');
      const replies = await Promise.all([1, 2, 3].map(() => subject.model.generate(request)));
      expect(replies.map((reply) => reply.kind === 'reply' && reply.text)).toEqual([
        'the same',
        'the same',
        'the same',
      ]);
    });
  });
}
