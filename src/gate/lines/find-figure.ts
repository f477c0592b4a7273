/** Whether a source contains a figure or a time of a claim, or numbers from which the author calculated it. */
import { type Figure, findFigures } from '../claim/figures.ts';
import { matchFigure } from '../claim/match-figure.ts';
import type { Reading } from '../claim/reading.ts';
import { isSameMoment, type Moment } from '../claim/times.ts';
import type { FoundTerm } from './find-name.ts';
import type { Source } from './source.ts';

interface FoundFigure {
  readonly how: FoundTerm['how'];
  readonly segments: readonly number[];
}

export function findFigure(figure: Figure, reading: Reading, source: Source): FoundFigure | null {
  const same: number[] = [];
  const open: number[] = [];
  for (const [index, { figures, text }] of source.segments.entries())
    for (const given of figures) {
      const told = findUnitInComment(given, index, figure.dimension, source);
      const match = matchFigure(
        figure,
        told === null ? given : addUnit(given, told),
        text.slice(0, given.start),
        `${around(index, source)}\n${findKeyAbove(index, source)}`,
      );
      if (match === 'same') same.push(index);
      else if (match === 'unit_open') open.push(index);
    }
  if (same.length > 0) return { how: 'exact', segments: [...new Set(same)] };
  if (open.length > 0) return { how: 'loose', segments: [...new Set(open)] };
  const short = findShortYear(figure, source);
  if (short.length > 0) return { how: 'loose', segments: short };
  const release = new RegExp(
    `(?<![\\p{L}\\p{N}])v${String(figure.number).replace('.', '\\.')}(?![\\p{L}\\p{N}]|\\.\\d)`,
    'iu',
  );
  const released =
    figure.dimension === null
      ? source.segments.flatMap(({ text }, at) => (release.test(text) ? [at] : []))
      : [];
  if (released.length > 0) return { how: 'loose', segments: released };
  const flagged = findInFlag(figure, source);
  if (flagged.length === 0) flagged.push(...findUnderUnit(figure, source));
  if (flagged.length > 0) return { how: 'loose', segments: flagged };
  const bare = String(figure.number);
  if (new RegExp(`(?<![\\d.])${bare.replace('.', '\\.')}(?![\\d]|\\.\\d)`).test(source.known.text))
    return { how: 'known', segments: [] };
  return isRounded(figure, reading, source) ||
    mayBeCalculated(figure, reading.text.slice(0, figure.start), source)
    ? { how: 'loose', segments: [] }
    : null;
}

const unitNames =
  /(?<![\p{L}\p{N}_.-])(?:nanoseconds?|microseconds?|milliseconds?|msecs?|millis|ms|seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|bytes?|kib|mib|gib|kb|mb|gb|kilobytes?|megabytes?)(?![\p{L}\p{N}_])/giu;

/**
 * The unit that a comment gives to the only number of a line of code: `TTL = 500  # seconds`, or the comment above that
 * says `in seconds`. Null if there is none, or the name itself has one.
 */
function findUnitInComment(
  { start, end, dimension, isPart }: Figure,
  index: number,
  wanted: Figure['dimension'],
  { segments }: Source,
): string | null {
  const { text, isCode, isRecord, figures, source } = segments[index]!;
  if (dimension !== null || (wanted !== 'time' && wanted !== 'bytes')) return null;
  if (!isCode || isRecord || isPart || figures.length > 1 || !/[=:]\s*$/.test(text.slice(0, start)))
    return null;
  const behind = /^\s*[;,]?\s*(?:#|\/\/|\/\*|--)(.*)$/u.exec(text.slice(end))?.[1];
  const above = segments[index - 1];
  const said =
    behind ??
    (above !== undefined && above.source === source && !above.isCode
      ? (/(?:\bin |[([])(\p{L}+)[)\].,]?\s*(?:\*\/)?\s*$/iu.exec(above.text)?.[1] ?? '')
      : '');
  const [unit, ...more] = said.match(unitNames) ?? [];
  return unit === undefined || more.length > 0 ? null : unit;
}

const addUnit = (given: Figure, unit: string): Figure => {
  const [read] = findFigures(`${given.number} ${unit}`);
  return read === undefined ? given : { ...read, start: given.start, end: given.end };
};

/** Whether the author may have counted a number in words. Such a number can't exceed the number of lines. */
export function mayBeCounted(
  { isWord, dimension, value, end }: Figure,
  { text }: Reading,
  { flats, segments }: Source,
): boolean {
  if (!isWord || dimension !== null) return false;
  // `five times slower` is the result of a division.
  if (/^[\s-]*(?:times|fold)\b/i.test(text.slice(end))) return true;
  return (
    value <= Math.max(segments.length, ...flats.map((flat) => flat.length / 40)) ||
    segments.some(({ text: line }) => (line.match(/,|\s(?:and|or|&)\s/g)?.length ?? 0) + 1 >= value)
  );
}

/** The lines with a name that holds the year in two digits: `incidents_85_99` for 1985. */
function findShortYear(
  { text, number, dimension }: Figure,
  { joined, names, segments }: Source,
): readonly number[] {
  if (dimension !== null || !/^(?:19|20)\d\d$/.test(text)) return [];
  const dated = segments.flatMap(({ moments }, at) =>
    moments.some(({ day }) => day?.startsWith(`${text}-`) === true) ? [at] : [],
  );
  if (dated.length > 0) return dated;
  const short = String(number).slice(2);
  const form = new RegExp(`_${short}(?![\\p{L}\\p{N}])`, 'u');
  return [...new Set([...names, ...joined].flatMap(([name, at]) => (form.test(name) ? at : [])))];
}

/** The lines with a flag that ends in the size: `-Xmx600m` for 600 MB. */
function findInFlag({ text, number, dimension }: Figure, { segments }: Source): number[] {
  const letter = /^[\d.]+\s?([kmgt])(?:i?b\p{Ll}*)?$/iu.exec(text)?.[1];
  if (letter === undefined || (dimension !== 'bytes' && dimension !== 'time')) return [];
  const form = new RegExp(`\\s-\\p{L}+=?${number}${letter}b?(?![\\p{L}\\p{N}])`, 'iu');
  return segments.flatMap(({ text: line }, at) => (form.test(` ${line}`) ? [at] : []));
}

/** The lines with the bare number, if a name in them ends in its unit: `CACHE_MB`, `(ms)`, `Kbytes`. */
function findUnderUnit({ text, number, dimension }: Figure, { segments }: Source): readonly number[] {
  const unit = /\p{L}+$/u.exec(text)?.[0].toLowerCase() ?? '';
  const short =
    dimension === 'bytes' ? /^[kmgt]/.exec(unit)?.[0] : dimension === 'time' ? shortUnit(unit) : undefined;
  if (short === undefined) return [];
  const form =
    dimension === 'bytes'
      ? new RegExp(`(?:_|\\b)${short}(?:i?b|i?bytes?)(?![\\p{L}\\p{N}])`, 'iu')
      : new RegExp(`[_(]${short}(?![\\p{L}\\p{N}])`, 'u');
  if (!segments.some((segment) => form.test(segment.text))) return [];
  return segments.flatMap(({ figures }, at) =>
    figures.some((figure) => figure.dimension === null && figure.number === number) ? [at] : [],
  );
}

const shortUnit = (unit: string): string | undefined =>
  /^milli|^ms/.test(unit) ? 'ms' : /^micro|^us/.test(unit) ? 'us' : /^s(?:ec|$)/.test(unit) ? 's' : undefined;

/** The key of the object around a line of JSON: `"dailyMinutesDown": {` above `"2026-08-20": 69`. */
function findKeyAbove(index: number, { segments }: Source): string {
  const own = segments[index]!;
  if (!/^\s*"[^"]*":\s*[^\s{[]/.test(own.text)) return '';
  const indent = own.text.search(/\S/);
  const key = segments
    .slice(0, index)
    .findLast(
      ({ source, text }) => source === own.source && text.search(/\S/) < indent && text.trim() !== '',
    );
  return /^\s*"[^"]*":\s*\{\s*$/.test(key?.text ?? '')
    ? key!.text.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
    : '';
}

/** The text of a line with its neighbours. */
const around = (index: number, { segments }: Source): string =>
  [segments[index - 1], segments[index], segments[index + 1]]
    .map((segment) => segment?.text ?? '')
    .join('\n');

/** How far a rounded figure may be from that of the lines. */
const maxRounding = 0.15;
const below = /\b(?:almost|nearly|not quite|just under|under|less than|below|close to)\s*$/i;
const above = /\b(?:more than|over|above|just over|at least|longer than|upwards of)\s*$/i;

/** Whether the words before a figure say that it is rounded, and which way. */
export const saysRounded = (before: string): boolean => below.test(before) || above.test(before);

/**
 * Whether the claim rounds a figure of the lines, and says which way: `more than 8 seconds` for 8133 ms. A bare number
 * has the unit of the figure before it.
 */
function isRounded(figure: Figure, { text, figures }: Reading, { segments }: Source): boolean {
  const before = text.slice(0, figure.start);
  const way = below.test(before) ? 1 : above.test(before) ? -1 : 0;
  if (way === 0) return false;
  const last = figures.findLast(({ end, isWord }) => end <= figure.start && !isWord);
  const lent =
    figure.dimension === null && last !== undefined && last.dimension !== null && last.number > 0
      ? last
      : figure;
  const value = lent === figure ? figure.value : (figure.number * lent.value) / lent.number;
  return segments.some((segment) =>
    segment.figures.some((given) => {
      const less = (value - given.value) * way;
      return given.dimension === lent.dimension && less >= 0 && less <= maxRounding * value;
    }),
  );
}

/**
 * Whether the author may have calculated the figure: as the difference of two times in the lines, or as the share of
 * two figures.
 */
function mayBeCalculated(figure: Figure, before: string, source: Source): boolean {
  // In `2 hours and 2 minutes` the last unit gives the precision.
  const slack = /\p{L}.*\d/u.test(figure.text)
    ? 0
    : /(?:~|\b(?:about|almost|nearly|roughly|approx(?:imately|\.)?|around|some|over|under|circa|ca\.))\s*$/i.test(
          before,
        ) || isRound(figure)
      ? 0.1
      : 0.02;
  if (figure.dimension === 'time') {
    const points = listPointsInTime(source, figure.value >= dayMs).slice(0, 80);
    const max = /\b(?:within|under|less than|inside)\s*$/i.test(before) ? figure.value : null;
    if (max !== null && points.some((a) => points.some((b) => a > b && (a - b) * 1_000 <= max))) return true;
    return points.some((a) =>
      points.some(
        (b) =>
          a > b &&
          Math.abs((a - b) * 1_000 - figure.value) <= Math.max(figure.tolerance, slack * figure.value),
      ),
    );
  }
  if (figure.dimension !== 'percent') return false;
  const numbers = source.segments
    .flatMap(({ figures }) => figures.filter(({ isWord }) => !isWord).map(({ value }) => value))
    .slice(0, 60);
  const digit = Math.max(figure.tolerance, 0.05);
  return numbers.some((a) =>
    numbers.some(
      (b) =>
        a > 0 &&
        b > a &&
        [(a / b) * 100, ((b - a) / b) * 100].some((share) => Math.abs(share - figure.value) <= digit),
    ),
  );
}

const dayMs = 86_400_000;

/** Whether a figure is rounded as people round: to five minutes, or to ten of something else. */
const isRound = ({ number, text }: Figure): boolean =>
  number >= 10 && number % (/min/i.test(text) ? 5 : 10) === 0;

/**
 * The times in seconds. A time without a date is of the day that was named before it, and all of one day if none was. A
 * date without a time counts only for what lasts days.
 */
function listPointsInTime({ segments }: Source, areDays: boolean): readonly number[] {
  let date = 0;
  return segments.flatMap(({ moments }) =>
    moments.flatMap(({ day, second, text }) => {
      const own = day === null || day.startsWith('-') ? Number.NaN : Date.parse(`${day}T00:00:00Z`) / 1_000;
      if (Number.isFinite(own)) date = own;
      if (second === null) return areDays && Number.isFinite(own) ? [own] : [];
      const part = /:\d\d[.,](\d{3,})(?!\d)/.exec(text)?.[1];
      return [date + second + (part === undefined ? 0 : Number(`0.${part}`))];
    }),
  );
}

export function findMoment(moment: Moment, source: Source): FoundFigure | null {
  const segments = source.segments.flatMap(({ moments }, index) =>
    moments.some((given) => isSameMoment(moment, given)) ? [index] : [],
  );
  if (segments.length > 0) return { how: 'exact', segments };
  return source.known.text.includes(moment.text) ? { how: 'known', segments: [] } : null;
}
