import type { LineSpan } from '../../core/index.ts';
import { type PassageTraits, scoreTraits } from './learned.ts';
import type { QueryWords } from './reading.ts';
import {
  classifyLine,
  type FilePart,
  isPassingLine,
  type Reading,
  scoreNames,
  type WordGains,
} from './reading.ts';

/** The number of lines of a passage, minus one. Of shorter passages, more would fit into the limit. */
const passageLines = 8;
/** Minimum lines of a passage. A shorter remainder is joined to the passage before it. */
const minPassageLines = 4;
/** BM25's saturation: each repetition of a word counts less. */
const saturation = 1.2;
/** The weight of a word in a comment, relative to code. */
const commentWeight = 0.7;
/** The weight of a word in a line that only imports names or passes them on, relative to code. */
const passingWeight = 0.2;

interface Passage extends LineSpan {
  readonly score: number;
}

/** The passages of one file, sorted by their learned score, best first. */
export function rankPassages(reading: Reading, words: QueryWords, gains: WordGains): readonly Passage[] {
  return computeTraits(reading, words, gains)
    .map(({ span, traits }) => ({ ...span, score: scoreTraits(traits) }))
    .sort((one, two) => two.score - one.score || one.start - two.start);
}

/** Splits a file into passages, in the order of its pieces, and computes their traits. */
export function computeTraits(
  reading: Reading,
  words: QueryWords,
  gains: WordGains,
): readonly { readonly span: LineSpan; readonly traits: PassageTraits }[] {
  const { pieces, lines, candidate } = reading;
  const sums = sumOccurrences(reading, words.weights.length);
  const classes = lines.map(classifyLine);
  const maxPieceScore = Math.max(...pieces.map(({ score }) => score), 1e-9);
  const passages = pieces.flatMap((piece) => splitPiece(piece).map((span) => ({ piece, span })));
  const wordScores = passages.map(({ span }) => scoreWords(sums, span, gains));
  const maxWordScore = Math.max(...wordScores, 1e-9);
  return passages.map(({ piece, span }, index) => {
    const length = span.end - span.start + 1;
    const lineClasses = classes.slice(span.start - 1, span.end);
    const share = (hasClass: (kind: string) => boolean) => lineClasses.filter(hasClass).length / length;
    const name = piece.unit === null ? 0 : scoreNames([piece.unit.name], words, gains);
    const traits: PassageTraits = {
      own: wordScores[index]! / maxWordScore,
      piece: piece.score / maxPieceScore,
      coverage: piece.coverage,
      found: countCommonLines(span, candidate) / length,
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
  let linesLeft = maxLines;
  for (const { start, end } of ranked) {
    const length = end - start + 1;
    if (linesLeft < minPassageLines) break;
    if (length > linesLeft || chosen.some((other) => countCommonLines(other, { start, end }) > 0)) continue;
    linesLeft -= length;
    const adjacent = chosen.find((other) => other.end + 1 === start || end + 1 === other.start);
    if (adjacent === undefined) chosen.push({ start, end });
    else {
      adjacent.start = Math.min(adjacent.start, start);
      adjacent.end = Math.max(adjacent.end, end);
    }
  }
  return chosen;
}

function splitPiece({ start, end }: FilePart): readonly LineSpan[] {
  const spans: LineSpan[] = [];
  for (let from = start; from <= end; ) {
    let to = Math.min(end, from + passageLines);
    if (end - to < minPassageLines) to = end;
    spans.push({ start: from, end: to });
    from = to + 1;
  }
  return spans;
}

const countCommonLines = (one: LineSpan, two: LineSpan): number =>
  Math.max(0, Math.min(one.end, two.end) - Math.max(one.start, two.start) + 1);

/** For each word of the query, the sum of its weighted occurrences in all lines before each line (1-based). */
function sumOccurrences({ lines, matches }: Reading, count: number): readonly Float64Array[] {
  const sums = Array.from({ length: count }, () => new Float64Array(lines.length + 2));
  const totals = new Float64Array(count);
  for (let line = 1; line <= lines.length; line += 1) {
    const lineMatches = matches[line - 1]!;
    if (lineMatches.length > 0) {
      const text = lines[line - 1]!;
      const weight = isPassingLine(text)
        ? passingWeight
        : classifyLine(text) === 'comment'
          ? commentWeight
          : 1;
      for (const { word, share } of lineMatches) totals[word]! += share * weight;
    }
    for (let word = 0; word < count; word += 1) sums[word]![line + 1] = totals[word]!;
  }
  return sums;
}

function scoreWords(sums: readonly Float64Array[], { start, end }: LineSpan, { gains }: WordGains): number {
  let score = 0;
  for (let word = 0; word < sums.length; word += 1) {
    const frequency = sums[word]![end + 1]! - sums[word]![start]!;
    if (frequency > 0) score += (gains[word]! * frequency) / (frequency + saturation);
  }
  return score;
}
