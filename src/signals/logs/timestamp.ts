/** Times as logs write them. A time without a zone counts as UTC; without a year, as in the year of `now`. */

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Between 1990 and 2100, in milliseconds. */
const earliest = 631_152_000_000;
const latest = 4_102_444_800_000;

/**
 * Parses a time from a field of its own: a number of seconds, milliseconds, micro- or nanoseconds, or any text that
 * contains a time.
 */
export function parseTime(value: unknown, now = Date.now()): number | null {
  if (typeof value === 'number') return epoch(value);
  if (typeof value !== 'string') return null;
  const text = value.trim();
  if (/^\d{9,19}(\.\d+)?$/.test(text)) return epoch(Number(text));
  const found = findTime(text, now);
  return found !== null && found.start === 0 ? found.at : null;
}

function epoch(value: number): number | null {
  for (const unit of [1_000, 1, 1e-3, 1e-6]) {
    const at = Math.floor(value * unit);
    if (at >= earliest && at < latest) return at;
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

/** Looked for at the start of a line, behind at most this much. */
const reach = 48;
const maxHeadLength = 100;

const formats: readonly Format[] = [iso, access, weekday, syslogTime, klog, epochAhead];

/** The time of a line, tried in the order of how common its writing is. */
export function findTime(line: string, now = Date.now()): FoundTime | null {
  return timeFinder(now)(line);
}

/** For the lines of one source: the writing that was found last is tried first. */
export function timeFinder(now = Date.now()): (line: string) => FoundTime | null {
  let usual: Format = iso;
  const tryFormat = (format: Format, head: string): FoundTime | null => {
    const found = format(head, now);
    return found !== null && found.start <= reach ? found : null;
  };
  return (line) => {
    const head = line.length > maxHeadLength ? line.slice(0, maxHeadLength) : line;
    // Nothing that has no two digits is a time.
    if (!/\d\d/.test(head)) return null;
    const foundTime = tryFormat(usual, head);
    if (foundTime !== null) return foundTime;
    for (const format of formats) {
      if (format === usual) continue;
      const found = tryFormat(format, head);
      if (found === null) continue;
      usual = format;
      return found;
    }
    return null;
  };
}

/** `2026-07-11T12:00:00.123Z`, `2015-07-29 17:41:44,747`, `2026/07/11 12:00:00`, with or without a zone. */
function iso(head: string): FoundTime | null {
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
  return at(
    Date.UTC(digits(0, 4), digits(5, 2) - 1, digits(8, 2), digits(11, 2), digits(14, 2), seconds, ms) -
      offset,
    start,
    end,
  );
}

/** `10/Oct/2000:13:55:36 -0700` of web servers. */
function access(head: string): FoundTime | null {
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
  return at(utc - (zone === undefined ? 0 : zoneMs(zone)), found.index, found.index + whole.length);
}

/** `Jul 11 12:00:00`, `Jul 11 2026 12:00:00.123`, `11 Jul 2026 12:00:00`. */
function syslogTime(head: string, now: number): FoundTime | null {
  const found =
    /\b([A-Z][a-z]{2})\s+(\d{1,2})(?:,? (\d{4}))?,? (\d\d):(\d\d):(\d\d)(?:[.,](\d{1,6}))?/.exec(head) ??
    /\b(\d{1,2}) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d)(?:[.,](\d{1,6}))?/.exec(head);
  if (found === null) return null;
  const [whole, first, second, year, h, m, s, fraction] = found;
  const [name, day] = /^\d/.test(first!) ? [second!, first!] : [first!, second!];
  const month = months.indexOf(name.toLowerCase());
  if (month < 0) return null;
  const ms = fraction === undefined ? 0 : Math.floor(Number(`0.${fraction}`) * 1_000);
  const utc = (of: number): number => Date.UTC(of, month, Number(day), Number(h), Number(m), Number(s), ms);
  const end = found.index + whole.length;
  if (year !== undefined) return at(utc(Number(year)), found.index, end);
  // December read in January is of the year before.
  const thisYear = new Date(now).getUTCFullYear();
  return at(utc(thisYear) > now + 2 * 86_400_000 ? utc(thisYear - 1) : utc(thisYear), found.index, end);
}

/** `I0711 12:00:00.123456` of Kubernetes and glog. */
function klog(head: string, now: number): FoundTime | null {
  const found = /^[IWEFD](\d\d)(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{3})\d*/.exec(head);
  if (found === null) return null;
  const [whole, month, day, h, m, s, ms] = found;
  const year = new Date(now).getUTCFullYear();
  const utc = (of: number): number =>
    Date.UTC(of, Number(month) - 1, Number(day), Number(h), Number(m), Number(s), Number(ms));
  return at(utc(year) > now + 2 * 86_400_000 ? utc(year - 1) : utc(year), 0, whole.length);
}

/** `Sat Jul 11 12:00:00 2026` (Apache), `20260711-12:00:00:123`, `260711 12:00:00` (HDFS, old MySQL). */
function weekday(head: string): FoundTime | null {
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
    return at(utc, apache.index, apache.index + whole.length);
  }
  const dense = /^(\d{2}|\d{4})(\d\d)(\d\d)[- ](\d\d):?(\d\d):?(\d\d)\b(?:[:.,](\d{1,3}))?/.exec(head);
  if (dense === null) return null;
  const [whole, year, month, day, h, m, s, ms] = dense;
  const full = year!.length === 2 ? 2_000 + Number(year) : Number(year);
  if (Number(month) > 12 || Number(h) > 23) return null;
  return at(
    Date.UTC(full, Number(month) - 1, Number(day), Number(h), Number(m), Number(s), Number(ms ?? 0)),
    0,
    whole.length,
  );
}

/** `1783771200.123 ...` at the very start. */
function epochAhead(head: string): FoundTime | null {
  const found = /^\[?(\d{10}(?:\.\d+)?|\d{13}|\d{16}|\d{19})\]?(?=[\s:|,])/.exec(head);
  const value = found === null ? null : epoch(Number(found[1]));
  return value === null ? null : at(value, 0, found![0].length);
}

function at(value: number, start: number, end: number): FoundTime | null {
  return Number.isFinite(value) && value >= earliest && value < latest ? { at: value, start, end } : null;
}

function zoneMs(zone: string): number {
  const found = /^([+-])(\d\d):?(\d\d)$/.exec(zone);
  if (found === null) return 0;
  return (found[1] === '-' ? -1 : 1) * (Number(found[2]) * 60 + Number(found[3])) * 60_000;
}
