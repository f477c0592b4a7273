/** Points in time in a text, each as exact as it is written. */

export interface Moment {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /**
   * The day as `2024-01-15`; null if no date is written. Without a year it begins with `-`; without a day of the month
   * it is `2024-01`.
   */
  readonly day: string | null;
  /** Second of the day: in UTC if an offset is written, otherwise as written; null without a time. */
  readonly second: number | null;
  /** The precision of the moment, in seconds. */
  readonly grain: number;
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const month =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const clock =
  '(?<hour>[01]?\\d|2[0-4])(?::(?<minute>[0-5]\\d)(?::(?<second>[0-5]\\d|60)(?:[.,](?<part>\\d+)|:\\d{3}(?!\\d))?)?\\s?(?<half>[ap]\\.?m\\b\\.?)?|\\s?(?<half2>[ap]\\.?m\\b\\.?))';
const zone = '(?:\\s?(?<zone>Z(?![\\p{L}])|[+-]\\d{2}:?\\d{2}(?!\\d)))?';
const forms: readonly RegExp[] = [
  // `20171223-22:15:29:606|` and `081109 203615 148 INFO`, as some logs begin their lines.
  new RegExp(
    `(?<![\\p{L}\\p{N}_.-])(?<year>(?:19|20)\\d\\d)(?<month>0[1-9]|1[0-2])(?<day>[0-3]\\d)[-T ]${clock}(?!\\d)`,
    'giu',
  ),
  /(?<![^\n])(?<short>\d\d)(?<month>0[1-9]|1[0-2])(?<day>[0-3]\d) (?<hour>[01]\d|2[0-3])(?<minute>[0-5]\d)(?<second>[0-5]\d)(?= \d+ (?:INFO|WARN|ERROR|DEBUG|FATAL|TRACE)\b)/gu,
  new RegExp(
    `(?<![\\p{L}\\p{N}_.-])(?<year>\\d{4})[-/](?<month>\\d{2})[-/](?<day>\\d{2})(?:[T ,]+${clock}${zone})?(?![\\d-])`,
    'giu',
  ),
  // `11.11.2019`, and `20191111` alone.
  /(?<![\p{L}\p{N}_.-])(?<day>0?[1-9]|[12]\d|3[01])\.(?<month>0?[1-9]|1[0-2])\.(?<year>(?:19|20)\d\d)(?![\p{L}\p{N}_-]|\.\d)/gu,
  /(?<![^\s(])(?<year>(?:19|20)\d\d)(?<month>0[1-9]|1[0-2])(?<day>0[1-9]|[12]\d|3[01])(?=[\s,;)]|$)/gu,
  new RegExp(
    `(?<![\\p{L}\\p{N}_.-])(?<day>\\d{1,2})(?:st|nd|rd|th)?[ /.-]+(?<name>${month})\\b\\.?(?:[ ,/-]+(?<year>(?:1[89]|20)\\d\\d)(?!\\d))?(?:[ ,:T]+(?:at )?${clock}${zone})?`,
    'giu',
  ),
  new RegExp(
    `\\b(?<name>${month})\\b\\.?[ -]+(?<day>\\d{1,2})(?:st|nd|rd|th)?\\b(?!:)(?:[ ,]+(?<year>(?:1[89]|20)\\d\\d)(?!\\d))?(?:[ ,]+(?:at )?${clock}${zone})?`,
    'giu',
  ),
  new RegExp(`(?<![\\p{L}\\p{N}_.:/-])${clock}${zone}(?!\\d|:\\d)`, 'giu'),
  new RegExp(`\\b(?<name>${month})\\b\\.?,?\\s(?:of\\s)?(?<year>(?:19|20)\\d\\d)(?![\\d-])`, 'giu'),
];
const epoch = /(?<![\p{L}\p{N}_.])(1[2-9]\d{8})(\d{3})?(?:\.\d+)?(?![\p{L}\p{N}_])/gu;

export function findMoments(text: string): readonly Moment[] {
  const found: Moment[] = [];
  for (const form of forms)
    for (const match of text.matchAll(form)) {
      const [start, end] = [match.index, match.index + match[0].length];
      if (found.some((other) => start < other.end && other.start < end)) continue;
      found.push(...createMoments(match[0].trimEnd(), start, match.groups!));
    }
  for (const match of text.matchAll(epoch)) {
    const date = new Date(Number(match[1]) * 1_000);
    const day = date.toISOString().slice(0, 10);
    const shared = { text: match[0], start: match.index, end: match.index + match[0].length };
    found.push({ ...shared, day, second: toSecondOfDay(date), grain: 1 });
  }
  return found.sort((a, b) => a.start - b.start);
}

const monthLength = '2018-01'.length;

type Groups = Readonly<Record<string, string | undefined>>;

/** A time with an offset counts both as written and in UTC: a claim may use either. */
function createMoments(text: string, at: number, groups: Groups): readonly Moment[] {
  const { name, hour, minute, second, zone: offset } = groups;
  const year = groups['year'] ?? (groups['short'] === undefined ? undefined : `20${groups['short']}`);
  const half = (groups['half'] ?? groups['half2'])?.[0]?.toLowerCase();
  if (hour !== undefined && minute === undefined && half === undefined) return [];
  const number =
    name === undefined ? groups['month'] : String(months.indexOf(name.slice(0, 3).toLowerCase()) + 1);
  const dayNumber = groups['day'];
  const date =
    number === undefined || (dayNumber === undefined && year === undefined)
      ? null
      : dayNumber === undefined
        ? `${year}-${number.padStart(2, '0')}`
        : `${year ?? ''}-${number.padStart(2, '0')}-${dayNumber.padStart(2, '0')}`;
  if (Number(dayNumber ?? 1) > 31) return [];
  const shared = { text, start: at, end: at + text.length };
  if (hour === undefined) return date === null ? [] : [{ ...shared, day: date, second: null, grain: 86_400 }];
  let hours = Number(hour);
  if (half === 'p' && hours < 12) hours += 12;
  if (half === 'a' && hours === 12) hours = 0;
  const grain = minute === undefined ? 3_600 : second === undefined ? 60 : 1;
  const local = hours * 3_600 + Number(minute ?? 0) * 60 + Number(second ?? 0);
  const written = { ...shared, day: date, second: local, grain };
  const shift = /^([+-])(\d{2}):?(\d{2})$/.exec(offset ?? '');
  if (shift === null) return [written];
  const secondsFromUtc = (Number(shift[2]) * 3_600 + Number(shift[3]) * 60) * (shift[1] === '-' ? -1 : 1);
  if (date === null || date.startsWith('-'))
    return [written, { ...written, second: (((local - secondsFromUtc) % 86_400) + 86_400) % 86_400 }];
  const utc = new Date(Date.parse(`${date}T00:00:00Z`) + (local - secondsFromUtc) * 1_000);
  if (Number.isNaN(utc.getTime())) return [written];
  return [written, { ...written, day: utc.toISOString().slice(0, 10), second: toSecondOfDay(utc) }];
}

const toSecondOfDay = (date: Date): number => Math.floor(date.getTime() / 1_000) % 86_400;

/** Whether both moments agree, to the precision of the claim. */
export function isSameMoment(claimed: Moment, moment: Moment): boolean {
  if (claimed.day !== null && moment.day !== null && !isSameDay(claimed.day, moment.day)) return false;
  if (claimed.second === null) return moment.day !== null;
  if (moment.second === null) return false;
  if (claimed.day !== null && moment.day === null && claimed.second === null) return false;
  const grain = Math.max(claimed.grain, moment.grain);
  return Math.floor(claimed.second / grain) === Math.floor(moment.second / grain);
}

/** Whether two days agree. `January 2018` agrees with any of its days. */
const isSameDay = (a: string, b: string): boolean =>
  a === b ||
  (a.length === monthLength && b.startsWith(`${a}-`)) ||
  (a.slice(-6) === b.slice(-6) && (a[0] === '-' || b[0] === '-'));
