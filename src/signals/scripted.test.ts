import { expect, test } from 'vitest';
import { manualClock, masker } from '../core/index.ts';
import { checkHealth } from './health.ts';
import { failure } from './question.ts';
import { scriptedSignal } from './scripted.ts';
import { contractLimits, signalContract } from './signal.contract.ts';

const start = Date.UTC(2026, 6, 11, 12);
const window = { from: start, to: start + 3_600_000, baseline_from: start - 3_600_000, derivation: 'a test' };
const lines = Array.from({ length: 5 }, (_, k) => ({
  at: start + (k - 1) * 1_200_000,
  service: 'shop',
  level: 'ERROR',
  text: `line ${k} token=abcdef123456`,
}));

signalContract('scripted', async () => ({
  signal: scriptedSignal(
    {
      lines: { topic: 'logs', script: { rows: { kind: 'lines', lines } } },
      course: {
        topic: 'metrics',
        script: {
          answer: () => ({
            kind: 'series',
            series: [
              {
                name: 'cpu',
                labels: { host: 'a' },
                points: Array.from({ length: 90 }, (_, k) => [start + (k - 20) * 60_000, k]),
              },
            ],
          }),
        },
      },
    },
    { clock: manualClock(start) },
  ),
  window,
  ask: { scripted_lines: {}, scripted_course: {} },
  plentiful: ['scripted_lines', 'scripted_course'],
  secrets: ['abcdef123456'],
  broken: {
    silent: scriptedSignal({
      lines: { topic: 'logs', script: { answer: () => new Promise(() => {}) } },
      course: { topic: 'metrics', script: { answer: () => new Promise(() => {}) } },
    }),
  },
  dispose: async () => {},
}));

test('answers in turn, fails when told to, and keeps what it was asked', async () => {
  const signal = scriptedSignal({
    turns: { topic: 'objects', script: { sequence: [{ kind: 'table', rows: [{ pod: 'a' }] }] } },
    broken: { topic: 'metrics', script: { fails: 'refused' } },
    throwing: {
      topic: 'metrics',
      script: {
        answer: () => {
          throw new Error('boom with password=hunter2');
        },
      },
    },
  });
  const request = { window, limits: contractLimits };
  const [turns, broken, throwing] = signal.questions;
  expect(await turns!.ask({ of: 'pods' }, request)).toMatchObject({ text: 'pod=a', truncated: null });
  expect(await turns!.ask({}, request)).toMatchObject({ text: 'Nothing was found.' });
  expect(await broken!.ask({}, request)).toMatchObject({ kind: 'failure', reason: 'refused' });
  expect(await throwing!.ask({}, request)).toEqual({
    kind: 'failure',
    reason: 'bad_reply',
    message: 'scripted_throwing at scripted in memory: boom with password=[secret]',
  });
  expect(signal.asked.map(({ name }) => name)).toEqual([
    'scripted_turns',
    'scripted_turns',
    'scripted_broken',
    'scripted_throwing',
  ]);
});

test('a failure has the marks of who asks, and so has the look whether a system is there', async () => {
  const mask = masker({ key: new Uint8Array(32), known: [] });
  const marked = mask.system('password=hunter2');
  expect(marked).toMatch(/^password=\[secret:password:[0-9a-f]{6}\]$/);
  const { questions } = scriptedSignal({
    throwing: {
      topic: 'metrics',
      script: {
        answer: () => {
          throw new Error('boom with password=hunter2');
        },
      },
    },
  });
  const request = { window, limits: contractLimits, mask };
  expect(await questions[0]!.ask({}, request)).toMatchObject({ message: expect.stringContaining(marked) });
  for (const check of [
    async () => failure('refused', 'no password=hunter2'),
    async () => ({ kind: 'unhealthy', reason: 'no password=hunter2' }) as const,
    () => Promise.reject(new Error('no password=hunter2')),
  ])
    expect(await checkHealth(check, undefined, mask)).toEqual({ kind: 'unhealthy', reason: `no ${marked}` });
});
