/**
 * Starts turns for schedules that are due: the runner knows the times, the request queue reaches the agent, and this
 * file chooses the thread.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Amounts, SondeError, systemClock } from '../../core/index.ts';
import type { StartedBy } from '../../session/index.ts';
import {
  createScheduleRunner,
  type DeliveredFire,
  manualFire,
  type ScheduleRunner,
} from '../../session/schedules/index.ts';
import { type Fire, type Schedules, type Sessions, type Store, toFire } from '../../store/index.ts';
import type { World } from '../../world/index.ts';
import type { PositionStore } from '../agent/requests/position-store.ts';
import type { AgentRequests } from '../agent/requests/request-queue.ts';
import type { RequestRow } from '../agent/requests/request-rows.ts';
import { findFireThread } from './fire-thread.ts';
import { createSpendingReader } from './schedule-spending.ts';
import { openFollower } from './world-follower.ts';

export interface SchedulingOptions {
  readonly sessions: Pick<Sessions, 'schedules' | 'queue'>;
  readonly store: Pick<Store, 'runs' | 'accounts'>;
  /** The limits of a turn if its schedule sets none. */
  readonly defaultLimits: Amounts;
  readonly requests: Pick<AgentRequests, 'post' | 'waitUntilDone'>;
  readonly marks: PositionStore;
  readonly world: Pick<World, 'events' | 'page' | 'block'>;
  readonly signal: AbortSignal;
  readonly tell: (line: string) => void;
}

/** How often the log of the workspace is read. Milliseconds. */
const pollMs = 500;
/** Maximum fires that are searched for the previous one. */
const maxEarlier = 500;

/** When the turn of a fire was due, and when the previous turn that took place was due. */
export async function readStart(
  { fire, schedule }: Pick<DeliveredFire, 'fire' | 'schedule'>,
  schedules: Pick<Schedules, 'fires'>,
): Promise<Omit<StartedBy, 'schedule'>> {
  const { id, trigger } = schedule;
  // Fires that were held back or failed started no turn.
  const earlier = (await schedules.fires(id, maxEarlier)).filter(
    ({ due, state }) => due < fire.due && state !== 'held' && state !== 'failed',
  );
  return {
    due: fire.due,
    ...(trigger.kind === 'cron' && { zone: trigger.zone }),
    last: earlier.reduce<number | null>((last, { due }) => Math.max(last ?? due, due), null),
  };
}

/** The message that starts the turn of a fire. Its id depends only on the fire, so that it starts one turn. */
async function createMessage(
  { fire, schedule }: Pick<DeliveredFire, 'fire' | 'schedule'>,
  schedules: Pick<Schedules, 'fires'>,
): Promise<Pick<RequestRow, 'id' | 'thread' | 'request'>> {
  return {
    id: `fire-${fire.id}`,
    thread: findFireThread({ fire, schedule }),
    request: {
      kind: 'message',
      text: schedule.prompt,
      schedule: schedule.id,
      fire: await readStart({ fire, schedule }, schedules),
      event: toFireEvent(fire),
      limits: schedule.limits,
    },
  };
}

/** The event that started the turn, as the turn gets it; null if a time started it. */
export function toFireEvent({ payload }: Pick<Fire, 'payload'>) {
  if (payload === null) return null;
  const { name, payload: eventPayload } = payload as { readonly name: string; readonly payload: never };
  return { name, payload: eventPayload };
}

export interface StartNowPorts {
  readonly sessions: Pick<Sessions, 'schedules' | 'queue' | 'threads'>;
  readonly requests: Pick<AgentRequests, 'post'>;
  readonly now: number;
}

/** Starts a turn of a schedule now, even if it is disabled or not due. Its next time does not change. Throws `not_found`. */
export async function startNow(
  id: string,
  { sessions: { schedules, queue, threads }, requests: requestQueue, now }: StartNowPorts,
): Promise<{ readonly thread: string; readonly message: string }> {
  const schedule = await schedules.get(id);
  const [enqueued] = await queue.enqueue([manualFire(id, now)]);
  if (enqueued === undefined || enqueued.kind === 'full')
    throw new SondeError('run_state', {
      message: `Too many turns of the schedule ${id} wait`,
      remedy: 'Start it again when some of them have ended.',
    });
  const message = await createMessage({ fire: toFire(enqueued.job), schedule }, schedules);
  const { thread } = message;
  // The conversation can be opened before the agent has begun.
  if (!(await threads.has(thread))) await threads.create({ id: thread });
  // The runner sends the same message when it reaches the fire, and records how the turn ends.
  await requestQueue.post(message);
  return { thread, message: message.id };
}

/** Resolves when the signal aborts. */
export async function runSchedules(options: SchedulingOptions): Promise<void> {
  const { sessions, requests: requestQueue, signal, tell } = options;
  const runner = createScheduleRunner({
    schedules: sessions.schedules,
    queue: sessions.queue,
    clock: systemClock,
    signal,
    tell,
    async deliver({ fire, schedule, signal: lostSignal }) {
      const message = await createMessage({ fire, schedule }, sessions.schedules);
      const { thread } = message;
      await requestQueue.post(message);
      tell(`${fire.id} starts in ${thread}`);
      const { status, text } = await requestQueue.waitUntilDone(message.id, lostSignal);
      tell(`${fire.id} ended: ${status}`);
      if (status === 'failed' || status === 'refused')
        throw new SondeError('tool_failed', {
          message: `${status}: ${text}`,
          remedy: `See what it did: sonde chat --thread ${thread}`,
        });
      return { thread, status };
    },
    spentSince: createSpendingReader(options.store),
    defaultLimits: options.defaultLimits,
  });
  await Promise.all([
    runner.run((ms, stop) => sleep(ms, undefined, { signal: stop }).catch(() => {})),
    followWorld(runner, options),
  ]);
}

async function followWorld(
  runner: ScheduleRunner,
  { sessions, world, marks, signal }: Pick<SchedulingOptions, 'sessions' | 'world' | 'marks' | 'signal'>,
): Promise<void> {
  const follower = await openFollower(runner, { world, marks, schedules: sessions.schedules });
  while (!signal.aborted) {
    const { notified, isAll } = await follower.readNext();
    if (notified > 0) await runner.begin();
    if (isAll) await sleep(pollMs, undefined, { signal }).catch(() => {});
  }
}
