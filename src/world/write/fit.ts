/**
 * Puts a text among the blocks of a page without changing how these are parsed: with the line ends and blank lines that
 * it needs around it. These belong to the page and not to the text.
 */
import { pageUnits, pageUnitsOfReaders, type Unit, withoutTail } from '../markdown/index.ts';

/** The text around a place on a page, as one view shows it. */
export interface Surroundings {
  /** Front matter and blocks above, as text. */
  readonly above: string;
  /** The text that is there now; empty if a block is inserted. */
  readonly now: string;
  readonly below: string;
}

export interface Fit {
  readonly newline: '\n' | '\r\n';
  /** Whether new text gets a blank line wherever Markdown could join it with its neighbours. */
  readonly needsBlankLine: boolean;
}

/** The text to store; null if no blank line keeps it from changing its neighbours. */
export function fitBlock(
  text: string,
  views: readonly Surroundings[],
  { newline, needsBlankLine }: Fit,
): string | null {
  const checks = views.map(parsesAsBefore);
  for (const each of candidateTexts(text, views, newline, needsBlankLine))
    if (checks.every((keeps) => keeps(each))) return each;
  return null;
}

/** The forms of a text, in the order in which they are tried: those that add least come first. */
function candidateTexts(
  text: string,
  views: readonly Surroundings[],
  newline: string,
  needsBlankLine: boolean,
): readonly string[] {
  const [above, below] = [
    views.map((view) => view.above).find((each) => each !== '') ?? '',
    views.some(isFollowed),
  ];
  const content = withTail(text, views, newline);
  if (content === '') return ['', newline, newline + newline];
  const lead = /(?:^|[\r\n])$/.test(above) ? newline : newline + newline;
  const blank = lead === newline ? startsBlank(content) : startsBlank(content.replace(/^[ \t]*\r?\n/, ''));
  const withLead = withBlankAbove(views) || blank ? content : lead + content;
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

/** Whether in each view a blank line or nothing comes before the place. */
const withBlankAbove = (views: readonly Surroundings[]): boolean =>
  views.every(({ above }) => above === '' || endsBlank(above));

/** Adds the line end and blank lines of the text that it replaces, unless the new text has as many. */
function withTail(text: string, views: readonly Surroundings[], newline: string): string {
  const [content, own] = withoutTail(text);
  if (content === '') return '';
  const now = views.map((view) => view.now).find((each) => each !== '') ?? '';
  const [, old] = withoutTail(now);
  const below = views.some(isFollowed);
  if (!below) return own === '' ? content + old : text;
  const tail = lineEnds(own) >= lineEnds(old) ? own : old;
  return content + (lineEnds(tail) === 0 ? newline : tail);
}

const lineEnds = (text: string): number => text.match(/\r\n|\n|\r/g)?.length ?? 0;

/** Whether a text of another kind is put where only a line end separated two blocks. */
function needsBlank(text: string, views: readonly Surroundings[]): boolean {
  const last = lastKind(text);
  if (last === 'heading' || last === 'rule') return false;
  return views.some(({ now, below }) => below !== '' && lastKind(now) !== last);
}

const lastKind = (text: string): Unit['kind'] | null => pageUnits(text).units.at(-1)?.kind ?? null;

/** Returns a check whether each reader parses the surroundings as before if a text is put there. */
function parsesAsBefore({ above, now, below }: Surroundings): (text: string) => boolean {
  const [from, to] = [above.length, above.length + now.length];
  const before = pageUnitsOfReaders(above + now + below).map(({ front, units }) => ({
    front,
    around: units.filter(({ start, end }) => end <= from || start >= to),
  }));
  return (text) => {
    const after = pageUnitsOfReaders(above + text + below);
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
