import type { LineSpan } from '../../core/index.ts';
import { type PassageTraits, weigh } from './learned.ts';
import type { QueryWords } from './reading.ts';
import {
  type CodePart,
  gainOfNames,
  isHandedOn,
  lineClass,
  type Reading,
  type WordGains,
} from './reading.ts';

/** Lines of one passage. Shorter passages allow more of them within the same number of lines. */
const passageLines = 8;
/** A remainder shorter than this is joined to the passage before it. */
const minPassage = 4;
/** BM25's saturation: each repetition of a word counts less. */
const saturation = 1.2;
const commentWorth = 0.7;
const handedOn = 0.2;

interface Passage extends LineSpan {
  readonly score: number;
}

/** Passages of one file, best first. */
export function rankPassages(reading: Reading, words: QueryWords, gains: WordGains): readonly Passage[] {
  return passageTraits(reading, words, gains)
    .map(({ span, traits }) => ({ ...span, score: weigh(traits) }))
    .sort((one, two) => two.score - one.score || one.start - two.start);
}

/** The passages that a file is cut into, in order of its pieces. */
export function passageTraits(
  reading: Reading,
  words: QueryWords,
  gains: WordGains,
): readonly { readonly span: LineSpan; readonly traits: PassageTraits }[] {
  const { pieces, lines, candidate } = reading;
  const sums = wordSums(reading, words.weights.length);
  const classes = lines.map(lineClass);
  const highest = Math.max(...pieces.map(({ score }) => score), 1e-9);
  const cut = pieces.flatMap((piece) => passagesOf(piece).map((span) => ({ piece, span })));
  const own = cut.map(({ span }) => wordScore(sums, span, gains));
  const maxOwn = Math.max(...own, 1e-9);
  return cut.map(({ piece, span }, n) => {
    const length = span.end - span.start + 1;
    const here = classes.slice(span.start - 1, span.end);
    const share = (is: (kind: string) => boolean) => here.filter(is).length / length;
    const name = piece.unit === null ? 0 : gainOfNames([piece.unit.name], words, gains);
    const traits: PassageTraits = {
      own: own[n]! / maxOwn,
      piece: piece.score / highest,
      coverage: piece.coverage,
      found: overlapOf(span, candidate) / length,
      code: share((kind) => kind === 'other'),
      comments: share((kind) => kind === 'comment'),
      defined: piece.unit === null ? 0 : 1,
      name: Math.min(1, name * 3),
      length: length / 20,
    };
    return { span, traits };
  });
}

/** The best passages that fit into the maximum number of lines, best first; adjacent ones are joined. */
export function choosePassages(ranked: readonly Passage[], maxLines: number): readonly LineSpan[] {
  const chosen: { start: number; end: number }[] = [];
  let left = maxLines;
  for (const { start, end } of ranked) {
    const length = end - start + 1;
    if (left < minPassage) break;
    if (length > left || chosen.some((other) => overlapOf(other, { start, end }) > 0)) continue;
    left -= length;
    const touching = chosen.find((other) => other.end + 1 === start || end + 1 === other.start);
    if (touching === undefined) chosen.push({ start, end });
    else {
      touching.start = Math.min(touching.start, start);
      touching.end = Math.max(touching.end, end);
    }
  }
  return chosen;
}

function passagesOf({ start, end }: CodePart): readonly LineSpan[] {
  const spans: LineSpan[] = [];
  for (let from = start; from <= end; ) {
    let to = Math.min(end, from + passageLines);
    if (end - to < minPassage) to = end;
    spans.push({ start: from, end: to });
    from = to + 1;
  }
  return spans;
}

const overlapOf = (lineSpan: LineSpan, two: LineSpan): number =>
  Math.max(0, Math.min(lineSpan.end, two.end) - Math.max(lineSpan.start, two.start) + 1);

/** For each word of the query, its occurrences before each line; lines from 1. */
function wordSums({ lines, matches }: Reading, count: number): readonly Float64Array[] {
  const sums = Array.from({ length: count }, () => new Float64Array(lines.length + 2));
  const now = new Float64Array(count);
  for (let line = 1; line <= lines.length; line += 1) {
    const here = matches[line - 1]!;
    if (here.length > 0) {
      const text = lines[line - 1]!;
      const worth = isHandedOn(text) ? handedOn : lineClass(text) === 'comment' ? commentWorth : 1;
      for (const { word, share } of here) now[word]! += share * worth;
    }
    for (let word = 0; word < count; word += 1) sums[word]![line + 1] = now[word]!;
  }
  return sums;
}

function wordScore(sums: readonly Float64Array[], { start, end }: LineSpan, { gains }: WordGains): number {
  let score = 0;
  for (let word = 0; word < sums.length; word += 1) {
    const frequency = sums[word]![end + 1]! - sums[word]![start]!;
    if (frequency > 0) score += (gains[word]! * frequency) / (frequency + saturation);
  }
  return score;
}
