/**
 * Lists matching lines so that they can be cited: each line, or group of adjacent lines, has the id of its evidence.
 */
import { type Evidence, escapePath, type LineMatch } from '../../core/index.ts';
import { formatCount } from '../bounds.ts';
import type { ClaimedSpan, EntryOutput } from '../entry.ts';
import { readingPenalty } from './reading-order.ts';

/**
 * Maximum lines that are listed with their text: in all, from one source file among others, and from one file of
 * another kind.
 */
const maxTexts = 30;
const maxTextsOfSource = 12;
const maxTextsOfOther = 3;
/** Maximum files that are listed by the numbers of their lines alone, and maximum numbers of one file. */
const maxFiles = 12;
const maxNumbers = 15;
const maxLineLength = 160;
/** Maximum lines of one piece of evidence. A piece begins and ends with a match. */
const maxPieceLength = 12;
const gap = 3;

interface CitedLines {
  readonly lines: readonly string[];
  readonly collected: EntryOutput;
  /** Whether the numbers of some lines are left out, too. */
  readonly cut: boolean;
}

/** The definition that contains a line; null if that is not known. */
export type FindUnit = (path: string, line: number) => string | null;

type Collect = (finds: readonly ClaimedSpan[]) => Promise<EntryOutput>;

/** Lists the files in reading order. All matching lines are named; the first ones are listed with their text. */
export async function citeLines(
  matches: readonly LineMatch[],
  pattern: string,
  collect: Collect,
  findUnit: FindUnit = () => null,
): Promise<CitedLines> {
  const files = [...Map.groupBy(matches, ({ path }) => path)]
    .map(([path, found]) => ({ path, found, penalty: readingPenalty(path) }))
    .sort((a, b) => a.penalty - b.penalty);
  let left = maxTexts;
  const shares = files.map((file) => {
    // A search in a single file shows as many of its lines as allowed.
    const share = files.length === 1 ? maxTexts : file.penalty === 0 ? maxTextsOfSource : maxTextsOfOther;
    const texts = file.found.slice(0, Math.min(left, share));
    left -= texts.length;
    return { ...file, pieces: splitPieces(texts), rest: file.found.slice(texts.length) };
  });
  const collected = await collect(
    shares.flatMap(({ path, pieces }) =>
      pieces.map((piece): ClaimedSpan => {
        const [first] = piece as [LineMatch];
        const end = piece.at(-1)?.line ?? first.line;
        const reason = `matches ${pattern}`;
        return { path, start: first.line, end, reason, near: first.text, provenance: 'grep' };
      }),
    ),
  );
  const withText = shares.filter(({ pieces }) => pieces.length > 0);
  const bare = shares.filter(({ pieces }) => pieces.length === 0);
  const lines = [
    ...withText.flatMap(({ path, pieces, rest }) => [
      escapePath(path),
      ...formatPieces(pieces, collected.evidence, findUnit),
      ...(rest.length > 0 ? [`  and lines ${formatNumbers(rest)}`] : []),
    ]),
    ...bare.slice(0, maxFiles).map(({ path, found }) => `${escapePath(path)}: lines ${formatNumbers(found)}`),
    ...(bare.length > maxFiles ? [`and in ${formatCount(bare.length - maxFiles, 'more file')}`] : []),
  ];
  const cut = bare.length > maxFiles || shares.some(({ rest }) => rest.length > maxNumbers);
  return { lines, collected, cut };
}

function splitPieces(matches: readonly LineMatch[]): readonly (readonly LineMatch[])[] {
  const pieces: LineMatch[][] = [];
  for (const match of matches) {
    const piece = pieces.at(-1);
    const first = piece?.[0]?.line ?? 0;
    const last = piece?.at(-1)?.line ?? 0;
    if (piece !== undefined && match.line - last <= gap && match.line - first < maxPieceLength)
      piece.push(match);
    else pieces.push([match]);
  }
  return pieces;
}

/** The definition of a line is named if the line before has another. */
function formatPieces(
  pieces: readonly (readonly LineMatch[])[],
  evidence: readonly Evidence[],
  findUnit: FindUnit,
): readonly string[] {
  let before: string | null = null;
  return pieces.flatMap((piece) => {
    const [first] = piece as [LineMatch];
    const held = evidence.find((item) => item.file_path === first.path && item.start_line === first.line);
    return piece.map(({ path, line, text }, n) => {
      const shown = text.trim();
      const clipped = shown.length > maxLineLength ? `${shown.slice(0, maxLineLength)}…` : shown;
      const unit = findUnit(path, line);
      const unitNote = unit === null || unit === before ? '' : `  (in ${unit})`;
      before = unit;
      return `  ${n === 0 && held !== undefined ? `${held.id} ` : ''}${line}| ${clipped}${unitNote}`;
    });
  });
}

function formatNumbers(matches: readonly LineMatch[]): string {
  const numbers = matches.slice(0, maxNumbers).map(({ line }) => line);
  const more = matches.length - numbers.length;
  return `${numbers.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
