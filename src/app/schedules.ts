/** Adds, enables, shows and starts schedules for a person. */
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
import { findBuiltInSchedule } from './ready-schedules.ts';
import { findFireThread } from './serve/fire-thread.ts';
import { createSpendingReader } from './serve/schedule-spending.ts';
import { readStart, toFireEvent } from './serve/schedules.ts';
import { openFollower } from './serve/world-follower.ts';

export interface ScheduleFlags {
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

const badArgument = (message: string, remedy: string): SondeError =>
  new SondeError('bad_argument', { message, remedy });

function parseMilliseconds(flag: string, text: string): number {
  const ms = parseDuration(text);
  if (ms !== null) return ms;
  throw badArgument(`${flag} is ${JSON.stringify(text)}`, 'Give a duration, such as 30s, 5m or 24h.');
}

function parseScheduleLimits({
  maxRunning,
  maxPerDay,
  maxUsdPerDay,
}: ScheduleFlags): ScheduleLimits | undefined {
  const parsePositive = (flag: string, text: string, isWhole: boolean): number => {
    const value = Number(text);
    if (text.trim() !== '' && value > 0 && Number.isFinite(value) && (!isWhole || Number.isInteger(value)))
      return value;
    throw badArgument(
      `${flag} is ${JSON.stringify(text)}`,
      `Give ${isWhole ? 'a whole number' : 'an amount'} above zero.`,
    );
  };
  const scheduleLimits = {
    ...(maxRunning !== undefined && { running: parsePositive('--max-running', maxRunning, true) }),
    ...(maxPerDay !== undefined && { perDay: parsePositive('--max-per-day', maxPerDay, true) }),
    ...(maxUsdPerDay !== undefined && { usdPerDay: parsePositive('--max-usd-per-day', maxUsdPerDay, false) }),
  };
  return Object.keys(scheduleLimits).length === 0 ? undefined : scheduleLimits;
}

function parseTrigger({ cron, zone, every, on }: ScheduleFlags): Trigger {
  if ([cron, every, on].filter((each) => each !== undefined).length !== 1)
    throw badArgument('A schedule needs exactly one of --cron, --every and --on', 'Give one of them.');
  if (zone !== undefined && cron === undefined) throw badArgument('--zone is for --cron', 'Leave it out.');
  if (cron !== undefined) return { kind: 'cron', expression: cron, zone: zone ?? 'UTC' };
  if (every !== undefined) return { kind: 'interval', everyMs: parseMilliseconds('--every', every) };
  return { kind: 'event', names: checkEventNames(on ?? []) };
}

/** Throws for a name that is no operation of a workspace, since it would never start the schedule. */
function checkEventNames(names: readonly string[]): readonly string[] {
  const unknownName = names.find((name) => !worldOperations.includes(name));
  if (unknownName === undefined) return names;
  throw badArgument(
    `--on is ${JSON.stringify(unknownName)}, and no write of a workspace is called that: it would never start`,
    `Allowed: ${worldOperations.join(', ')}.`,
  );
}

/** Makes a schedule from flags. Throws `bad_argument` that names the wrong flag. */
export function parseSchedule(id: string, prompt: string, flags: ScheduleFlags): Schedule {
  const { thread, missed = 'once', jitter, maxTokens, maxUsd, maxTime, paths, gather } = flags;
  const together = parseScheduleLimits(flags);
  const policy = policies.find((each) => each === missed);
  if (policy === undefined)
    throw badArgument(`--missed is ${JSON.stringify(missed)}`, `Allowed: ${policies.join(', ')}.`);
  if (thread !== undefined && !threadId.safeParse(thread).success)
    throw badArgument(
      `${JSON.stringify(thread)} is not a valid thread id`,
      'Give up to 100 letters, digits, and _ . : -.',
    );
  const limits = { max_tokens: maxTokens, max_usd: maxUsd, max_time: maxTime };
  const givenLimits = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
  // The schema of the settings checks the limits.
  const { values } = loadConfiguration({ environment: processEnvironment(), flags: givenLimits });
  return {
    id,
    prompt,
    trigger: parseTrigger(flags),
    thread: thread ?? null,
    missed: policy,
    jitterMs: jitter === undefined ? 0 : parseMilliseconds('--jitter', jitter),
    limits: {
      ...(maxTokens !== undefined && { tokens: values.max_tokens }),
      ...(maxUsd !== undefined && { usd: values.max_usd }),
      ...(maxTime !== undefined && { wall_ms: values.max_time }),
    },
    ...(together !== undefined && { together }),
    ...(paths !== undefined && { paths }),
    ...(gather !== undefined && { gatherMs: parseMilliseconds('--gather', gather) }),
    enabled: true,
  };
}

const deliverNothing = async (): Promise<undefined> => undefined;

type SchedulePorts = Pick<Sessions, 'schedules' | 'queue'>;

export function addSchedule(
  { schedules, queue }: SchedulePorts,
  schedule: Schedule,
  by?: Actor,
): Promise<ScheduleRow> {
  const signal = new AbortController().signal;
  return createScheduleRunner({ schedules, queue, clock: systemClock, signal, deliver: deliverNothing }).add(
    schedule,
    by,
  );
}

/** Throws `bad_argument` as `addSchedule` does, and stores nothing. */
export async function checkNewSchedule(
  { queue }: Pick<SchedulePorts, 'queue'>,
  schedule: Schedule,
): Promise<void> {
  const schedules = {
    add: async (schedule: Schedule, next: number | null) => ({ ...schedule, next, created: 0 }),
  } as Schedules;
  await addSchedule({ schedules, queue }, schedule);
}

/** Enables or disables a schedule. Enabling a built-in one adds it. Throws `not_found`. */
export async function enableSchedule(
  scheduling: SchedulePorts,
  id: string,
  enabled: boolean,
  by?: Actor,
): Promise<ScheduleRow> {
  const { schedules, queue } = scheduling;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const builtIn = (await schedules.list()).some((row) => row.id === id)
    ? null
    : findBuiltInSchedule(id, zone);
  if (builtIn !== null && enabled) return addSchedule(scheduling, builtIn, by);
  const signal = new AbortController().signal;
  return createScheduleRunner({
    schedules,
    queue,
    clock: systemClock,
    signal,
    deliver: deliverNothing,
  }).enable(id, enabled, by);
}

export function formatTrigger(trigger: Trigger): string {
  switch (trigger.kind) {
    case 'cron':
      return `${trigger.expression} (${trigger.zone})`;
    case 'interval':
      return `every ${trigger.everyMs / 1000} s`;
    case 'event':
      return `on ${trigger.names.join(', ')}`;
  }
}

/** Formats the paths, gathering time and limits of a schedule, with today's use; empty if it has none. */
export function formatLimits(row: ScheduleRow, fires: readonly Fire[], now: number): string {
  const { together = {}, paths = [], gatherMs = 0 } = row;
  const { running, perDay, usdPerDay } = together;
  const day = dayStart(now, zoneOf(row));
  const startedCount = fires.filter((fire) => (fire.started ?? 0) >= day).length;
  const heldCount = fires.filter(({ state, at }) => state === 'held' && at >= day).length;
  const parts = [
    ...(paths.length > 0 ? [`pages ${paths.join(', ')}`] : []),
    ...(gatherMs > 0 ? [`gathers until ${gatherMs / 1000} s are quiet`] : []),
    ...(running === undefined ? [] : [`${running} at once`]),
    ...(perDay === undefined ? [] : [`${startedCount} of ${perDay} today`]),
    ...(usdPerDay === undefined ? [] : [`$${usdPerDay} a day`]),
    ...(heldCount > 0 ? [`${heldCount} held today`] : []),
  ];
  return parts.join('; ');
}

/** Formats the last start of a schedule with its state. */
export function formatLastStart({ due, state, note, outcome, byHand }: Fire): string {
  const time = `${new Date(due).toISOString()}${byHand ? ', by hand' : ''}`;
  if (outcome?.status === 'interrupted')
    return `${time}: it asked something (sonde chat --thread ${outcome.thread})`;
  return `${time} ${state}${note === null ? '' : `, ${plainLine(note)}`}`;
}

export const formatNextStart = ({ next, enabled }: ScheduleRow): string =>
  !enabled ? 'switched off' : next === null ? 'waits for its event' : `next ${new Date(next).toISOString()}`;

export interface RunSchedulesRequest {
  /** The id of a schedule to start, due or not; absent: all that are due. */
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
  /** When the last debounce of collected events ends, if no server waits for it; null: none. Milliseconds since the epoch. */
  readonly gathersUntil: number | null;
}

/** Time between two checks while an import is running. Milliseconds. */
const importPollMs = 500;

/**
 * Starts schedules and waits for them. Uses the agent of the server if one has the workspace. Throws `not_found` for a
 * missing schedule.
 */
export async function runSchedules({ id, settings, signal }: RunSchedulesRequest): Promise<ScheduleResults> {
  const defaultUsd = loadConfiguration({ environment: processEnvironment(), flags: settings }).values.max_usd;
  /** By thread: the id of the schedule that started its turn. */
  const scheduleByThread = new Map<string, string>();
  const agent = await openAgent({
    settings,
    signal,
    scheduleOf: (thread) => scheduleByThread.get(thread) ?? null,
  });
  /** By message id: the threads of running turns. */
  const threadByMessage = new Map<string, string>();
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
    scheduleByThread.set(thread, schedule.id);
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
    threadByMessage.set(id, thread);
    const reply = await agent.client.turn(request, undefined, id).finally(() => threadByMessage.delete(id));
    const { status, text } = 'type' in reply ? { status: 'refused' as const, text: reply.message } : reply;
    ran.push({ schedule: schedule.id, thread, status, text });
    if (status === 'failed' || status === 'refused')
      throw new SondeError('tool_failed', {
        message: `${status}: ${text}`,
        remedy: `See what it did: sonde chat --thread ${thread}`,
      });
    return { thread, status };
  }

  const cancel = (): void => {
    for (const [messageId, thread] of threadByMessage)
      agent.client.request({ type: 'cancel', thread_id: thread, of: messageId }).catch(() => {});
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const { schedules, queue } = agent.sessions;
    const runner = createScheduleRunner({
      ...{ schedules, queue, clock: systemClock, signal, deliver },
      spentSince: createSpendingReader(agent.store),
      defaultLimits: { usd: defaultUsd },
    });
    if (id === undefined) {
      // A server follows the workspace by itself.
      if (!agent.served) await followWorld(runner, agent, signal);
      await runner.tick();
    } else {
      const { fire, isTaken } = await runner.fireNow(id);
      // The server started it first and records its end. Sending the same message again only waits for that turn.
      if (isTaken) await deliver({ fire, schedule: await schedules.get(id) }).catch(() => {});
    }
    // Errors of turns are in `ran`. Other errors are thrown if no turn ran.
    if (ran.length === 0 && failure !== undefined) throw failure;
    return { ran, gathersUntil: runner.gathersUntil() };
  } finally {
    signal.removeEventListener('abort', cancel);
    await agent.close();
  }
}

async function followWorld(
  runner: ScheduleRunner,
  { world, database, sessions: { schedules } }: OpenAgent,
  signal: AbortSignal,
): Promise<void> {
  const follower = await openFollower(runner, { world, marks: openPositionStore(database), schedules });
  while (!signal.aborted) {
    const { isAll } = await follower.readNext();
    if (isAll && !follower.hasOpenImports()) return;
    if (isAll) await sleep(importPollMs, undefined, { signal }).catch(() => {});
  }
}
