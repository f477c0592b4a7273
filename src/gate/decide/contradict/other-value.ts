/** Finds another value in the lines, under the name to which the claim gives a value. */
import type { Figure } from '../../claim/figures.ts';
import { matchFigure } from '../../claim/match-figure.ts';
import type { Reading } from '../../claim/reading.ts';
import type { Segment, Source } from '../../lines/source.ts';
import { isIdle, splitName, toComparable } from '../../words/words.ts';

const valueName =
  /(?<name>[\p{L}_$][\p{L}\p{N}_$.-]*(?: [\p{L}_][\p{L}\p{N}_-]*){0,3}?)["'`\])]*(?:\s*:\s*[\p{L}\p{N}_.<>[\]|]+(?=\s*=))?\s*(?::=|=>|=|:|\||\s(?:is|of|was|are)(?: set to| limited to)?)\s*["'([]*$/u;

/** A name in the lines, as its words, with the value written for it. */
interface NamedFigure {
  readonly parts: readonly string[];
  readonly name: string;
  readonly figure: Figure;
  readonly segment: Segment;
}

const fillerWords = new Set(
  [
    'default',
    'set',
    'value',
    'initial',
    'current',
    'the',
    'a',
    'const',
    'let',
    'var',
    'int',
    'self',
    'this',
    'static',
    'final',
    'public',
    'private',
    'export',
    'number',
    'float',
  ].map(toComparable),
);

function findNamedFigures(source: Source): readonly NamedFigure[] {
  return source.segments.flatMap((segment) =>
    segment.figures.flatMap((figure): readonly NamedFigure[] => {
      const name = valueName.exec(segment.text.slice(0, figure.start))?.groups?.['name'];
      if (name === undefined) return [];
      const parts = splitName(name.split('.').at(-1)!)
        .map(toComparable)
        .filter((part) => !fillerWords.has(part) && !isIdle(part));
      return parts.length === 0 ? [] : [{ parts, name, figure, segment }];
    }),
  );
}

/** The words that a claim ties to a figure: `timeout is 30`, `a timeout of 30 s`, `a 30-second timeout`. */
function findNamesOf(reading: Reading, figure: Figure): ReadonlySet<string> {
  const { text } = reading;
  const before =
    text
      .slice(0, figure.start)
      .split(/[,;:()]\s|\s(?:and|but|while|whereas|or)\s/)
      .at(-1) ?? '';
  const behind =
    text.slice(figure.end).split(/[,;:().]|\s(?:and|but|while|for|in|when|if|or|to|by)\s/)[0] ?? '';
  const nearWords = [
    ...(before.match(/[\p{L}\p{N}_$]+/gu) ?? []).slice(-8),
    ...(behind.match(/[\p{L}\p{N}_$]+/gu) ?? []).slice(0, 2),
  ];
  return new Set(
    nearWords.flatMap((word) => splitName(word).map(toComparable)).filter((word) => !fillerWords.has(word)),
  );
}

/** Words of optional or hypothetical values, which are not the values that the lines state. */
const supposedWord =
  /\b(?:if|when|unless|set(?:ting)?|pass(?:ing|ed)?|with|override[sn]?|changing|change|by|for|could|would|should)\b/i;

const tieForm =
  /(?:\b(?:is|are|was|were|of|to|at|as|be|equals?|=|:|has|have|holds?|default(?:s|ed|ing)?|set|limit(?:s|ed)?|only|about|up to|at most|at least|than|by|exactly|value|seconds?|for|after|every|within)|=|:)\s*["'(`]*(?:an?\s|the\s|about\s|exactly\s)?["'(`]*$/i;

/** The value that the lines give to the same name, if it differs; otherwise null. */
export function findOtherValue(reading: Reading, figure: Figure, source: Source): string | null {
  const names = findNamesOf(reading, figure);
  const before = reading.text.slice(0, figure.start);
  if (supposedWord.test(before.split(/[.;]\s/).at(-1)!)) return null;
  const isTied = tieForm.test(before) || /^[\s-]*\p{L}/u.test(reading.text.slice(figure.end));
  if (!isTied || names.size === 0) return null;
  const namedFigures = findNamedFigures(source).filter(({ parts }) => parts.every((part) => names.has(part)));
  const isSameFigure = ({ figure: given, segment }: NamedFigure): boolean =>
    matchFigure(figure, given, segment.text.slice(0, given.start)) !== null;
  if (namedFigures.length === 0 || namedFigures.some(isSameFigure)) return null;
  const namedFigure = namedFigures.find(
    ({ figure: given }) =>
      given.dimension === figure.dimension || given.dimension === null || figure.dimension === null,
  );
  // Other prose may be about another time, or about another thing with the same name.
  const isProse = !namedFigure?.segment.isCode && !/^\s*\|/.test(namedFigure?.segment.text ?? '');
  if (
    isProse &&
    source.segments.some(({ figures }) => figures.some((given) => matchFigure(figure, given) !== null))
  )
    return null;
  // If the line also contains the claimed figure, its other figure does not deny the claim.
  if (
    namedFigure === undefined ||
    namedFigure.segment.figures.some((given) => matchFigure(figure, given) !== null)
  )
    return null;
  return `the lines give "${namedFigure.name}" as ${namedFigure.figure.text}`;
}

/** The reason against a number in words if the lines give the same noun another number. */
export function findOtherCount(reading: Reading, figure: Figure, source: Source): string | null {
  const noun = /^[\s-]+(?:\p{L}+\s){0,1}?(\p{L}{3,})/u.exec(reading.text.slice(figure.end))?.[1];
  if (noun === undefined || isIdle(noun)) return null;
  const base = toComparable(noun);
  const counted = source.segments.flatMap(({ text, figures, isCode }) =>
    isCode
      ? []
      : figures.filter((figure) => {
          const next = /^[\s-]+(?:\p{L}+\s){0,1}?(\p{L}{3,})/u.exec(text.slice(figure.end))?.[1];
          return next !== undefined && toComparable(next) === base;
        }),
  );
  if (counted.length === 0 || counted.some((given) => matchFigure(figure, given) !== null)) return null;
  return `the lines have ${counted[0]!.text} ${noun}`;
}

const literalForm = /\b(true|false|None|null|nil|undefined)\b/gi;

/** The reason against a claim such as `x defaults to true` if the lines have `x = false`. */
export function findOtherLiteral(reading: Reading, source: Source): string | null {
  const literals = [...reading.text.matchAll(literalForm)];
  for (const match of literals) {
    const said = match[1]!.toLowerCase();
    if (said !== 'true' && said !== 'false') continue;
    const before = reading.text.slice(0, match.index).replace(/["'`(]+$/, '');
    if (supposedWord.test(before.split(/[.;,]\s/).at(-1)!)) continue;
    if (!/\b(?:is|to|as|be|=|:|are|was|of)\s*$/i.test(before) && !/[=:]\s*$/.test(before)) continue;
    const names = new Set(
      (before.match(/[\p{L}\p{N}_$]+/gu) ?? [])
        .slice(-6)
        .flatMap((word) => splitName(word).map(toComparable)),
    );
    const given = source.segments.flatMap(({ text }) =>
      [
        ...text.matchAll(
          /([\p{L}_$][\p{L}\p{N}_$]*)["']?(?:\s*:\s*[\p{L}_]+(?=\s*=))?\s*(?:=|:)\s*(true|false)\b/giu,
        ),
      ].flatMap(([, name, value]) => {
        const parts = splitName(name!)
          .map(toComparable)
          .filter((part) => !fillerWords.has(part));
        return parts.length > 0 && parts.every((part) => names.has(part))
          ? [{ name: name!, value: value! }]
          : [];
      }),
    );
    if (given.length > 0 && given.every(({ value }) => value.toLowerCase() !== said))
      return `the lines set "${given[0]!.name}" to ${given[0]!.value}`;
  }
  return null;
}
