/** Whether one line of code says all of a plain claim. Words that are spread over code do not say what does what. */
import type { Reading } from '../../claim/reading.ts';
import { splitAtJoints } from '../../lines/clauses.ts';
import type { Source } from '../../lines/source.ts';
import { findTurns } from '../../words/turns.ts';
import { doesAction } from './event.ts';
import type { Anchor, ClaimPlace } from './place.ts';
import { findColumns } from './word-order.ts';

/**
 * A claim of one clause whose names, figures and words are all in one line, or in the line that begins the block
 * around it, or in the header. A figure belongs to the words before it, so it must be the only one and come last.
 */
export function isOneLine(
  reading: Reading,
  anchors: readonly Anchor[],
  place: ClaimPlace,
  source: Source,
): boolean {
  const { negation, cause } = findTurns(reading.text);
  if (negation || cause || contrast.test(reading.text)) return false;
  if (splitAtJoints(dropPlace(reading)).length > 1) return false;
  const given = giving.exec(reading.text)?.index ?? Infinity;
  return place.segments.some((at) => {
    const stands = (one: Anchor): boolean => one.how === 'known' || one.segments.includes(at);
    return (
      // What the head holds is not what is returned.
      anchors.every((one) => stands(one) || (one.start < given && isInHead(one, at, source))) &&
      isLast(anchors, at, source) &&
      doesAction(reading.text, at, source)
    );
  });
}

const giving = /\b(?:returns?|returning|yields?|raises?|raising|throws?|throwing)\b/i;

/** The claim without the place that it names at its end, and without signs that join no clauses. */
function dropPlace({ text, places }: Reading): string {
  if (text.startsWith('|')) return '';
  const [place] = places;
  const said =
    place === undefined
      ? text
      : text.slice(0, place.before.length).replace(/[,(]?\s*(?:see|at|in|from)?[\s`(]*$/i, '');
  return said.replace(/[.]$/, '').replace(/^(.*?): (?=[^:]*$)/, '$1 ');
}

const contrast = /\b(?:instead|rather than|unlike|otherwise|whereas|while)\b/i;

const isInHead = ({ segments }: Anchor, at: number, source: Source): boolean =>
  segments.some(
    (one) =>
      one < at && (source.segments[one]!.scopeEnd ?? -1) >= at && !branching.test(source.segments[one]!.text),
  );

/** What begins a block without naming it. */
const branching =
  /^[-+@]|[^=!<>]=(?![=>])|\b(?:if|else|elif|elsif|for|while|try|except|catch|switch|case|when)\b/;

function isLast(anchors: readonly Anchor[], at: number, source: Source): boolean {
  const own = anchors.filter(({ segments }) => segments.includes(at));
  const [figure, ...more] = own.filter(({ kind }) => kind === 'figure');
  if (figure === undefined) return true;
  if (more.length > 0) return false;
  const places = findColumns(figure, at, source);
  const last = Math.max(...places);
  return own.every(
    (one) =>
      one === figure ||
      isUnit(one, figure) ||
      findColumns(one, at, source).every((column) => column <= last) ||
      places.length === 0,
  );
}

/** Whether a word directly follows the figure: `14 pages`. */
const isUnit = (one: Anchor, { end }: Anchor): boolean => one.start - end === 1;
