/** Changes named in a claim: from one value to another, up or down, more or less than before. */
import { type Figure, figuresIn } from './figures.ts';
import { matchFigure } from './match-figure.ts';
import type { Reading } from './reading.ts';
import type { Segment, Source } from './source.ts';

const up =
  /\b(?:up|rose|rises?|risen|rising|grew|grows?|grown|increase[sd]?|increasing|climb\w*|jump\w*|raised?|raises|aged|gain\w*|bumped|upgraded?)\b/i;
const down =
  /\b(?:down|fell|falls?|fallen|falling|drop\w*|decrease[sd]?|decreasing|decline[sd]?|shrank|shrunk|lowered|lowers|reduced?|reduces|cut|downgraded?)\b/i;

/** A change from one figure or version to another. */
interface Change {
  readonly from: string;
  readonly to: string;
  readonly before: string;
  readonly between: string;
  /** Both values with units, since 300 ms is less than 1 s. */
  readonly values: readonly [Figure | undefined, Figure | undefined];
}

const step =
  /\bfrom\s+(?:about\s+|around\s+|roughly\s+|some\s+)?["'`]?(?<from>v?\d[\d.,_]*\d|\d)["'`]?(?:\s?(?<unit>[\p{L}µ%]+))?(?<between>(?:\s+(?:over|via|through)\s+[\d.,]+)?\s+(?:back\s+|down\s+|up\s+)?(?:and\s+)?to)\s+(?:about\s+|around\s+|roughly\s+)?["'`]?(?<to>v?\d[\d.,_]*\d|\d)["'`]?(?:\s?(?<unit2>[\p{L}µ%]+))?/giu;

function changesIn(text: string): readonly Change[] {
  return [...text.matchAll(step)].map((match) => ({
    from: match.groups!['from']!,
    to: match.groups!['to']!,
    before: text
      .slice(Math.max(0, match.index - 60), match.index)
      .split(/[.;]\s/)
      .at(-1)!,
    between: match.groups!['between']!,
    values: [
      figuresIn(`${match.groups!['from']!} ${match.groups!['unit'] ?? ''}`)[0],
      figuresIn(`${match.groups!['to']!} ${match.groups!['unit2'] ?? ''}`)[0],
    ],
  }));
}

export function turnedChange(reading: Reading, source: Source): string | null {
  for (const change of changesIn(reading.text)) {
    const { from, to } = change;
    const why =
      wrongWay(change) ?? (isTurned(change, source) ? `the lines have it from ${to} to ${from}` : null);
    if (why !== null) return why;
  }
  return wrongSign(reading, source);
}

/** The reason why a change goes the wrong way, as in `rose from 9 to 4`. */
function wrongWay({ from, to, before, between, values: [one, other] }: Change): string | null {
  if (one === undefined || other === undefined) return null;
  // `from 3 to 9 ms`: the first has the unit too.
  const isAlike = one.dimension === other.dimension || one.dimension === null;
  const [first, last] = one.dimension === null ? [one.number, other.number] : [one.value, other.value];
  if (!isAlike || first === last) return null;
  const said = `${before} ${between}`;
  const [isUp, isDown] = [up.test(said), down.test(said)];
  if (isUp && !isDown && first > last) return `from ${from} to ${to} is no rise`;
  if (isDown && !isUp && first < last) return `from ${from} to ${to} is no fall`;
  return null;
}

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
const alone = (text: string): RegExp => new RegExp(`(?<![\\d.])${escapePattern(text)}(?!\\d|\\.\\d)`);

/**
 * Whether the lines have the two values in the opposite order: in removed and added lines, around an arrow, or in time.
 */
function isTurned({ from, to }: Change, source: Source): boolean {
  const [one, other] = [alone(from), alone(to)];
  const lines = source.segments.flatMap(({ text }) => text.split(/\\n|\n/));
  const has = (sign: RegExp, value: RegExp): boolean =>
    lines.some((line) => sign.test(line) && value.test(line));
  const [taken, put] = [/^[\s"']*-(?!-)/, /^[\s"']*\+(?!\+)/];
  if (has(taken, other) && has(put, one) && !(has(taken, one) && has(put, other))) return true;
  const arrow = (a: string, b: string): RegExp =>
    new RegExp(`${alone(a).source}[\\p{L}%]*\\s*(?:->|=>|to)\\s*${alone(b).source}`, 'u');
  if (lines.some((line) => arrow(to, from).test(line)))
    return !lines.some((line) => arrow(from, to).test(line));
  const [first, last] = [timesOf(one, source), timesOf(other, source)];
  return (
    first.length > 0 &&
    last.length > 0 &&
    Math.min(...first) > Math.max(...last) &&
    !shareRecord(one, other, source)
  );
}

const shareRecord = (one: RegExp, other: RegExp, { segments }: Source): boolean =>
  segments.some(({ text }) => one.test(text) && other.test(text));

function timesOf(value: RegExp, { segments }: Source): readonly number[] {
  return segments.flatMap(({ text, moments }) => {
    const moment = moments.find(({ second }) => second !== null);
    if (moment?.second == null) return [];
    const bare = text.slice(0, moment.start) + text.slice(moment.end);
    const day =
      moment.day === null || moment.day.startsWith('-') ? 0 : Date.parse(`${moment.day}T00:00:00Z`) / 1_000;
    return value.test(bare) ? [day + moment.second] : [];
  });
}

const less = /^\s*(?:\p{L}+\s){0,2}?(?:below|under|fewer|less)\b/iu;
const more = /^\s*(?:\p{L}+\s){0,2}?(?:above|over|more)\b/iu;

/** The reason against a claim such as `5 fewer than usual` if the lines have `+5`. */
function wrongSign({ text, figures }: Reading, { segments }: Source): string | null {
  for (const figure of figures) {
    const behind = text.slice(figure.end);
    const isLess = less.test(behind);
    if (isLess === more.test(behind)) continue;
    const signs = segments.flatMap((segment) => signsOf(figure, segment));
    const wrong = isLess ? '+' : '-';
    if (signs.length > 0 && signs.every((sign) => sign === wrong))
      return `the lines have ${wrong}${figure.text}`;
  }
  return null;
}

/** The sign of the figure at each place; empty if it has none. */
function signsOf(figure: Figure, { text, figures }: Segment): readonly string[] {
  return figures.flatMap((given) => {
    if (matchFigure(figure, given, text.slice(0, given.start)) === null) return [];
    return [/(?<![\p{L}\p{N})\]]\s?)([+-])$/u.exec(text.slice(0, given.start))?.[1] ?? ''];
  });
}
