/**
 * Parses times in the formats that logs use. A time without a zone counts as UTC. A time without a year gets the year
 * of `now`, or the year before if it would be more than two days in the future.
 */

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Times before 1990 or from 2100 on are not accepted. Milliseconds since the Unix epoch. */
const earliestMs = 631_152_000_000;
const latestMs = 4_102_444_800_000;

/**
 * Parses a time from a field of its own: a number of seconds, milliseconds, micro- or nanoseconds, or any text that
 * contains a time.
 */
export function parseTime(value: unknown, now = Date.now()): number | null {
  if (typeof value === 'number') return epochMs(value);
  if (typeof value !== 'string') return null;
  const text = value.trim();
  if (/^\d{9,19}(\.\d+)?$/.test(text)) return epochMs(Number(text));
  const found = findTime(text, now);
  return found !== null && found.start === 0 ? found.at : null;
}

function epochMs(value: number): number | null {
  for (const unit of [1_000, 1, 1e-3, 1e-6]) {
    const at = Math.floor(value * unit);
    if (at >= earliestMs && at < latestMs) return at;
  }
  return null;
}

export interface FoundTime {
  readonly at: number;
  /** The position of the time in the line; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
}

type Format = (line: string, now: number) => FoundTime | null;

/** Maximum characters of a line before its time. */
const maxTimeStart = 48;
const maxHeadLength = 100;

const formats: readonly Format[] = [
  findIsoTime,
  findAccessLogTime,
  findWeekdayTime,
  findSyslogTime,
  findKlogTime,
  findEpochTime,
];

/** Finds the time of a line. The formats are tried from the most common to the rarest. */
export function findTime(line: string, now = Date.now()): FoundTime | null {
  return timeFinder(now)(line);
}

/** Returns a finder for the lines of one source, which first tries the format that it found last. */
export function timeFinder(now = Date.now()): (line: string) => FoundTime | null {
  let lastFormat: Format = findIsoTime;
  const tryFormat = (format: Format, head: string): FoundTime | null => {
    const found = format(head, now);
    return found !== null && found.start <= maxTimeStart ? found : null;
  };
  return (line) => {
    const head = line.length > maxHeadLength ? line.slice(0, maxHeadLength) : line;
    // Every time has two digits in a row, so a line without them has none.
    if (!/\d\d/.test(head)) return null;
    const foundTime = tryFormat(lastFormat, head);
    if (foundTime !== null) return foundTime;
    for (const format of formats) {
      if (format === lastFormat) continue;
      const found = tryFormat(format, head);
      if (found === null) continue;
      lastFormat = format;
      return found;
    }
    return null;
  };
}

/** `2026-07-11T12:00:00.123Z`, `2015-07-29 17:41:44,747`, `2026/07/11 12:00:00`, with or without a zone. */
function findIsoTime(head: string): FoundTime | null {
  const start = head.search(/\d{4}[-/]\d\d[-/]\d\d[T _]\d\d:\d\d/);
  if (start < 0) return null;
  const digits = (from: number, count: number): number =>
    Number(head.slice(start + from, start + from + count));
  let end = start + 16;
  let seconds = 0;
  let ms = 0;
  if (head[end] === ':') {
    seconds = digits(17, 2);
    end = start + 19;
    const fraction = /^[.,](\d{1,9})/.exec(head.slice(end, end + 10));
    if (fraction !== null) {
      ms = Math.floor(Number(`0.${fraction[1]}`) * 1_000);
      end += fraction[0].length;
    }
  }
  const zone = /^ ?(Z|UTC|GMT|[+-]\d\d:?\d\d)(?!\d)/.exec(head.slice(end, end + 8));
  const offset = zone === null ? 0 : zoneMs(zone[1]!);
  if (zone !== null) end += zone[0].length;
  return validTime(
    Date.UTC(digits(0, 4), digits(5, 2) - 1, digits(8, 2), digits(11, 2), digits(14, 2), seconds, ms) -
      offset,
    start,
    end,
  );
}

/** `10/Oct/2000:13:55:36 -0700` of web servers. */
function findAccessLogTime(head: string): FoundTime | null {
  const found = /\[?(\d{1,2})\/([A-Z][a-z]{2})\/(\d{4}):(\d\d):(\d\d):(\d\d)(?: ([+-]\d{4}))?\]?/.exec(head);
  if (found === null) return null;
  const [whole, day, month, year, h, m, s, zone] = found;
  const utc = Date.UTC(
    Number(year),
    months.indexOf(month!.toLowerCase()),
    Number(day),
    Number(h),
    Number(m),
    Number(s),
  );
  return validTime(utc - (zone === undefined ? 0 : zoneMs(zone)), found.index, found.index + whole.length);
}

/** `Jul 11 12:00:00`, `Jul 11 2026 12:00:00.123`, `11 Jul 2026 12:00:00`. */
function findSyslogTime(head: string, now: number): FoundTime | null {
  const found =
    /\b([A-Z][a-z]{2})\s+(\d{1,2})(?:,? (\d{4}))?,? (\d\d):(\d\d):(\d\d)(?:[.,](\d{1,6}))?/.exec(head) ??
    /\b(\d{1,2}) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d)(?:[.,](\d{1,6}))?/.exec(head);
  if (found === null) return null;
  const [whole, first, second, year, h, m, s, fraction] = found;
  const [name, day] = /^\d/.test(first!) ? [second!, first!] : [first!, second!];
  const month = months.indexOf(name.toLowerCase());
  if (month < 0) return null;
  const ms = fraction === undefined ? 0 : Math.floor(Number(`0.${fraction}`) * 1_000);
  const utc = (inYear: number): number =>
    Date.UTC(inYear, month, Number(day), Number(h), Number(m), Number(s), ms);
  const end = found.index + whole.length;
  if (year !== undefined) return validTime(utc(Number(year)), found.index, end);
  // December that is read in January is of the year before.
  const thisYear = new Date(now).getUTCFullYear();
  return validTime(
    utc(thisYear) > now + 2 * 86_400_000 ? utc(thisYear - 1) : utc(thisYear),
    found.index,
    end,
  );
}

/** `I0711 12:00:00.123456` of Kubernetes and glog. */
function findKlogTime(head: string, now: number): FoundTime | null {
  const found = /^[IWEFD](\d\d)(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{3})\d*/.exec(head);
  if (found === null) return null;
  const [whole, month, day, h, m, s, ms] = found;
  const year = new Date(now).getUTCFullYear();
  const utc = (inYear: number): number =>
    Date.UTC(inYear, Number(month) - 1, Number(day), Number(h), Number(m), Number(s), Number(ms));
  return validTime(utc(year) > now + 2 * 86_400_000 ? utc(year - 1) : utc(year), 0, whole.length);
}

/** `Sat Jul 11 12:00:00 2026` (Apache), `20260711-12:00:00:123`, `260711 12:00:00` (HDFS, old MySQL). */
function findWeekdayTime(head: string): FoundTime | null {
  const apache =
    /\[?[A-Z][a-z]{2} ([A-Z][a-z]{2}) +(\d{1,2}) (\d\d):(\d\d):(\d\d)(?:\.(\d{3})\d*)? (\d{4})\]?/.exec(head);
  if (apache !== null) {
    const [whole, month, day, h, m, s, ms, year] = apache;
    const utc = Date.UTC(
      Number(year),
      months.indexOf(month!.toLowerCase()),
      Number(day),
      Number(h),
      Number(m),
      Number(s),
      Number(ms ?? 0),
    );
    return validTime(utc, apache.index, apache.index + whole.length);
  }
  const compact = /^(\d{2}|\d{4})(\d\d)(\d\d)[- ](\d\d):?(\d\d):?(\d\d)\b(?:[:.,](\d{1,3}))?/.exec(head);
  if (compact === null) return null;
  const [whole, year, month, day, h, m, s, ms] = compact;
  const fullYear = year!.length === 2 ? 2_000 + Number(year) : Number(year);
  if (Number(month) > 12 || Number(h) > 23) return null;
  return validTime(
    Date.UTC(fullYear, Number(month) - 1, Number(day), Number(h), Number(m), Number(s), Number(ms ?? 0)),
    0,
    whole.length,
  );
}

/** `1783771200.123 ...`, only at the very start of a line. */
function findEpochTime(head: string): FoundTime | null {
  const found = /^\[?(\d{10}(?:\.\d+)?|\d{13}|\d{16}|\d{19})\]?(?=[\s:|,])/.exec(head);
  const value = found === null ? null : epochMs(Number(found[1]));
  return value === null ? null : validTime(value, 0, found![0].length);
}

function validTime(value: number, start: number, end: number): FoundTime | null {
  return Number.isFinite(value) && value >= earliestMs && value < latestMs ? { at: value, start, end } : null;
}

function zoneMs(zone: string): number {
  const found = /^([+-])(\d\d):?(\d\d)$/.exec(zone);
  if (found === null) return 0;
  return (found[1] === '-' ? -1 : 1) * (Number(found[2]) * 60 + Number(found[3])) * 60_000;
}
