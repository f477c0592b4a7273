import { expect, it } from 'vitest';
import { manualClock } from '../../core/index.ts';
import { deathLimits, judgeDeaths, readDeaths } from '../../store/index.ts';
import { memoryQueue } from '../../store/memory/memory-queue.ts';
import { requestTopic, toJob } from '../agent/requests/request-rows.ts';
import { listTurnsOf, retryTurnsOf } from './queued-turns.ts';

const message = (text: string) =>
  ({ kind: 'message', text, schedule: null, event: null, limits: null }) as const;

it('says of each turn why it waits', async () => {
  const queue = memoryQueue({ clock: manualClock(1_000) });
  const add = (id: string, thread: string) =>
    queue.enqueue([toJob({ id, thread, request: message(`${id}?`) })]);
  await add('a', 'one');
  await add('b', 'one');
  await add('c', 'two');
  const seen = async (hosted: boolean) =>
    (await listTurnsOf(queue, { schema: 'sonde_w_main', dead: false, isHosted: hosted })).map(
      ({ workspace, thread, message: id, state, text, why }) =>
        `${workspace} ${thread} ${id} ${state} ${text} ${why}`,
    );
  const nobody = 'no worker hosts the workspace: start one with sonde worker --workspaces';
  expect(await seen(false)).toEqual([
    `main two c waiting c? ${nobody}`,
    `main one b waiting b? ${nobody}`,
    `main one a waiting a? ${nobody}`,
  ]);
  const [claim] = await queue.claim({ topic: requestTopic, max: 1 });
  expect(await seen(true)).toEqual([
    'main two c waiting c? waits for the agent',
    'main one b waiting b? waits for its turn in the conversation',
    'main one a running a? null',
  ]);
  await queue.settle(claim!, { kind: 'failed', error: { code: 'internal', message: 'no power' } });
  const dead = await listTurnsOf(queue, { schema: 'sonde_w_main', dead: true, isHosted: true });
  expect(dead).toMatchObject([{ message: 'a', state: 'dead', why: 'no power' }]);
});

it('a turn that was given up waits again, and the deaths before do not count', async () => {
  const queue = memoryQueue({ clock: manualClock(1_000) });
  await queue.enqueue([toJob({ id: 'a', thread: 'one', request: message('a?') })]);
  const schema = 'sonde_w_main';
  const retry = (id?: string) => retryTurnsOf(queue, { schema, message: id });
  const kept = { deaths: 0, crashes: deathLimits.idleCrashes, progress: 3 };
  const giveUp = async () => {
    const [claim] = await queue.claim({ topic: requestTopic, max: 1 });
    await queue.settle(claim!, { kind: 'failed', error: { code: 'internal', message: 'no power' }, kept });
  };
  await giveUp();
  expect(await retry('b')).toEqual([]);
  expect(await retry('a')).toMatchObject([
    { workspace: 'main', thread: 'one', message: 'a', state: 'waiting' },
  ]);
  await expect(retry('a')).rejects.toMatchObject({ code: 'run_state' });
  const job = (await queue.get(requestTopic, 'a'))!;
  expect(judgeDeaths(job, readDeaths(job), 3)).toMatchObject({ kept: { deaths: 0, crashes: 0 }, end: null });
  await giveUp();
  expect(await retry()).toMatchObject([{ message: 'a', state: 'waiting' }]);
});
