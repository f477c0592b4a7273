import { expect, test } from 'vitest';
import { masker } from '../core/index.ts';
import { maskModel } from './mask-model.ts';
import type { Model, ModelRequest } from './model.ts';

const token = `ghp_${'q7Rk2Zp9XvB4mTnW8cLd5sHf3gJy6aKe1uQo'}`;
const key = ['sk-sonde', '4711', 'AbCdEfGhIjKl'].join('-');
const mask = masker({ key: Buffer.from('one home'), known: [key] });

/** Says what it is told to, in pieces, and keeps what it was sent. */
function saying(pieces: readonly string[]) {
  const sent: ModelRequest[] = [];
  const model: Model = {
    name: 'test:one',
    real: true,
    local: true,
    maxOutput: 100,
    contextWindow: 1_000,
    async generate(request) {
      sent.push(request);
      for (const piece of pieces) request.onText?.(piece);
      const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, estimated: false };
      return { kind: 'reply', text: pieces.join(''), usage, stop: 'end', model: 'one' };
    },
  };
  return { model: maskModel(model, mask), sent };
}

const request = (text: string): ModelRequest => ({
  messages: [{ role: 'user', text, cache: true }],
  maxOutputTokens: 10,
  timeoutMs: 1_000,
});

test('no message holds a secret, whoever put it there', async () => {
  const { model, sent } = saying(['ok']);
  await model.generate(request(`look at ${token}`));
  expect(sent[0]!.messages).toEqual([{ role: 'user', text: `look at ${mask.text(token)}`, cache: true }]);
  expect(model.name).toBe('test:one');
});

test('a reply that echoes a key is hidden, streamed or whole, however the pieces are cut', async () => {
  const echo = Buffer.from(key).toString('base64');
  const whole = `first ${token}\nthen ${echo} and ${[...key].reverse().join('')}.`;
  for (const size of [1, 3, 7, whole.length]) {
    const { model } = saying(whole.match(new RegExp(`[^]{1,${size}}`, 'g'))!);
    let streamed = '';
    const reply = await model.generate({ ...request('?'), onText: (piece) => (streamed += piece) });
    if (reply.kind !== 'reply') throw new Error(reply.message);
    expect(reply.text).toBe(mask.text(whole));
    expect(reply.text.match(/\[secret:/g)).toHaveLength(3);
    expect(streamed).toBe(reply.text);
  }
});
