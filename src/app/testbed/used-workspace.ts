/** A workspace that somebody has used: a conversation in a channel with a role, a schedule, and a message that waits. */
import { openDatabase, openSessionsIn } from '../../store/index.ts';
import { toJob } from '../agent/requests/request-rows.ts';
import { createSmallWorld } from './small-world.ts';

export const usedThread = 'lamp-talk';

/** The file of it, below the home of a test. */
export async function createUsedWorkspace(home: string, name = 'main'): Promise<string> {
  const path = await createSmallWorld(home, undefined, name);
  const database = openDatabase({ path, schemas: [] });
  const sessions = openSessionsIn(database);
  const { channels, threads, checkpoints, roles, schedules, queue } = sessions;
  await channels.create({ id: 'work', title: 'Work' });
  await threads.create({ id: usedThread, channel: 'work' });
  const lease = await threads.acquire(usedThread);
  const pieces = Array.from({ length: 30 }, (_, n) => ({
    type: 'data',
    data: `${n} \u0000 ${'x'.repeat(50)}`,
  }));
  const write = { namespace: '', checkpoint: 'c1', task: 't', index: 0, path: '', channel: 'messages' };
  await checkpoints.write(lease, {
    checkpoints: [
      {
        ...{ id: 'c1', parent: null, namespace: '', metadata: '{}', body: '{}', kept: [] },
        changed: new Map([['messages', { kind: 'list', pieces }]]),
      },
    ],
    writes: [
      { ...write, content: { kind: 'one', piece: { type: 'bytes', data: new Uint8Array([0, 255]) } } },
    ],
  });
  await lease.release();
  await roles.set({ level: 'channel', within: 'work' }, { content: 'Short.', appliesTo: ['planner'] });
  const trigger = { kind: 'interval', everyMs: 60_000 } as const;
  const scheduleTerms = {
    prompt: 'What is new?',
    thread: null,
    missed: 'all',
    jitterMs: 0,
    limits: {},
  } as const;
  await schedules.add({ ...scheduleTerms, id: 'often', trigger, enabled: true }, 5);
  const message = { kind: 'message', text: 'Light it.', schedule: null, event: null, limits: null } as const;
  await queue.enqueue([toJob({ id: 'm-1', thread: usedThread, request: message })]);
  await queue.setRule({ topic: 'fires', team: null, shape: null, max: 2, paused: false });
  await sessions.close();
  database.close();
  return path;
}
