/**
 * Adds the line ends and blank lines that a text needs between the blocks of a page, so that it doesn't change how
 * these are parsed.
 */
import { splitPageUnits, splitTail, splitUnitsByReaders, type Unit } from '../markdown/index.ts';

/** The text around a place on a page, in one view. */
export interface Surroundings {
  /** Front matter and blocks above, as text. */
  readonly above: string;
  /** The text of the block that is replaced; empty if a block is inserted. */
  readonly now: string;
  readonly below: string;
}

export interface Fit {
  readonly newline: '\n' | '\r\n';
  /** True: the text is separated from its neighbours by blank lines. */
  readonly needsBlankLine: boolean;
}

/** The text to store; null if it would change its neighbours even with blank lines. */
export function fitBlock(
  text: string,
  views: readonly Surroundings[],
  { newline, needsBlankLine }: Fit,
): string | null {
  const checks = views.map(createParseCheck);
  for (const each of listForms(text, views, newline, needsBlankLine))
    if (checks.every((keeps) => keeps(each))) return each;
  return null;
}

/** The forms of a text to try, those with the fewest additions first. */
function listForms(
  text: string,
  views: readonly Surroundings[],
  newline: string,
  needsBlankLine: boolean,
): readonly string[] {
  const [above, below] = [
    views.map((view) => view.above).find((each) => each !== '') ?? '',
    views.some(isFollowed),
  ];
  const content = keepTail(text, views, newline);
  if (content === '') return ['', newline, newline + newline];
  const lead = /(?:^|[\r\n])$/.test(above) ? newline : newline + newline;
  const blank = lead === newline ? startsBlank(content) : startsBlank(content.replace(/^[ \t]*\r?\n/, ''));
  const withLead = hasBlankAbove(views) || blank ? content : lead + content;
  const closeBlock = (each: string) => (below && !endsBlank(each) ? each + newline : each);
  const wanted = [content, closeBlock(content), withLead, closeBlock(withLead), lead + closeBlock(content)];
  const first = needsBlankLine
    ? [closeBlock(withLead)]
    : needsBlank(content, views)
      ? [closeBlock(content)]
      : [];
  return [...new Set([...first, ...wanted])];
}

const isFollowed = ({ below }: Surroundings): boolean => below !== '';
const startsBlank = (text: string): boolean => /^[ \t]*\r?\n/.test(text);
const endsBlank = (text: string): boolean => /(?:^|\r?\n)[ \t]*\r?\n[ \t]*$/.test(text);

/** Whether every view has a blank line or nothing before the place. */
const hasBlankAbove = (views: readonly Surroundings[]): boolean =>
  views.every(({ above }) => above === '' || endsBlank(above));

/** Keeps the trailing line ends of the replaced text, unless the new text has as many. */
function keepTail(text: string, views: readonly Surroundings[], newline: string): string {
  const [content, own] = splitTail(text);
  if (content === '') return '';
  const now = views.map((view) => view.now).find((each) => each !== '') ?? '';
  const [, old] = splitTail(now);
  const below = views.some(isFollowed);
  if (!below) return own === '' ? content + old : text;
  const tail = countLineEnds(own) >= countLineEnds(old) ? own : old;
  return content + (countLineEnds(tail) === 0 ? newline : tail);
}

const countLineEnds = (text: string): number => text.match(/\r\n|\n|\r/g)?.length ?? 0;

/** Whether the kind of the last block changes, so that a blank line may be needed after it. */
function needsBlank(text: string, views: readonly Surroundings[]): boolean {
  const last = parseLastKind(text);
  if (last === 'heading' || last === 'rule') return false;
  return views.some(({ now, below }) => below !== '' && parseLastKind(now) !== last);
}

const parseLastKind = (text: string): Unit['kind'] | null => splitPageUnits(text).units.at(-1)?.kind ?? null;

/** Returns a function that tests whether all parsers read the surroundings as before if a text is put there. */
function createParseCheck({ above, now, below }: Surroundings): (text: string) => boolean {
  const [from, to] = [above.length, above.length + now.length];
  const before = splitUnitsByReaders(above + now + below).map(({ front, units }) => ({
    front,
    around: units.filter(({ start, end }) => end <= from || start >= to),
  }));
  return (text) => {
    const after = splitUnitsByReaders(above + text + below);
    const moved = text.length - now.length;
    return before.every(({ front, around }, reader) => {
      const read = after[reader]!;
      if (read.front !== front) return false;
      const byStart = new Map(read.units.map((unit) => [unit.start, unit]));
      return around.every(({ kind, start, end }) => {
        const shift = start >= to ? moved : 0;
        const found = byStart.get(start + shift);
        return found?.kind === kind && found.end === end + shift;
      });
    });
  };
}
