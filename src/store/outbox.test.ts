import { expect, it } from 'vitest';
import { createBatchSender, openOutbox, type RunHold, type WaitingWrite } from './outbox.ts';

const holdOn = (run: string): RunHold => ({ run, fence: 1, ended: false, lastStored: 0 });

/** An engine that keeps a batch once the test says so. */
function setUp() {
  const outbox = openOutbox();
  const batches: { readonly keys: readonly string[]; readonly answer: PromiseWithResolvers<void> }[] = [];
  const send = createBatchSender(outbox, async (batch: readonly WaitingWrite[]) => {
    const answer = Promise.withResolvers<void>();
    batches.push({ keys: batch.map(({ write }) => ('key' in write ? write.key : '')), answer });
    await answer.promise;
    return [];
  });
  const done: string[] = [];
  const hold = holdOn('run-a');
  function commit(key: string): Promise<void> {
    outbox.add(hold, { kind: 'record', run: hold.run, key, value: '1' }, () => {});
    return send().then(
      () => void done.push(key),
      () => void done.push(`${key} failed`),
    );
  }
  const settled = async (): Promise<void> => {
    for (let n = 0; n < 3; n += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  return { batches, commit, done, send, settled };
}

it('sends together what is asked meanwhile, and tells each as soon as its own batch is kept', async () => {
  const { batches, commit, done, settled } = setUp();
  void commit('a');
  await settled();
  for (const key of ['b', 'c', 'd']) void commit(key);
  await settled();
  expect(batches.map(({ keys }) => keys)).toEqual([['a']]);
  batches[0]!.answer.resolve();
  await settled();
  expect(done).toEqual(['a']);
  // Asked while b, c and d are on their way: none of these waits for it.
  void commit('e');
  batches[1]!.answer.resolve();
  await settled();
  expect(done).toEqual(['a', 'b', 'c', 'd']);
  expect(batches.map(({ keys }) => keys)).toEqual([['a'], ['b', 'c', 'd'], ['e']]);
});

it('lets those who were told of a batch join the next', async () => {
  const { batches, commit, settled } = setUp();
  void commit('a').then(() => commit('a2'));
  await settled();
  void commit('b');
  batches[0]!.answer.resolve();
  await settled();
  expect(batches[1]!.keys).toEqual(['b', 'a2']);
});

it('tells all of a batch that it failed, and sends it again before what comes later', async () => {
  const { batches, commit, done, settled } = setUp();
  void commit('a');
  await settled();
  for (const key of ['b', 'c']) void commit(key);
  batches[0]!.answer.reject(new Error('away'));
  await settled();
  expect(done).toEqual(['a failed']);
  expect(batches[1]!.keys).toEqual(['a', 'b', 'c']);
  batches[1]!.answer.reject(new Error('away'));
  await settled();
  expect(done).toEqual(['a failed', 'b failed', 'c failed']);
  void commit('d');
  await settled();
  expect(batches[2]!.keys).toEqual(['a', 'b', 'c', 'd']);
});

it('waits for what is on its way if nothing else waits', async () => {
  const { batches, commit, done, send, settled } = setUp();
  void commit('a');
  await settled();
  void send().then(() => done.push('nothing'));
  await settled();
  expect(done).toEqual([]);
  batches[0]!.answer.resolve();
  await settled();
  expect([done, batches.length]).toEqual([['a', 'nothing'], 1]);
});
