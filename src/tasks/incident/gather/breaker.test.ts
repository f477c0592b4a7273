import { afterAll, expect, it } from 'vitest';
import { manualClock, type SignalFailure, type SignalRows } from '../../../core/index.ts';
import { scriptedSignal } from '../../../signals/scripted.ts';
import { answer, bench, pool, runTrial, signalOf, turn } from '../incident.contract.ts';
import type { CallMade } from '../state.ts';
import { listLeftOutSystems } from './breaker.ts';

const { store, close } = bench();
afterAll(close);

const call = (
  system: string,
  late: boolean,
  outcome: CallMade['outcome'] = late ? 'failed' : 'ok',
): CallMade => ({
  iteration: 1,
  tool: 't',
  arguments: {},
  summary: '',
  evidence: [],
  outcome,
  system,
  late,
});

it.each<[string, readonly CallMade[], readonly string[]]>([
  ['one that was late once is asked again', [call('a', true)], []],
  ['one that was late twice is left out', [call('a', true), call('a', true)], ['a']],
  ['an answer in between counts', [call('a', true), call('a', false), call('a', true)], []],
  ['each by itself', [call('a', true), call('b', true), call('b', false), call('a', true)], ['a']],
  [
    'what was not put to it says nothing',
    [call('a', true), call('a', false, 'duplicate'), call('a', true)],
    ['a'],
  ],
  ['a failure in time is no delay', [call('a', false, 'failed'), call('a', false, 'failed')], []],
])('%s', (_, calls, expected) => {
  expect(listLeftOutSystems(calls)).toEqual(expected);
});

it('a slow system is asked twice in a run, whatever a model wants, and named in the report', async () => {
  const late: SignalFailure = { kind: 'failure', reason: 'timeout', message: 'it took too long' };
  const names = ['one', 'two', 'three', 'four', 'five'];
  const slow = scriptedSignal(
    Object.fromEntries(
      names.map((name) => [name, { topic: 'errors' as const, script: { answer: () => late } }]),
    ),
    { system: 'slow' },
  );
  const { incident } = await runTrial(store, {
    signals: [signalOf(pool), slow],
    script: ((request: Parameters<typeof answer>[0], nth: number) =>
      nth < names.length
        ? turn(...names.map((name, n) => [`slow_${name}`, { again: nth * 10 + n }] as const))
        : answer(request)) as never,
  });
  expect(slow.asked).toHaveLength(2);
  expect(incident.coverage.unchecked.join('\n')).toContain(
    'slow in memory: left out for this run, since it was too slow twice',
  );
  expect(incident.verdict).toBe('code_change');
});

it('one that answers slowly twice is left out as well, and what it said counts', async () => {
  const clock = manualClock(Date.UTC(2026, 6, 11, 12));
  const names = ['one', 'two', 'three', 'four'];
  const rows: SignalRows = { kind: 'table', rows: [{ said: 'late, and true' }] };
  const of = () => {
    clock.advance(10_000);
    return rows;
  };
  const slow = scriptedSignal(
    Object.fromEntries(names.map((name) => [name, { topic: 'errors' as const, script: { answer: of } }])),
    { system: 'slow', clock },
  );
  const { incident, events } = await runTrial(store, {
    signals: [signalOf(pool), slow],
    setting: { clock },
    script: ((request: Parameters<typeof answer>[0], nth: number) =>
      nth < names.length
        ? turn(...names.map((name, n) => [`slow_${name}`, { again: nth * 10 + n }] as const))
        : answer(request)) as never,
  });
  expect(slow.asked).toHaveLength(2);
  expect(incident.coverage.unchecked.join('\n')).toContain('slow in memory: left out for this run');
  expect(JSON.stringify(events)).toContain('slow_one');
});
