import { expect, it } from 'vitest';
import { memoryWires } from './channel/memory-wire.ts';
import { supervise } from './supervise.ts';

/** A process that is ready at once, and ends when it is told to, or when a test ends it. */
function programs() {
  const ends: ((how: string) => void)[] = [];
  const start = () => {
    const [wire, own] = memoryWires();
    const gone = Promise.withResolvers<string>();
    ends.push(gone.resolve);
    own.onMessage((value) => {
      if ((value as { command?: string }).command === 'shutdown') gone.resolve('exit 0');
    });
    own.send({ type: 'lifecycle', state: 'ready', message: '' });
    return { wire, pid: ends.length, gone: gone.promise, kill: () => gone.resolve('SIGKILL') };
  };
  return { start, ends };
}

it('one that was told to end is not taken for one that failed', async () => {
  const { start, ends } = programs();
  const told: (readonly [why: string, asked: boolean])[] = [];
  let up = Promise.withResolvers<void>();
  const kept = supervise({
    start,
    onUp: () => up.resolve(),
    onDown: (why, asked) => told.push([why, asked]),
    sleep: async () => {},
  });
  await up.promise;
  up = Promise.withResolvers();
  ends[0]!('exit 1');
  await up.promise;
  await kept.close();
  expect(told).toEqual([
    ['exit 1', false],
    ['exit 0', true],
  ]);
});
