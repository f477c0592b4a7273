import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Signal } from '../../core/index.ts';
import { incident } from '../../index.ts';
import { scriptedSignal } from '../../signals/scripted.ts';
import { checkSignals } from './own-signals.ts';

const question = {
  name: 'lamps_lit',
  topic: 'logs',
  description: 'Which lamps are lit.',
  parameters: z.object({}),
  cost: 'nothing',
  ask: async () => ({}),
};
const lamps = {
  system: 'lamps',
  source: 'lamps 1',
  offers: 'lamps',
  questions: [question],
  health: async () => ({ kind: 'healthy', version: null }),
  close: async () => {},
};

describe('a signal that is handed in', () => {
  it.each<[string, unknown]>([
    ['signals[0] must be an object', null],
    ['signals[0].system must be a text', { ...lamps, system: undefined }],
    ['signals[0].offers must be a text', { ...lamps, offers: ['lamps'] }],
    ['signals[0].questions must be a list', { ...lamps, questions: undefined }],
    ['signals[0].health must be a function', { ...lamps, health: { ok: true } }],
    [
      'signals[0].questions[0].parameters must be a schema of zod, such as z.object({})',
      { ...lamps, questions: [{ ...question, parameters: {} }] },
    ],
    ['signals[0].questions[0].ask must be a function', { ...lamps, questions: [{ ...question, ask: null }] }],
  ])('is refused before the incident begins: %s', async (message, signal) => {
    await expect(
      incident({ alert: 'down', signals: [signal as Signal], settings: { model: 'extractive' } }),
    ).rejects.toMatchObject({
      code: 'bad_argument',
      message,
      remedy: expect.stringContaining('docs/guides/own-parts.md'),
    });
  });

  it('is taken if it holds to its type', () => {
    expect(() => checkSignals([lamps as unknown as Signal, scriptedSignal({})])).not.toThrow();
  });
});
