/** Decides by rules, without a model, whether cited lines show one claim. */

import type { NamedPlace } from '../claim/places.ts';
import { parseClaim, type Reading } from '../claim/reading.ts';
import type { Term } from '../claim/terms.ts';
import { findFigure, findMoment, mayBeCounted } from '../lines/find-figure.ts';
import { hasLookAlike, isFreeLiteral, isOddQuote, isOtherProduct } from '../lines/find-name.ts';
import { findTerm } from '../lines/find-term.ts';
import { listSegmentsBelow, type Segment, type Source } from '../lines/source.ts';
import { normalizeUnicode, removeSpaces } from '../words/normal.ts';
import { mayBeMissing } from '../words/turns.ts';
import { isLight } from '../words/words.ts';
import { alignClaim } from './align/align.ts';
import { judgeAligned, lacksPartOfClaim } from './align/aligned.ts';
import { decideCodeFact, decideElementCount } from './code/facts.ts';
import { findDeniedCall, findReversedCall } from './contradict/calls.ts';
import { checkCodeOrder } from './contradict/code-order.ts';
import { checkCondition } from './contradict/condition.ts';
import { findDeniedText } from './contradict/denied.ts';
import { findExchangedFigures, findSwap } from './contradict/exchanged.ts';
import {
  createFlips,
  findOppositeBeside,
  findOppositeBound,
  findOppositeName,
  findUndone,
  findUnsaidSingle,
} from './contradict/flipped.ts';
import { findLookAlikes } from './contradict/look-alike.ts';
import { findNeighbour } from './contradict/neighbour.ts';
import { findOpposite } from './contradict/opposed.ts';
import { findOtherBinding, isBound } from './contradict/other-binding.ts';
import { findOtherCompounds } from './contradict/other-compound.ts';
import { findOtherModifier } from './contradict/other-modifier.ts';
import { findOtherRate } from './contradict/other-rate.ts';
import { findOtherRecord } from './contradict/other-record.ts';
import { findOtherRow } from './contradict/other-row.ts';
import { findOtherSubject } from './contradict/other-subject.ts';
import { findOtherCount, findOtherLiteral, findOtherValue } from './contradict/other-value.ts';
import { findRecordContradiction } from './contradict/record-contradiction.ts';
import { findReversal } from './contradict/reversal.ts';
import { findOtherSort } from './contradict/sorts.ts';
import { checkTimeWithin } from './contradict/time-within.ts';
import { checkTimeline } from './contradict/timeline.ts';
import { findMissingDay, findParameters, mayBeUnsaid, mayFigureBeUnsaid } from './contradict/unsaid.ts';
import { findWrongWay } from './contradict/wrong-way.ts';
import type { Decision } from './decide-text.ts';
import { containsNames } from './support/contains-names.ts';
import { findDoubt } from './support/doubt.ts';
import { doesAction, doesSomethingElse, isVerbOnlyInName } from './support/event.ts';
import { decideField, decideFormed } from './support/field.ts';
import { isShownChange } from './support/from-to.ts';
import { isInOneClause, isProse, leavesCellPart } from './support/one-clause.ts';
import { isOneLine } from './support/one-line.ts';
import { type Anchor, findPlace } from './support/place.ts';
import { decideRelation } from './support/relation.ts';
import { findPartialExpression, isSettled } from './support/settled.ts';
import { crossesColumns, decideCell, leavesColumnOpen } from './support/table.ts';

/** For a claim without names or figures: the minimum share and number of its words that must occur together. */
const minShareOfWords = 0.85;
const minWords = 3;

/** Longer words are only searched for as they are. The rules' patterns take quadratic time for them. */
const maxWordLength = 2_000;

/** Decides a claim with words that are too long for the rules. Null for any other claim. */
function decideLongWords(claim: string, source: Source): Decision | null {
  const longWords = (claim.match(/\S+/g) ?? []).filter(({ length }) => length > maxWordLength);
  if (longWords.length === 0) return null;
  // The first characters decide: a search for all of them could take the product of both lengths.
  const areFound = longWords
    .map((word) => removeSpaces(normalizeUnicode(word).replace(/["'`]/g, "'")).replace(/^[('*]+/, ''))
    .every((word) => source.denses.some((dense) => dense.includes(word.slice(0, 100))));
  return areFound
    ? { verdict: 'unclear', why: `The claim has a word of more than ${maxWordLength} characters.` }
    : { verdict: 'not shown', why: 'The cited lines do not hold its longest word.' };
}

export function decide(claim: string, source: Source): Decision {
  const longWordDecision = decideLongWords(claim, source);
  if (longWordDecision !== null) return longWordDecision;
  const countDecision = decideElementCount(parseClaim(claim), source);
  if (countDecision !== null) return countDecision;
  const codeDecision = decideCodeFact(parseClaim(claim), source);
  if (codeDecision !== null) return codeDecision;
  const decided = decideWholeExpressions(claim, source);
  if (decided.verdict === 'shown') {
    const reading = parseClaim(claim);
    const timeCheck = checkTimeWithin(reading, source);
    const directionReason =
      findWrongWay(reading, source) ?? (timeCheck?.isAgainst === true ? timeCheck.why : null);
    if (directionReason !== null) return { verdict: 'contradicted', why: toSentence(directionReason) };
    if (timeCheck !== null) return { verdict: 'unclear', why: timeCheck.why };
    if (crossesColumns(reading, source) && decideCell(reading, source)?.verdict !== 'shown')
      return { verdict: 'unclear', why: 'It may have two columns of the table the other way round.' };
  }
  if (decided.verdict !== 'unclear') return decided;
  const shownFlip = createFlips(parseClaim(claim), source).find(
    (flip) => decideWholeExpressions(flip, source).verdict === 'shown',
  );
  return shownFlip === undefined
    ? decided
    : { verdict: 'contradicted', why: `The lines show the opposite: ${shownFlip}` };
}

/** A part of an expression, such as the receiver of a call, shows nothing about the whole. */
function decideWholeExpressions(claim: string, source: Source): Decision {
  const decision = decideAsSaid(claim, source);
  const isInDoubt =
    decision.verdict === 'shown' ||
    (decision.verdict === 'contradicted' && /\b(?:does not|doesn't|never)\s\p{L}/u.test(claim));
  const doubt = isInDoubt ? findPartialExpression(parseClaim(claim), source) : null;
  return doubt === null ? decision : { verdict: 'unclear', why: doubt };
}

function decideAsSaid(claim: string, source: Source): Decision {
  const reading = parseClaim(claim);
  const alignment = alignClaim(reading, source);
  const judged = alignment === null ? null : judgeAligned(reading, alignment, source);
  const aligned = judged?.verdict === 'shown' && !containsNames(reading, source) ? null : judged;
  if (aligned?.verdict === 'shown' || isInOneClause(reading, source)) return { verdict: 'shown' };
  const cellDecision = decideCell(reading, source);
  if (cellDecision !== null)
    return cellDecision.verdict === 'shown'
      ? cellDecision
      : { verdict: 'contradicted', why: toSentence(cellDecision.why) };
  const anchors: Anchor[] = [];
  const unsettledTexts: string[] = [];
  const missing: string[] = [];
  const isDate = ({ start, text }: Term): boolean =>
    reading.moments.some((one) => one.start <= start && one.end >= start + text.length);
  for (const term of reading.terms)
    if (!isDate(term)) addTermAnchor(term, reading, source, anchors, unsettledTexts, missing);
  let contradiction: string | null = null;
  for (const figure of reading.figures) {
    const found = findFigure(figure, reading, source);
    contradiction ??= figure.isWord
      ? found === null
        ? findOtherCount(reading, figure, source)
        : null
      : findOtherValue(reading, figure, source);
    if (found === null) {
      if (
        mayBeCounted(figure, reading, source) ||
        mayBeMissing(reading.text.slice(0, figure.start)) ||
        mayFigureBeUnsaid(figure, reading, source) ||
        (figure.isWord && isPartOfSum(figure.number, source))
      )
        unsettledTexts.push(figure.text);
      else missing.push(figure.text);
    } else {
      if (found.how === 'loose' || isBareCount(figure, found.segments, source))
        unsettledTexts.push(figure.text);
      if (!figure.isWord || figure.dimension !== null)
        anchors.push({ start: figure.start, end: figure.end, text: figure.text, kind: 'figure', ...found });
    }
  }
  for (const place of reading.places)
    if (!isCitedPlace(place, source) || !isFileNamed(place, source))
      missing.push(`${place.path}:${place.start}-${place.end}`);
  for (const moment of reading.moments) {
    const found = findMoment(moment, source);
    if (found === null) missing.push(moment.text);
    else
      anchors.push({
        start: moment.start,
        end: moment.end,
        text: moment.text,
        kind: 'figure',
        isTime: true,
        ...found,
      });
  }
  const day = findMissingDay(reading, source);
  if (day !== null) missing.push(day);
  const timeline = checkTimeline(reading, source);
  const codeOrder = checkCodeOrder(reading, source);
  const condition = checkCondition(reading, source);
  contradiction ??=
    findOtherLiteral(reading, source) ??
    findOtherBinding(reading, source) ??
    findOtherRate(reading, source) ??
    findReversedCall(reading, source) ??
    findDeniedCall(reading, source) ??
    findReversal(reading, source) ??
    (timeline?.verdict === 'otherwise' ? timeline.why : null) ??
    (codeOrder?.isSo === false ? codeOrder.why : null) ??
    (condition?.isSo === false ? condition.why : null) ??
    findOtherSubject(reading, source) ??
    findOtherRecord(reading, anchors, source) ??
    findOtherRow(reading, anchors, source) ??
    findSwap(reading, anchors, source) ??
    findExchangedFigures(reading, source) ??
    findOpposite(reading, source) ??
    findDeniedText(reading, source) ??
    findOppositeName(reading, source) ??
    findOppositeBeside(reading, source) ??
    findOppositeBound(reading, source) ??
    findUndone(reading, source) ??
    findOtherSort(reading, source) ??
    findOtherModifier(reading, source) ??
    findNeighbour(reading, source);
  if (contradiction !== null) return { verdict: 'contradicted', why: toSentence(contradiction) };
  contradiction = findRecordContradiction(reading, anchors, source);
  if (contradiction !== null) return { verdict: 'contradicted', why: toSentence(contradiction) };
  const unsaidSingle = findUnsaidSingle(reading, source);
  if (unsaidSingle !== null) missing.push(unsaidSingle);
  missing.push(...findLookAlikes(reading, source), ...findOtherCompounds(reading, source));
  if (missing.length > 0)
    return { verdict: 'not shown', why: `The cited lines do not hold ${listTexts(missing)}.` };
  if (isShownChange(reading.text, source)) return { verdict: 'shown' };
  const settled = {
    isBranched: condition?.isSo === true && condition.isWhole,
    isOrdered: codeOrder?.isSo === true && codeOrder.isWhole,
  };
  if (unsettledTexts.length === 0 && isSettled(reading, source, settled)) return { verdict: 'shown' };
  if (isBound(reading, source)) return { verdict: 'shown' };
  const logVerdict = decideFormed(reading, source);
  if (logVerdict === 'shown') return { verdict: 'shown' };
  if (logVerdict === 'denied') return { verdict: 'contradicted', why: 'The line has that value there.' };
  if (aligned !== null) return aligned;
  const relation = decideRelation(reading, source);
  if (relation?.verdict === 'not shown') return relation;
  for (const word of reading.words) {
    const segments = source.segments.flatMap(({ words, headings }, at) =>
      headings.bases.has(word.base) || words.some(({ base }) => base === word.base) ? [at] : [],
    );
    if (segments.length > 0)
      anchors.push({
        start: word.at,
        end: word.at + word.text.length,
        text: word.text,
        kind: 'word',
        how: 'exact',
        segments,
      });
  }
  const extendedAnchors = anchors.map((anchor) => addSegmentsBelow(anchor, source));
  const supportDecision = decideBySupport(reading, extendedAnchors, unsettledTexts, source);
  const field = decideField(reading, source);
  if (field === 'shown' || relation?.verdict === 'shown') return { verdict: 'shown' };
  if (supportDecision.verdict !== 'shown') return supportDecision;
  if (alignment !== null && lacksPartOfClaim(reading, alignment, source))
    return { verdict: 'unclear', why: 'No sentence of the lines says all of it.' };
  if (logVerdict === 'doubt') return { verdict: 'unclear', why: 'The line has other values of that kind.' };
  if (relation !== null) return relation;
  return field === 'doubt'
    ? {
        verdict: 'unclear',
        why: 'The lines that hold the value do not give it to that name, or to that alone.',
      }
    : supportDecision;
}

/** Adds to an anchor the segments below a heading that contains it, if the heading is a time or a release. */
function addSegmentsBelow(anchor: Anchor, source: Source): Anchor {
  const below = anchor.kind === 'word' ? [] : anchor.segments.flatMap((at) => listSegmentsBelow(at, source));
  return below.length === 0
    ? anchor
    : { ...anchor, segments: [...new Set([...anchor.segments, ...below])], isAbove: true };
}

function decideBySupport(
  reading: Reading,
  anchors: readonly Anchor[],
  unsettledTexts: readonly string[],
  source: Source,
): Decision {
  if (unsettledTexts.length > 0)
    return { verdict: 'unclear', why: `The lines do not settle ${listTexts(unsettledTexts)}.` };
  if (isQuotation(reading, anchors)) return { verdict: 'shown' };
  const place = findPlace(reading, anchors, source);
  if (typeof place === 'string') return { verdict: 'unclear', why: toSentence(place) };
  const { chosen, share, found } = place;
  const lacking = place.lacking.filter((word) => !isLight(word));
  const isEnough =
    lacking.length === 0 &&
    (chosen.size > 0 ? found > 0 || chosen.size > 1 : share >= minShareOfWords && found >= minWords);
  if (!isEnough)
    return {
      verdict: 'unclear',
      why:
        lacking.length > 0
          ? `The lines do not say ${listTexts(lacking)} in these words.`
          : 'It names nothing that could be looked for.',
    };
  if (
    place.segments.some((at) => source.segments[at]!.isCode && !source.segments[at]!.isRecord) &&
    !isOneLine(reading, anchors, place, source)
  )
    return { verdict: 'unclear', why: 'Its words stand in several lines of code, or in another order.' };
  if (!place.segments.some((at) => doesAction(reading.text, at, source)))
    return { verdict: 'unclear', why: 'The lines do not say that this is what is done.' };
  if (isVerbOnlyInName(reading, place.segments, source))
    return { verdict: 'unclear', why: 'Only its name says what is done, and not the lines.' };
  if (doesSomethingElse(reading, place.segments, source))
    return { verdict: 'unclear', why: 'The lines say that it does something else.' };
  const why =
    findDoubt(reading, anchors, place, source) ??
    [...(chosen.size > 0 ? chosen.values() : place.segments)]
      .map((at) => findUnsaidRest(reading, source.segments[at]!, source))
      .find((one) => one !== null) ??
    null;
  return why === null ? { verdict: 'shown' } : { verdict: 'unclear', why: toSentence(why) };
}

function findUnsaidRest(reading: Reading, segment: Segment, source: Source): string | null {
  if (isProse(segment)) return 'no clause of the lines says all of it, and nothing else';
  if (leavesCellPart(reading, segment)) return 'a cell that it rests on says more';
  return leavesColumnOpen(reading, segment, source) ? 'another column has another value there' : null;
}

/** Whether the claim consists of a quotation and words that attribute it: `A comment says "…"`. */
function isQuotation({ text, terms, words }: Reading, anchors: readonly Anchor[]): boolean {
  const quotes = terms.filter(({ kind }) => kind === 'quote');
  const areQuotesFound = quotes.every(
    ({ start, mustMatch }) =>
      mustMatch && anchors.some((one) => one.kind === 'term' && one.start === start && one.how === 'exact'),
  );
  const rest =
    words.filter(({ text: word }) => !attributingWord.test(word)).length + terms.length - quotes.length;
  const length = quotes.reduce((sum, { start, end }) => sum + end - start, 0);
  return quotes.length > 0 && areQuotesFound && rest === 0 && length > text.length / 3;
}

const attributingWord =
  /^(?:says?|said|saying|reads?|states?|stated|according|words?|notes?|noted|quotes?|quoted|comments?|documents?|documentation|logs?|logged|messages?|texts?|writes?|written|puts?|lines?|told|tells?|reports?|reported|readme|page|cited|quoted|sentences?|passages?|paragraphs?|sections?|headings?|contains?|contained|includes?|included|holds?|stands?|mentions?|mentioned)$/i;

function addTermAnchor(
  term: Term,
  reading: Reading,
  source: Source,
  anchors: Anchor[],
  unsettledTexts: string[],
  missing: string[],
): void {
  const given = findTerm(term, source) ?? (term.kind === 'code' ? findParameters(term.text, source) : null);
  // A phrase whose parts never occur together is absent, even if its words occur.
  const found =
    given?.how === 'loose' && given.segments.length === 0 && isOddQuote(term, source) ? null : given;
  const before = reading.text.slice(0, term.start);
  if (found === null) {
    if (term.kind === 'proper') {
      if (hasLookAlike(term.text, source) || (isOtherProduct(term, reading, source) && !mayBeMissing(before)))
        missing.push(term.text);
    } else if (isOddQuote(term, source) && !mayBeMissing(before) && !mayBeUnsaid(term, reading, source))
      missing.push(term.text);
    else if (isReadOut(term, before)) missing.push(term.text);
    else if (
      !term.mustMatch ||
      mayBeMissing(before, term.kind === 'path') ||
      isFreeLiteral(term.text, source) ||
      mayBeUnsaid(term, reading, source)
    )
      unsettledTexts.push(term.text);
    else missing.push(term.text);
    return;
  }
  if (found.how === 'loose' && term.kind !== 'proper') unsettledTexts.push(term.text);
  anchors.push({
    start: term.start,
    end: term.start + term.text.length,
    text: term.text,
    kind: 'term',
    ...found,
  });
}

/** Whether the claim quotes a single word, as in `The line says "nagios"`. Then the lines must have that word. */
const isReadOut = ({ kind, text }: Term, before: string): boolean =>
  kind === 'quote' &&
  /^[\p{L}\p{N}_-]{3,}$/u.test(text) &&
  /\b(?:says?|said|reads?|states?)\s+["']?$/i.test(before);

/** Whether a number in words occurs only in records or lines of code, where a digit may count anything. */
const isBareCount = (
  { isWord, dimension }: Reading['figures'][number],
  segments: readonly number[],
  source: Source,
): boolean => isWord && dimension === null && segments.every((at) => source.segments[at]!.isCode);

/** Whether the code has the number as part of a calculation, as in `7 * 24 * time.Hour` for `seven days`. */
const isPartOfSum = (number: number, { segments }: Source): boolean =>
  segments.some(
    (one) =>
      one.isCode && !one.isRecord && one.figures.some((given) => given.isPart && given.number === number),
  );

/** Whether the lines name the file of a place. */
const isFileNamed = ({ path }: NamedPlace, source: Source): boolean =>
  findTerm({ kind: 'path', text: path, start: 0, end: path.length, mustMatch: true }, source) !== null;

/**
 * Whether a place that the claim names lies among the cited lines. A place in a file that is not cited is checked by
 * the file's name.
 */
function isCitedPlace({ path, start, end }: NamedPlace, { places }: Source): boolean {
  const citedPlaces = places.filter(
    (one) => one.path === path || one.path.endsWith(`/${path}`) || path.endsWith(`/${one.path}`),
  );
  return citedPlaces.length === 0 || citedPlaces.some((one) => one.start <= start && one.end >= end);
}

const toSentence = (text: string): string => `${text[0]!.toUpperCase()}${text.slice(1)}.`;

const listTexts = (texts: readonly string[]): string => {
  const quoted = [...new Set(texts)]
    .slice(0, 4)
    .map((text) => `"${text.length > 60 ? `${text.slice(0, 59)}…` : text}"`);
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)}`;
};
