/** What is due starts a turn: the runner knows the times, the desk the agent, and this which thread it is for. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Amounts, SondeError, sha256, systemClock } from '../../core/index.ts';
import type { StartedBy } from '../../session/index.ts';
import { type DeliveredFire, type ScheduleRunner, scheduleRunner } from '../../session/schedules/index.ts';
import type { Fire, Schedules, Sessions, Store } from '../../store/index.ts';
import type { World, WorldEvent } from '../../world/index.ts';
import type { Marks } from '../agent/marks.ts';
import type { Desk } from '../agent/request-queue.ts';
import type { RequestRow } from '../agent/request-rows.ts';
import { importBursts } from './import-bursts.ts';
import { openSpending } from './spent-by.ts';

export interface SchedulingOptions {
  readonly sessions: Pick<Sessions, 'schedules' | 'queue'>;
  readonly store: Pick<Store, 'runs' | 'accounts'>;
  /** The limits of a turn where its schedule names none. */
  readonly usual: Amounts;
  readonly desk: Pick<Desk, 'post' | 'waitUntilDone'>;
  readonly marks: Marks;
  readonly world: Pick<World, 'events' | 'page' | 'block'>;
  readonly signal: AbortSignal;
  readonly tell: (line: string) => void;
}

/** How often the log of the world is looked at. Milliseconds. */
const lookEvery = 500;
const maxEvents = 500;
const mark = 'world events';
/** Fires that are looked through for the one before. */
const maxEarlier = 20;

/** The thread of a fire: the schedule's own, or one that is its alone. */
export const threadOfFire = ({ fire, schedule }: Pick<DeliveredFire, 'fire' | 'schedule'>): string =>
  schedule.thread ?? `${schedule.id}-${sha256(fire.id).slice(0, 10)}`;

/** What a turn is told of the schedule that starts it. */
export async function startOfFire(
  { fire, schedule }: Pick<DeliveredFire, 'fire' | 'schedule'>,
  schedules: Pick<Schedules, 'fires'>,
): Promise<Omit<StartedBy, 'schedule'>> {
  const { id, trigger } = schedule;
  const earlier = (await schedules.fires(id, maxEarlier)).filter(({ due }) => due < fire.due);
  return {
    due: fire.due,
    ...(trigger.kind === 'cron' && { zone: trigger.zone }),
    last: earlier.reduce<number | null>((last, { due }) => Math.max(last ?? due, due), null),
  };
}

/** The message that starts its turn. One that is delivered again is the same message. */
async function messageOf(
  { fire, schedule }: Pick<DeliveredFire, 'fire' | 'schedule'>,
  schedules: Pick<Schedules, 'fires'>,
): Promise<Pick<RequestRow, 'id' | 'thread' | 'request'>> {
  const event = fire.payload as { readonly name: string; readonly payload: unknown } | null;
  return {
    id: `fire-${fire.id}`,
    thread: threadOfFire({ fire, schedule }),
    request: {
      kind: 'message',
      text: schedule.prompt,
      schedule: schedule.id,
      fire: await startOfFire({ fire, schedule }, schedules),
      event,
      limits: schedule.limits,
    },
  };
}

export interface StartNow {
  readonly schedules: Pick<Schedules, 'get' | 'fires'>;
  readonly threads: Pick<Sessions['threads'], 'has' | 'create'>;
  readonly desk: Pick<Desk, 'post'>;
  readonly now: number;
}

/** Starts the turn of a schedule, due or not, switched on or off; its next time stays. Throws `not_found`. */
export async function startNow(
  id: string,
  { schedules, threads, desk, now }: StartNow,
): Promise<{ readonly thread: string; readonly message: string }> {
  const schedule = await schedules.get(id);
  const fire: Fire = {
    ...{ id: `${id}/now-${now}`, schedule: id, due: now, at: now, payload: null },
    ...{ state: 'waiting', note: null, outcome: null, started: null },
  };
  const message = await messageOf({ fire, schedule }, schedules);
  const { thread } = message;
  // It can be looked at before the agent has taken it up.
  if (!(await threads.has(thread))) await threads.create({ id: thread });
  await desk.post(message);
  return { thread, message: message.id };
}

/** Resolves when the signal aborts. */
export async function runSchedules(options: SchedulingOptions): Promise<void> {
  const { sessions, desk, signal, tell } = options;
  const runner = scheduleRunner({
    schedules: sessions.schedules,
    queue: sessions.queue,
    clock: systemClock,
    signal,
    tell,
    async deliver({ fire, schedule, signal: lost }) {
      const message = await messageOf({ fire, schedule }, sessions.schedules);
      const { thread } = message;
      await desk.post(message);
      tell(`${fire.id} starts in ${thread}`);
      const { status, text } = await desk.waitUntilDone(message.id, lost);
      tell(`${fire.id} ended: ${status}`);
      if (status === 'failed' || status === 'refused')
        throw new SondeError('tool_failed', {
          message: `${status}: ${text}`,
          remedy: `See how far it came: sonde chat --thread ${thread}`,
        });
      return { thread, status };
    },
    spentSince: openSpending(options.store),
    usual: options.usual,
  });
  await Promise.all([
    runner.run((ms, stop) => sleep(ms, undefined, { signal: stop }).catch(() => {})),
    followWorld(runner, options),
  ]);
}

/** Every write of the world is an event, and an import one for all of its own; writes by schedules start none, so that none starts itself. */
async function followWorld(
  runner: ScheduleRunner,
  { world, marks, signal }: Pick<SchedulingOptions, 'world' | 'marks' | 'signal'>,
): Promise<void> {
  const known = marks.read(mark);
  let seen = known ?? lastOf(world);
  // From here on every event counts, even one written while no server runs.
  if (known === null) marks.set(mark, seen);
  const imports = importBursts();
  let kept = seen;
  while (!signal.aborted) {
    const events = world.events(seen, maxEvents);
    const now = systemClock.now();
    for (const event of events) {
      const { write_id, op, caller_kind, content_ids } = event;
      if (caller_kind === 'schedule') continue;
      const paths = pathsOf(event, world);
      if (imports.add(event, now, paths)) continue;
      const payload = { write_id, content_ids: content_ids.slice(0, 20) };
      await runner.notify({ id: write_id, name: op, payload, seq: event.seq, at: event.at, paths });
    }
    const over = imports.take(now);
    for (const event of over) await runner.notify(event);
    seen = events.at(-1)?.seq ?? seen;
    const upTo = runner.lastSettled(imports.lastSettled(seen));
    if (upTo !== kept) {
      kept = upTo;
      marks.set(mark, kept);
    }
    if (events.length + over.length > 0) await runner.begin();
    if (events.length < maxEvents) await sleep(lookEvery, undefined, { signal }).catch(() => {});
  }
}

/** Of the pages that it touched, as they are called now and as they were. */
export const pathsOf = (
  { content_ids, before }: WorldEvent,
  world: Pick<World, 'page' | 'block'>,
): readonly string[] => [
  ...new Set(
    content_ids.flatMap((id) => {
      const page = world.block(id)?.page ?? id;
      const paths = [world.page(page)?.path, before?.[page]?.path];
      return paths.filter((path) => path !== undefined);
    }),
  ),
];

/** At the first look, past events start nothing. */
function lastOf(world: Pick<World, 'events'>): number {
  let seen = 0;
  for (;;) {
    const last = world.events(seen, 10_000).at(-1);
    if (last === undefined) return seen;
    seen = last.seq;
  }
}
