/** Whether one line of code says all of a plain claim. Words spread over several lines do not tell what does what. */
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
  if (negation || cause || contrastWord.test(reading.text)) return false;
  if (splitAtJoints(dropPlace(reading)).length > 1) return false;
  const givingAt = givingVerb.exec(reading.text)?.index ?? Infinity;
  return place.segments.some((at) => {
    const isOnLine = (one: Anchor): boolean => one.how === 'known' || one.segments.includes(at);
    return (
      // What is in the head of the block is not what is returned.
      anchors.every((one) => isOnLine(one) || (one.start < givingAt && isInHead(one, at, source))) &&
      isFigureLast(anchors, at, source) &&
      doesAction(reading.text, at, source)
    );
  });
}

const givingVerb = /\b(?:returns?|returning|yields?|raises?|raising|throws?|throwing)\b/i;

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

const contrastWord = /\b(?:instead|rather than|unlike|otherwise|whereas|while)\b/i;

const isInHead = ({ segments }: Anchor, at: number, source: Source): boolean =>
  segments.some(
    (one) =>
      one < at &&
      (source.segments[one]!.scopeEnd ?? -1) >= at &&
      !branchingHead.test(source.segments[one]!.text),
  );

/** Heads of blocks that do not name a definition. */
const branchingHead =
  /^[-+@]|[^=!<>]=(?![=>])|\b(?:if|else|elif|elsif|for|while|try|except|catch|switch|case|when)\b/;

function isFigureLast(anchors: readonly Anchor[], at: number, source: Source): boolean {
  const lineAnchors = anchors.filter(({ segments }) => segments.includes(at));
  const [figure, ...more] = lineAnchors.filter(({ kind }) => kind === 'figure');
  if (figure === undefined) return true;
  if (more.length > 0) return false;
  const places = findColumns(figure, at, source);
  const last = Math.max(...places);
  return lineAnchors.every(
    (one) =>
      one === figure ||
      isUnit(one, figure) ||
      findColumns(one, at, source).every((column) => column <= last) ||
      places.length === 0,
  );
}

/** Whether a word directly follows the figure: `14 pages`. */
const isUnit = (one: Anchor, { end }: Anchor): boolean => one.start - end === 1;
