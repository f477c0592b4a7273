/**
 * Adds the line ends and blank lines that a text needs between the blocks of a page, so that it doesn't change how
 * these are parsed.
 */
import { splitPageUnits, splitTail, splitUnitsByReaders, type Unit } from '../markdown/index.ts';

/** The text around a block, or around the place of a new block, in one view of the page. */
export interface Surroundings {
  /** Front matter and blocks above, as text. */
  readonly above: string;
  /** The text of the block that is replaced; empty if a block is inserted. */
  readonly now: string;
  readonly below: string;
}

export interface FitOptions {
  readonly newline: '\n' | '\r\n';
  /** True: the text is separated from its neighbours by blank lines. */
  readonly needsBlankLine: boolean;
}

/** The text to store; null if it would change how its neighbours are parsed, even with blank lines. */
export function fitBlock(
  text: string,
  views: readonly Surroundings[],
  { newline, needsBlankLine }: FitOptions,
): string | null {
  const checks = views.map(createParseCheck);
  for (const form of listForms(text, views, newline, needsBlankLine))
    if (checks.every((keepsParsing) => keepsParsing(form))) return form;
  return null;
}

/** The forms of a text to try: the text with more and more line ends and blank lines around it. */
function listForms(
  text: string,
  views: readonly Surroundings[],
  newline: string,
  needsBlankLine: boolean,
): readonly string[] {
  const [above, hasTextBelow] = [
    views.map((view) => view.above).find((each) => each !== '') ?? '',
    views.some(isFollowed),
  ];
  const content = keepTail(text, views, newline);
  if (content === '') return ['', newline, newline + newline];
  const leadingLineEnds = /(?:^|[\r\n])$/.test(above) ? newline : newline + newline;
  const hasBlankAtStart =
    leadingLineEnds === newline
      ? startsWithBlankLine(content)
      : startsWithBlankLine(content.replace(/^[ \t]*\r?\n/, ''));
  const withLead = hasBlankAbove(views) || hasBlankAtStart ? content : leadingLineEnds + content;
  const endWithBlankLine = (each: string) =>
    hasTextBelow && !endsWithBlankLine(each) ? each + newline : each;
  const forms = [
    content,
    endWithBlankLine(content),
    withLead,
    endWithBlankLine(withLead),
    leadingLineEnds + endWithBlankLine(content),
  ];
  const preferredForms = needsBlankLine
    ? [endWithBlankLine(withLead)]
    : changesLastKind(content, views)
      ? [endWithBlankLine(content)]
      : [];
  return [...new Set([...preferredForms, ...forms])];
}

const isFollowed = ({ below }: Surroundings): boolean => below !== '';
const startsWithBlankLine = (text: string): boolean => /^[ \t]*\r?\n/.test(text);
const endsWithBlankLine = (text: string): boolean => /(?:^|\r?\n)[ \t]*\r?\n[ \t]*$/.test(text);

/** Whether the text before the place is empty or ends with a blank line, in every view. */
const hasBlankAbove = (views: readonly Surroundings[]): boolean =>
  views.every(({ above }) => above === '' || endsWithBlankLine(above));

/** Keeps the trailing line ends of the replaced text, unless the new text has as many. */
function keepTail(text: string, views: readonly Surroundings[], newline: string): string {
  const [content, newTail] = splitTail(text);
  if (content === '') return '';
  const replacedText = views.map((view) => view.now).find((each) => each !== '') ?? '';
  const [, oldTail] = splitTail(replacedText);
  const hasTextBelow = views.some(isFollowed);
  if (!hasTextBelow) return newTail === '' ? content + oldTail : text;
  const tail = countLineEnds(newTail) >= countLineEnds(oldTail) ? newTail : oldTail;
  return content + (countLineEnds(tail) === 0 ? newline : tail);
}

const countLineEnds = (text: string): number => text.match(/\r\n|\n|\r/g)?.length ?? 0;

/** Whether the kind of the last block differs from that of the replaced text, so that it may need a blank line. */
function changesLastKind(text: string, views: readonly Surroundings[]): boolean {
  const last = parseLastKind(text);
  if (last === 'heading' || last === 'rule') return false;
  return views.some(({ now, below }) => below !== '' && parseLastKind(now) !== last);
}

const parseLastKind = (text: string): Unit['kind'] | null => splitPageUnits(text).units.at(-1)?.kind ?? null;

/** Returns a function that tests whether all parsers still read the surroundings in the same way with a new text. */
function createParseCheck({ above, now, below }: Surroundings): (text: string) => boolean {
  const [from, to] = [above.length, above.length + now.length];
  const unitsBefore = splitUnitsByReaders(above + now + below).map(({ front, units }) => ({
    front,
    around: units.filter(({ start, end }) => end <= from || start >= to),
  }));
  return (text) => {
    const unitsAfter = splitUnitsByReaders(above + text + below);
    const lengthChange = text.length - now.length;
    return unitsBefore.every(({ front, around }, reader) => {
      const pageUnits = unitsAfter[reader]!;
      if (pageUnits.front !== front) return false;
      const byStart = new Map(pageUnits.units.map((unit) => [unit.start, unit]));
      return around.every(({ kind, start, end }) => {
        const shift = start >= to ? lengthChange : 0;
        const unitAfter = byStart.get(start + shift);
        return unitAfter?.kind === kind && unitAfter.end === end + shift;
      });
    });
  };
}
