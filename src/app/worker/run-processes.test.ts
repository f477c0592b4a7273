/** Which process performs which run, with processes that do as the test tells them. */
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { RunnerSetting } from '../runs/perform-run.ts';
import type { RunProcessReport, RunProcessRequest } from './run-process.ts';
import { openRunProcesses, type RunPlacement } from './run-processes.ts';

interface FakeProcess {
  readonly runs: string[];
  report(value: RunProcessReport): void;
  die(how?: string): void;
  readonly isGone: () => boolean;
}

/** `deaf`: is gone as soon as a run is sent to it that is not its first. */
function processes({ max = 3, maxRuns = 200, deaf = false } = {}) {
  const all: FakeProcess[] = [];
  const { perform, close } = openRunProcesses({
    max,
    maxRuns,
    start() {
      const gone = Promise.withResolvers<string>();
      let listener = (_: unknown): void => {};
      let isGone = false;
      const process: FakeProcess = {
        runs: [],
        report: (value) => listener(value),
        die(how = 'SIGKILL') {
          isGone = true;
          gone.resolve(how);
        },
        isGone: () => isGone,
      };
      all.push(process);
      return {
        gone: gone.promise,
        kill: process.die,
        wire: {
          onMessage(given) {
            listener = given;
          },
          send(value) {
            const request = value as RunProcessRequest;
            if (request.kind === 'end') process.die('exit 0');
            if (request.kind === 'cancel') process.report({ kind: 'ended', memory: 1 });
            if (request.kind !== 'run') return;
            if (deaf && process.runs.length > 0) return process.die();
            process.runs.push((request.setting as { resume: string }).resume);
            process.report({ kind: 'taken' });
          },
        },
      };
    },
  });
  const run = (name: string, placing: Partial<RunPlacement> = {}): Promise<string | null> =>
    perform({ resume: name } satisfies RunnerSetting, {
      ...{ team: '', alone: false, signal: new AbortController().signal },
      ...placing,
    });
  /** Performs a run that ends as it should. */
  async function done(name: string, placing: Partial<RunPlacement> = {}, memory = 1): Promise<void> {
    const end = run(name, placing);
    all.findLast((process) => process.runs.at(-1) === name)!.report({ kind: 'ended', memory });
    expect(await end).toBe(null);
  }
  return { all, run, done, close, performed: () => all.map(({ runs }) => runs) };
}

describe('processes of runs', () => {
  it('perform one run after another, and two at once in two', async () => {
    const { all, run, done, performed } = processes();
    await done('a');
    await done('b');
    const [c, d] = [run('c'), run('d')];
    for (const each of all) each.report({ kind: 'ended', memory: 1 });
    expect(await Promise.all([c, d])).toEqual([null, null]);
    expect(performed()).toEqual([['a', 'b', 'c'], ['d']]);
  });

  it('see the runs of one team only', async () => {
    const { all, done, performed } = processes({ max: 2 });
    await done('a', { team: 'red' });
    await done('b', { team: 'blue' });
    await done('c', { team: 'red' });
    expect(performed()).toEqual([['a', 'c'], ['b']]);
    // No room is left: the one that has been idle for longest ends.
    await done('d', { team: 'green' });
    expect(performed()).toEqual([['a', 'c'], ['b'], ['d']]);
    expect(all.map(({ isGone }) => isGone())).toEqual([false, true, false]);
  });

  it('perform nothing before a run that was lost before', async () => {
    const { done, performed } = processes();
    await done('a');
    await done('b', { alone: true });
    expect(performed()).toEqual([['a'], ['b']]);
  });

  it('are replaced after a run that threw, was cancelled or grew, and after many', async () => {
    const { all, run, done, performed } = processes({ maxRuns: 2 });
    const failed = run('a');
    all[0]!.report({ kind: 'failed', code: 'run_state', message: 'It is held', remedy: 'Wait.' });
    await expect(failed).rejects.toMatchObject({ code: 'run_state', message: 'It is held' });
    const stop = new AbortController();
    const cancelled = run('b', { signal: stop.signal });
    stop.abort();
    expect(await cancelled).toBe(null);
    await done('c', {}, 2 ** 40);
    await done('d');
    await done('e');
    await done('f');
    expect(performed()).toEqual([['a'], ['b'], ['c'], ['d', 'e'], ['f']]);
    expect(all.map(({ isGone }) => isGone())).toEqual([true, true, true, true, false]);
  });

  it('take only the run with them that they were at', async () => {
    const { all, run, done, performed } = processes();
    await done('a');
    const [b, c] = [run('b'), run('c')];
    all[0]!.die('SIGSEGV');
    expect(await b).toBe('SIGSEGV');
    all[1]!.report({ kind: 'ended', memory: 1 });
    expect(await c).toBe(null);
    await done('d');
    expect(performed()).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
  });

  it('that died between two runs are no death of the next', async () => {
    const { done, all, run, performed } = processes({ deaf: true });
    await done('a');
    const b = run('b');
    while (all.length < 2) await turn();
    all[1]!.report({ kind: 'ended', memory: 1 });
    expect(await b).toBe(null);
    expect(performed()).toEqual([['a'], ['b']]);
  });

  it('end with their worker', async () => {
    const { all, done, close } = processes();
    await done('a');
    await close();
    expect(all[0]!.isGone()).toBe(true);
  });
});
