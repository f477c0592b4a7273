/** Finds claims that confuse two things: the claim says of each what the lines say of the other. */

import type { Figure } from '../../claim/figures.ts';
import { matchFigure } from '../../claim/match-figure.ts';
import type { Reading } from '../../claim/reading.ts';
import { type Clause, computeShareAt, splitClauses } from '../../lines/clauses.ts';
import { joinName, type Segment, type Source } from '../../lines/source.ts';
import { isIdle, splitWords, type Word } from '../../words/words.ts';
import type { Anchor } from '../support/place.ts';

/** How much better, in both fits together, the lines must fit the exchanged clauses. */
const minLead = 0.6;
const minWords = 2;

/** The reason against a claim `a does this and b does that` if the lines link a with that, and b with this. */
export function findSwap(reading: Reading, anchors: readonly Anchor[], source: Source): string | null {
  const clauses = splitClauses(reading, { joined: false });
  const named = anchors.filter(
    ({ kind, how, segments }) => kind !== 'word' && how !== 'known' && segments.length > 0,
  );
  const anchorsIn = ({ start, end }: Clause): readonly Anchor[] =>
    named.filter((anchor) => anchor.start >= start && anchor.start < end);
  for (const [index, one] of clauses.entries())
    for (const other of clauses.slice(index + 1))
      for (const a of anchorsIn(one).slice(0, 4))
        for (const b of anchorsIn(other).slice(0, 4)) {
          if (isPartOf(a, b) || isPartOf(b, a) || !areApart(a, b) || classifyAnchor(a) !== classifyAnchor(b))
            continue;
          const [ofA, ofB] = [listOtherWords(one, named), listOtherWords(other, named)];
          if (ofA.length < minWords || ofB.length < minWords) continue;
          const computeFit = (words: readonly Word[], { segments }: Anchor): number =>
            Math.max(...segments.map((at) => computeShareAt(words, at, source)));
          const [directFit, crossedFit] = [
            computeFit(ofA, a) + computeFit(ofB, b),
            computeFit(ofA, b) + computeFit(ofB, a),
          ];
          if (crossedFit - directFit >= minLead)
            return `the lines say of "${b.text}" what the claim says of "${a.text}"`;
        }
  return null;
}

/** Whether one name is part of the other, so that the same lines are about both: `WAL` in `recoverWAL`. */
const isPartOf = (one: Anchor, { text }: Anchor): boolean => joinName(text).includes(joinName(one.text));

const classifyAnchor = ({ kind, isTime }: Anchor): string => (isTime === true ? 'time' : kind);

const areApart = (a: Anchor, b: Anchor): boolean => a.segments.every((at) => !b.segments.includes(at));

const listOtherWords = ({ words }: Clause, anchors: readonly Anchor[]): readonly Word[] =>
  words.filter((word) => !anchors.some(({ start, end }) => word.at >= start && word.at < end));

/**
 * The reason against a claim with two figures of one record, if each is there under the name that the claim gives to
 * the other.
 */
export function findExchangedFigures(reading: Reading, source: Source): string | null {
  const figures = reading.figures.filter(({ isWord, dimension }) => !isWord || dimension !== null);
  for (const [index, one] of figures.entries()) {
    const other = figures[index + 1];
    if (other === undefined) continue;
    const [ofOne, ofOther] = [
      findWordsAround(reading, figures, index),
      findWordsAround(reading, figures, index + 1),
    ];
    for (const [at, segment] of source.segments.entries()) {
      const a = findGiven(one, segment);
      if (a === null) continue;
      for (const step of [0, 1, -1, 2, -2]) {
        const neighbour = source.segments[at + step];
        if (neighbour === undefined || neighbour.source !== segment.source || (step !== 0 && !segment.isCode))
          continue;
        const b = findGiven(other, neighbour);
        if (b === null || (step === 0 && a.start === b.start)) continue;
        const [keyA, keyB] = [findKeyWords(a, segment), findKeyWords(b, neighbour)];
        if (keyA.length === 0 || keyB.length === 0) continue;
        const directCount = countShared(ofOne, keyA, keyB) + countShared(ofOther, keyB, keyA);
        const isCrossed = countShared(ofOne, keyB, keyA) > 0 && countShared(ofOther, keyA, keyB) > 0;
        if (directCount === 0 && isCrossed)
          return `the lines give ${a.text} and ${b.text} the other way round`;
        if (directCount > 0) return null;
      }
    }
  }
  return null;
}

/** The number of words that occur in `said` and in this name, but not in the other name. */
const countShared = (said: ReadonlySet<string>, key: readonly string[], other: readonly string[]): number =>
  key.filter((word) => said.has(word) && !other.includes(word)).length;

/** The words of the claim around a figure, up to the figures on either side. */
function findWordsAround({ text }: Reading, figures: readonly Figure[], index: number): ReadonlySet<string> {
  const { start, end } = figures[index]!;
  const from = figures[index - 1]?.end ?? 0;
  const to = figures[index + 1]?.start ?? text.length;
  const before = text
    .slice(from, start)
    .split(/[,;]\s|\s(?:and|but|while|whereas|with|to)\s/)
    .at(-1)!;
  const behind = text.slice(end, to).split(/[,;.]\s|\s(?:and|but|while|whereas|with)\s/)[0]!;
  return new Set(
    splitWords(`${before} ${behind}`)
      .filter(({ text: word }) => !isIdle(word))
      .map(({ base }) => base),
  );
}

function findGiven(figure: Figure, { figures, text }: Segment): Figure | null {
  const found = figures.filter((given) => matchFigure(figure, given, text.slice(0, given.start)) !== null);
  return found.length === 1 ? found[0]! : null;
}

const keyForm =
  /(?<key>[\p{L}_$][\p{L}\p{N}_$.-]*(?: [\p{L}_][\p{L}\p{N}_-]*){0,2})["'`\])]*\s*(?::=|=>|=|:|\bset to\b|\bis\b|\bof\b)\s*["'([]*[-+]?$/u;

/**
 * The words that name a figure: the words before it, as in `"duration_ms": 51`, or else the words after it, as in `8
 * bytes sent`.
 */
function findKeyWords({ start, end }: Figure, { text }: Segment): readonly string[] {
  const key = keyForm.exec(text.slice(0, start))?.groups?.['key'];
  const behind = /^[\s-]*((?:\([^)]*\)\s*)?\p{L}[\p{L}_-]*(?:\s\p{L}[\p{L}_-]*)?)/u.exec(
    text.slice(end),
  )?.[1];
  return splitWords(key ?? behind ?? '')
    .filter(({ text: word }) => !isIdle(word))
    .map(({ base }) => base);
}
