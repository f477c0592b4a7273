/** Schedules, as a person keeps and starts them. */
import { SondeError, systemClock } from '../core/index.ts';
import { type DeliveredFire, scheduleRunner } from '../session/index.ts';
import type { Schedule, ScheduleRow, Sessions, Trigger } from '../store/index.ts';
import { worldOperations } from '../world/index.ts';
import { threadId } from './agent/channel.ts';
import type { Ended } from './agent/channel-client.ts';
import { openLocalAgent } from './agent/in-process.ts';
import { loadConfiguration, parseDuration, processEnvironment, type SettingKey } from './config/index.ts';
import { threadOfFire } from './serve/schedules.ts';

export interface NewSchedule {
  readonly cron?: string;
  readonly zone?: string;
  readonly every?: string;
  readonly on?: readonly string[];
  readonly thread?: string;
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

function triggerFrom({ cron, zone, every, on }: NewSchedule): Trigger {
  if ([cron, every, on].filter((each) => each !== undefined).length !== 1)
    throw wrong(
      'When the schedule is to start was not said, or more than once',
      'Give one of --cron, --every and --on.',
    );
  if (zone !== undefined && cron === undefined) throw wrong('--zone is for --cron', 'Leave it out.');
  if (cron !== undefined) return { kind: 'cron', expression: cron, zone: zone ?? 'UTC' };
  if (every !== undefined) return { kind: 'interval', everyMs: milliseconds('--every', every) };
  return { kind: 'event', names: checkEventNames(on ?? []) };
}

/** What the log of a workspace never tells starts nothing. */
function checkEventNames(names: readonly string[]): readonly string[] {
  const stranger = names.find((name) => !worldOperations.includes(name));
  if (stranger === undefined) return names;
  throw wrong(
    `--on is ${JSON.stringify(stranger)}, and no write of a workspace is called that: it would never start`,
    `Allowed: ${worldOperations.join(', ')}.`,
  );
}

/** Throws `bad_argument`, naming the flag. */
export function scheduleFrom(id: string, prompt: string, flags: NewSchedule): Schedule {
  const { thread, missed = 'once', jitter, maxTokens, maxUsd, maxTime } = flags;
  const policy = policies.find((each) => each === missed);
  if (policy === undefined)
    throw wrong(`--missed is ${JSON.stringify(missed)}`, `Allowed: ${policies.join(', ')}.`);
  if (thread !== undefined && !threadId.safeParse(thread).success)
    throw wrong(
      `${JSON.stringify(thread)} is no name of a thread`,
      'Give up to 100 letters, digits, and _ . : -.',
    );
  const limits = { max_tokens: maxTokens, max_usd: maxUsd, max_time: maxTime };
  const given = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
  // The settings' own schema judges them.
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
    enabled: true,
  };
}

const nothing = async (): Promise<void> => {};

type Scheduling = Pick<Sessions, 'schedules' | 'queue'>;

export function addSchedule({ schedules, queue }: Scheduling, schedule: Schedule): ScheduleRow {
  const signal = new AbortController().signal;
  return scheduleRunner({ schedules, queue, clock: systemClock, signal, deliver: nothing }).add(schedule);
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

export const nextText = ({ next, enabled }: ScheduleRow): string =>
  !enabled ? 'switched off' : next === null ? 'waits for its event' : `next ${new Date(next).toISOString()}`;

export interface RunNowRequest {
  /** This schedule, due or not; without it all that are due. */
  readonly id?: string;
  readonly settings: Readonly<Partial<Record<SettingKey, unknown>>>;
  readonly signal: AbortSignal;
}

export interface RanSchedule {
  readonly schedule: string;
  readonly thread: string;
  readonly status: Ended['status'] | 'refused';
  readonly text: string;
}

/** Starts them in this process, and waits. Throws `not_found` for a schedule that is not there. */
export async function runNow({ id, settings, signal }: RunNowRequest): Promise<readonly RanSchedule[]> {
  const { workspace } = loadConfiguration({ environment: processEnvironment(), flags: settings }).values;
  /** By thread, in whose name it writes. */
  const starters = new Map<string, string>();
  const local = await openLocalAgent({
    workspace,
    settings,
    scheduleOf: (thread) => starters.get(thread) ?? null,
  });
  const ran: RanSchedule[] = [];

  async function deliver({ fire, schedule }: Pick<DeliveredFire, 'fire' | 'schedule'>): Promise<void> {
    const thread = threadOfFire({ fire, schedule });
    starters.set(thread, schedule.id);
    const end = Promise.withResolvers<Pick<RanSchedule, 'status' | 'text'>>();
    const off = local.client.onEvent((of, event) => {
      if (of === thread && event.kind === 'turn_ended') end.resolve(event);
    });
    const turn = {
      thread_id: thread,
      message_id: `fire-${fire.id}`,
      prompt: schedule.prompt,
      limits: schedule.limits,
    };
    const event = fire.payload as { readonly name: string; readonly payload: never } | null;
    const reply = await local.client.request(
      event === null
        ? { type: 'start_run', ...turn }
        : { type: 'workspace_event', ...turn, event: { id: fire.id, ...event } },
    );
    if (reply.status === 'error') end.resolve({ status: 'refused', text: reply.message });
    const { status, text } = await end.promise;
    off();
    ran.push({ schedule: schedule.id, thread, status, text });
    if (status === 'failed' || status === 'refused')
      throw new SondeError('tool_failed', {
        message: `${status}: ${text}`,
        remedy: `See how far it came: sonde chat --thread ${thread}`,
      });
  }

  const cancel = (): void => {
    for (const thread of starters.keys())
      local.client.request({ type: 'cancel', thread_id: thread }).catch(() => {});
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const { schedules, queue } = local.sessions;
    if (id === undefined)
      await scheduleRunner({ schedules, queue, clock: systemClock, signal, deliver }).tick();
    else {
      const now = systemClock.now();
      const fire = { id: `${id}/now-${now}`, schedule: id, due: now, at: now, payload: null } as const;
      await deliver({ fire: { ...fire, state: 'waiting', note: null }, schedule: schedules.get(id) }).catch(
        (error: unknown) => {
          // It stands in the result, which is what the caller looks at.
          if (ran.length === 0) throw error;
        },
      );
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    await local.close();
  }
  return ran;
}
