/** Describes a turn for the planner: date and zone, workspace, conversation, and what started it. */
import { plainLine, shortLine } from '../../core/index.ts';

/** The schedule that a turn was started by. */
export interface StartedBy {
  readonly schedule: string;
  /** When the turn was to start. Milliseconds since the epoch, as every time here. */
  readonly due: number;
  /** The time zone of the schedule; absent: that of the person. */
  readonly zone?: string;
  /** The time before at which the schedule was due; null if there is none. */
  readonly last: number | null;
}

export interface TurnFacts {
  /** The name of the workspace. */
  readonly workspace?: string;
  /** The time zone of the person; UTC if it is not set. */
  readonly zone?: string;
  readonly thread: string;
  /** The end of the last turn of this conversation; null if this is the first. */
  readonly before: number | null;
  readonly startedBy: StartedBy | null;
}

/** Maximum characters of a name. */
const maxNameLength = 100;

/** `now`: milliseconds since the epoch. */
export function formatWhere(
  { workspace, zone = 'UTC', thread, before, startedBy }: TurnFacts,
  now: number,
): string {
  const formats = createTimeFormats(startedBy?.zone ?? zone);
  return [
    `It is ${formats.full(now)}.`,
    `${workspace === undefined ? '' : `Workspace: ${shortLine(plainLine(workspace), maxNameLength)}. `}Conversation: ${thread}.`,
    ...(startedBy === null ? [] : [formatStart(startedBy, formats.short)]),
    ...(before === null ? [] : [`Its last turn ended ${formats.short(before)}.`]),
  ].join(' ');
}

function formatStart({ schedule, due, last }: StartedBy, formatTime: (time: number) => string): string {
  const lastText = last === null ? 'its first time' : `the time before: ${formatTime(last)}`;
  return `No person wrote this just now: the schedule ${schedule} started it, due ${formatTime(due)}, ${lastText}.`;
}

function createTimeFormats(zone: string) {
  const format = (options: Intl.DateTimeFormatOptions, locale = 'sv-SE') =>
    new Intl.DateTimeFormat(locale, { timeZone: zone, ...options });
  const minuteFormat = format({ dateStyle: 'short', timeStyle: 'short' });
  const weekdayFormat = format({ weekday: 'long' }, 'en-US');
  const offsetFormat = format({ timeZoneName: 'longOffset' }, 'en-US');
  const formatShort = (time: number): string => minuteFormat.format(time);
  const zoneOffset = (time: number): string =>
    offsetFormat.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return {
    short: formatShort,
    full: (time: number): string =>
      `${weekdayFormat.format(time)}, ${formatShort(time)} (${[...new Set([zone, zoneOffset(time)])].join(', ')})`,
  };
}
