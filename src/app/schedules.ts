/** Schedules, as a person manages and starts them. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { plainLine, SondeError, systemClock } from '../core/index.ts';
import {
  createScheduleRunner,
  type DeliveredFire,
  dayStart,
  type ScheduleRunner,
  zoneOf,
} from '../session/schedules/index.ts';
import type {
  Actor,
  Fire,
  FireEnd,
  Schedule,
  ScheduleLimits,
  ScheduleRow,
  Schedules,
  Sessions,
  Trigger,
} from '../store/index.ts';
import { worldOperations } from '../world/index.ts';
import { threadId } from './agent/channel/channel.ts';
import type { TurnEndedEvent, TurnRequest } from './agent/channel/channel-client.ts';
import { type OpenAgent, openAgent } from './agent/in-process.ts';
import { openPositionStore } from './agent/requests/position-store.ts';
import { loadConfiguration, parseDuration, processEnvironment, type SettingKey } from './config/index.ts';
import { readySchedule } from './ready-schedules.ts';
import { findFireThread } from './serve/fire-thread.ts';
import { createSpendingReader } from './serve/schedule-spending.ts';
import { readStart, toFireEvent } from './serve/schedules.ts';
import { openFollower } from './serve/world-follower.ts';

export interface NewSchedule {
  readonly cron?: string;
  readonly zone?: string;
  readonly every?: string;
  readonly on?: readonly string[];
  readonly thread?: string;
  readonly paths?: readonly string[];
  readonly gather?: string;
  readonly maxRunning?: string;
  readonly maxPerDay?: string;
  readonly maxUsdPerDay?: string;
  readonly missed?: string;
  readonly jitter?: string;
  readonly maxTokens?: string;
  readonly maxUsd?: string;
  readonly maxTime?: string;
}

const policies = ['skip', 'once', 'all'] as const;

const wrong = (message: string, remedy: string): SondeError =>
  new SondeError('bad_argument', { message, remedy });

function milliseconds(flag: string, text: string): number {
  const ms = parseDuration(text);
  if (ms !== null) return ms;
  throw wrong(`${flag} is ${JSON.stringify(text)}`, 'Give a duration, such as 30s, 5m or 24h.');
}

function togetherFrom({ maxRunning, maxPerDay, maxUsdPerDay }: NewSchedule): ScheduleLimits | undefined {
  const number = (flag: string, text: string, isWhole: boolean): number => {
    const value = Number(text);
    if (text.trim() !== '' && value > 0 && Number.isFinite(value) && (!isWhole || Number.isInteger(value)))
      return value;
    throw wrong(
      `${flag} is ${JSON.stringify(text)}`,
      `Give ${isWhole ? 'a whole number' : 'an amount'} above zero.`,
    );
  };
  const given = {
    ...(maxRunning !== undefined && { running: number('--max-running', maxRunning, true) }),
    ...(maxPerDay !== undefined && { perDay: number('--max-per-day', maxPerDay, true) }),
    ...(maxUsdPerDay !== undefined && { usdPerDay: number('--max-usd-per-day', maxUsdPerDay, false) }),
  };
  return Object.keys(given).length === 0 ? undefined : given;
}

function triggerFrom({ cron, zone, every, on }: NewSchedule): Trigger {
  if ([cron, every, on].filter((each) => each !== undefined).length !== 1)
    throw wrong('A schedule needs exactly one of --cron, --every and --on', 'Give one of them.');
  if (zone !== undefined && cron === undefined) throw wrong('--zone is for --cron', 'Leave it out.');
  if (cron !== undefined) return { kind: 'cron', expression: cron, zone: zone ?? 'UTC' };
  if (every !== undefined) return { kind: 'interval', everyMs: milliseconds('--every', every) };
  return { kind: 'event', names: checkEventNames(on ?? []) };
}

/** A name that never occurs in the log of a workspace would start nothing. */
function checkEventNames(names: readonly string[]): readonly string[] {
  const stranger = names.find((name) => !worldOperations.includes(name));
  if (stranger === undefined) return names;
  throw wrong(
    `--on is ${JSON.stringify(stranger)}, and no write of a workspace is called that: it would never start`,
    `Allowed: ${worldOperations.join(', ')}.`,
  );
}

/** Throws `bad_argument` with the flag. */
export function scheduleFrom(id: string, prompt: string, flags: NewSchedule): Schedule {
  const { thread, missed = 'once', jitter, maxTokens, maxUsd, maxTime, paths, gather } = flags;
  const together = togetherFrom(flags);
  const policy = policies.find((each) => each === missed);
  if (policy === undefined)
    throw wrong(`--missed is ${JSON.stringify(missed)}`, `Allowed: ${policies.join(', ')}.`);
  if (thread !== undefined && !threadId.safeParse(thread).success)
    throw wrong(
      `${JSON.stringify(thread)} is not a valid thread id`,
      'Give up to 100 letters, digits, and _ . : -.',
    );
  const limits = { max_tokens: maxTokens, max_usd: maxUsd, max_time: maxTime };
  const given = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
  // The schema of the settings checks the limits.
  const { values } = loadConfiguration({ environment: processEnvironment(), flags: given });
  return {
    id,
    prompt,
    trigger: triggerFrom(flags),
    thread: thread ?? null,
    missed: policy,
    jitterMs: jitter === undefined ? 0 : milliseconds('--jitter', jitter),
    limits: {
      ...(maxTokens !== undefined && { tokens: values.max_tokens }),
      ...(maxUsd !== undefined && { usd: values.max_usd }),
      ...(maxTime !== undefined && { wall_ms: values.max_time }),
    },
    ...(together !== undefined && { together }),
    ...(paths !== undefined && { paths }),
    ...(gather !== undefined && { gatherMs: milliseconds('--gather', gather) }),
    enabled: true,
  };
}

const nothing = async (): Promise<undefined> => undefined;

type Scheduling = Pick<Sessions, 'schedules' | 'queue'>;

export function addSchedule(
  { schedules, queue }: Scheduling,
  schedule: Schedule,
  by?: Actor,
): Promise<ScheduleRow> {
  const signal = new AbortController().signal;
  return createScheduleRunner({ schedules, queue, clock: systemClock, signal, deliver: nothing }).add(
    schedule,
    by,
  );
}

/** Throws `bad_argument` as `addSchedule` does, and stores nothing. */
export async function checkNew({ queue }: Pick<Scheduling, 'queue'>, schedule: Schedule): Promise<void> {
  const schedules = {
    add: async (schedule: Schedule, next: number | null) => ({ ...schedule, next, created: 0 }),
  } as Schedules;
  await addSchedule({ schedules, queue }, schedule);
}

/** Enables or disables a schedule. A built-in one is made by it. Throws `not_found`. */
export async function switchSchedule(
  scheduling: Scheduling,
  id: string,
  enabled: boolean,
  by?: Actor,
): Promise<ScheduleRow> {
  const { schedules, queue } = scheduling;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const ready = (await schedules.list()).some((row) => row.id === id) ? null : readySchedule(id, zone);
  if (ready !== null && enabled) return addSchedule(scheduling, ready, by);
  const signal = new AbortController().signal;
  return createScheduleRunner({ schedules, queue, clock: systemClock, signal, deliver: nothing }).enable(
    id,
    enabled,
    by,
  );
}

export function triggerText(trigger: Trigger): string {
  switch (trigger.kind) {
    case 'cron':
      return `${trigger.expression} (${trigger.zone})`;
    case 'interval':
      return `every ${trigger.everyMs / 1000} s`;
    case 'event':
      return `on ${trigger.names.join(', ')}`;
  }
}

/** The daily limits of a schedule, and how much of them is used today; empty if it has none. */
export function limitsText(row: ScheduleRow, fires: readonly Fire[], now: number): string {
  const { together = {}, paths = [], gatherMs = 0 } = row;
  const { running, perDay, usdPerDay } = together;
  const day = dayStart(now, zoneOf(row));
  const started = fires.filter((fire) => (fire.started ?? 0) >= day).length;
  const held = fires.filter(({ state, at }) => state === 'held' && at >= day).length;
  const said = [
    ...(paths.length > 0 ? [`pages ${paths.join(', ')}`] : []),
    ...(gatherMs > 0 ? [`gathers until ${gatherMs / 1000} s are quiet`] : []),
    ...(running === undefined ? [] : [`${running} at once`]),
    ...(perDay === undefined ? [] : [`${started} of ${perDay} today`]),
    ...(usdPerDay === undefined ? [] : [`$${usdPerDay} a day`]),
    ...(held > 0 ? [`${held} held today`] : []),
  ];
  return said.join('; ');
}

/** How the last start of a schedule stands. */
export function lastText({ due, state, note, outcome, byHand }: Fire): string {
  const at = `${new Date(due).toISOString()}${byHand ? ', by hand' : ''}`;
  if (outcome?.status === 'interrupted')
    return `${at}: it asked something (sonde chat --thread ${outcome.thread})`;
  return `${at} ${state}${note === null ? '' : `, ${plainLine(note)}`}`;
}

export const nextText = ({ next, enabled }: ScheduleRow): string =>
  !enabled ? 'switched off' : next === null ? 'waits for its event' : `next ${new Date(next).toISOString()}`;

export interface RunNowRequest {
  /** This schedule, due or not; absent: all that are due. */
  readonly id?: string;
  readonly settings: Readonly<Partial<Record<SettingKey, unknown>>>;
  readonly signal: AbortSignal;
}

export interface RanSchedule {
  readonly schedule: string;
  readonly thread: string;
  readonly status: TurnEndedEvent['status'] | 'refused';
  readonly text: string;
}

export interface ScheduleResults {
  readonly ran: readonly RanSchedule[];
  /** Until when events gather that no server waits for; null: none do. Milliseconds since the epoch. */
  readonly gathersUntil: number | null;
}

/** While an import is still going on. Milliseconds. */
const importLook = 500;

/**
 * Starts schedules and waits for them. Uses the agent of the server if one has the workspace. Throws `not_found` for a
 * missing schedule.
 */
export async function runNow({ id, settings, signal }: RunNowRequest): Promise<ScheduleResults> {
  const usualUsd = loadConfiguration({ environment: processEnvironment(), flags: settings }).values.max_usd;
  /** For each thread, the schedule on whose behalf it writes. */
  const starters = new Map<string, string>();
  const agent = await openAgent({ settings, signal, scheduleOf: (thread) => starters.get(thread) ?? null });
  /** By message id, the threads of turns that are running. */
  const running = new Map<string, string>();
  const ran: RanSchedule[] = [];
  let failure: unknown;

  async function deliver(delivered: Pick<DeliveredFire, 'fire' | 'schedule'>): Promise<FireEnd> {
    try {
      return await startTurn(delivered);
    } catch (thrown) {
      failure ??= thrown;
      throw thrown;
    }
  }

  async function startTurn({ fire, schedule }: Pick<DeliveredFire, 'fire' | 'schedule'>): Promise<FireEnd> {
    const thread = findFireThread({ fire, schedule });
    starters.set(thread, schedule.id);
    const turn = {
      thread_id: thread,
      message_id: `fire-${fire.id}`,
      prompt: schedule.prompt,
      limits: schedule.limits,
      started_by: {
        schedule: schedule.id,
        ...(await readStart({ fire, schedule }, agent.sessions.schedules)),
      },
    };
    const event = toFireEvent(fire);
    const request: TurnRequest =
      event === null
        ? { type: 'start_run', ...turn }
        : { type: 'workspace_event', ...turn, event: { id: fire.id, ...event } };
    const id = randomUUID();
    running.set(id, thread);
    const came = await agent.client.turn(request, undefined, id).finally(() => running.delete(id));
    const { status, text } = 'type' in came ? { status: 'refused' as const, text: came.message } : came;
    ran.push({ schedule: schedule.id, thread, status, text });
    if (status === 'failed' || status === 'refused')
      throw new SondeError('tool_failed', {
        message: `${status}: ${text}`,
        remedy: `See what it did: sonde chat --thread ${thread}`,
      });
    return { thread, status };
  }

  const cancel = (): void => {
    for (const [of, thread] of running)
      agent.client.request({ type: 'cancel', thread_id: thread, of }).catch(() => {});
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const { schedules, queue } = agent.sessions;
    const runner = createScheduleRunner({
      ...{ schedules, queue, clock: systemClock, signal, deliver },
      spentSince: createSpendingReader(agent.store),
      defaultLimits: { usd: usualUsd },
    });
    if (id === undefined) {
      // A server looks by itself.
      if (!agent.served) await lookAtWorld(runner, agent, signal);
      await runner.tick();
    } else {
      const { fire, isTaken } = await runner.fireNow(id);
      // The runner of the server was faster, and keeps the end: the same message is one, whoever sends it.
      if (isTaken) await deliver({ fire, schedule: await schedules.get(id) }).catch(() => {});
    }
    // Errors of turns are in the result, which the caller looks at.
    if (ran.length === 0 && failure !== undefined) throw failure;
    return { ran, gathersUntil: runner.gathersUntil() };
  } finally {
    signal.removeEventListener('abort', cancel);
    await agent.close();
  }
}

async function lookAtWorld(
  runner: ScheduleRunner,
  { world, database, sessions: { schedules } }: OpenAgent,
  signal: AbortSignal,
): Promise<void> {
  const follower = await openFollower(runner, { world, marks: openPositionStore(database), schedules });
  while (!signal.aborted) {
    const { isAll } = await follower.readNext();
    if (isAll && !follower.hasOpenImports()) return;
    if (isAll) await sleep(importLook, undefined, { signal }).catch(() => {});
  }
}
