/** Decides claims about a table by the cell in the row and the column that they name. */
import type { Reading } from '../../claim/reading.ts';
import { cacheByKey, type Segment, type Source } from '../../lines/source.ts';
import { mayDeny } from '../../words/turns.ts';
import type { Token } from '../align/tokens.ts';
import { isAlike, splitTokens } from './pieces.ts';
import { mayTakeBack } from './whole-clause.ts';

interface Cell {
  readonly text: string;
  readonly tokens: readonly Token[];
  /** The tokens without the text in brackets at its end. */
  readonly bare: readonly Token[];
}

interface Table {
  readonly titles: readonly Cell[];
  readonly rows: readonly (readonly Cell[])[];
}

type TableDecision =
  | { readonly verdict: 'shown' }
  | { readonly verdict: 'contradicted'; readonly why: string };

/**
 * shown: the claim names a row and a column (no column if there is only one), says what that cell contains, and says
 * nothing else. contradicted: the claim says what another cell of that row or column contains. Null for any other
 * claim.
 */
export function decideCell(reading: Reading, source: Source): TableDecision | null {
  const claimed = splitTokens(reading.text);
  const found = findTables(source).flatMap((table) => findClaimedCells(claimed, table));
  const [first] = found;
  if (first === undefined) return null;
  if (found.every(({ isSo }) => isSo)) return { verdict: 'shown' };
  return found.every(({ isSo }) => !isSo)
    ? { verdict: 'contradicted', why: `the table has "${first.cell.text}" there` }
    : null;
}

interface CellMatch {
  readonly cell: Cell;
  /** Whether the claim says what the cell contains; if false, it says what another cell contains. */
  readonly isSo: boolean;
}

function findClaimedCells(claimed: readonly Token[], { titles, rows }: Table): readonly CellMatch[] {
  const sharedTitleTokens = (titles[1]?.tokens ?? []).filter((token) =>
    titles.slice(1).every(({ tokens }) => tokens.some((other) => isAlike(token, other))),
  );
  const namedKeys = findNamedCells(
    rows.map((row) => row[0]!),
    claimed,
  );
  // The claim must name one row, and one column if there are several.
  if (namedKeys.length !== 1 || namedKeys[0]!.cell.tokens.length === 0) return [];
  const row = rows[namedKeys[0]!.index]!;
  if (rows.filter(([key]) => areAlike(key!.tokens, row[0]!.tokens)).length > 1) return [];
  const hasSeveralColumns = row.length > 2;
  const columns = findNamedCells(titles.slice(1), claimed, hasSeveralColumns ? sharedTitleTokens : []);
  if (hasSeveralColumns && columns.length !== 1) return [];
  const at = hasSeveralColumns ? columns[0]!.index + 1 : 1;
  const cell = row[at];
  if (cell === undefined || cell.tokens.length === 0) return [];
  const takenPlaces = new Set([
    ...namedKeys[0]!.places,
    ...columns.filter(({ index }) => index + 1 === at).flatMap(({ places }) => places),
  ]);
  const title = [...(titles[0]?.tokens ?? []), ...(titles[at]?.tokens ?? [])];
  const rest = claimed.filter(
    (token, index) => !takenPlaces.has(index) && !title.some((other) => isAlike(token, other)),
  );
  const contentRest = rest.filter(({ text }) => !joiningWords.has(text.toLowerCase()));
  const isBehindKey = claimed.indexOf(contentRest[0]!) > Math.max(...namedKeys[0]!.places);
  const isHere = (one: Cell): boolean =>
    [one.tokens, one.bare].some((own) => own.length > 0 && areAlike(own, contentRest)) ||
    // The cell itself may contain a joining word.
    [one.tokens, one.bare].some((own) => own.length > 0 && areAlike(own, rest));
  const isValue =
    contentRest.length === 1 &&
    (contentRest[0]!.figure !== undefined || contentRest[0]!.moment !== undefined);
  if (contentRest.length === 0 || (!isBehindKey && !isValue)) return [];
  if (isHere(cell)) return [{ cell, isSo: true }];
  const others = [...rows.map((one) => one[at]), ...row.slice(1)].filter((one) => one !== undefined);
  const isOther = others.some((one) => one !== cell && isHere(one));
  return isOther && !mayDeny(cell.text) ? [{ cell, isSo: false }] : [];
}

/**
 * Whether a claim repeats a figure of a row without naming its column, although another column of the row also has a
 * figure of that kind.
 */
export function leavesColumnOpen({ text }: Reading, segment: Segment, source: Source): boolean {
  if (!segment.text.trimStart().startsWith('|')) return false;
  const claimed = splitTokens(text);
  const isSaid = (tokens: readonly Token[]): boolean =>
    tokens.every((token) => claimed.some((one) => isAlike(one, token)));
  const rowCells = splitCells(segment.text);
  const table = findTables(source).find(({ rows }) =>
    rows.some(
      (row) => row.length === rowCells.length && row.every((cell, at) => cell.text === rowCells[at]!.text),
    ),
  );
  if (table === undefined || rowCells.length < 3) return false;
  return rowCells.some(({ tokens }, at) => {
    const figure = tokens.find((token) => token.figure !== undefined)?.figure;
    if (at === 0 || figure === undefined || !isSaid(tokens)) return false;
    const isOpen = rowCells.some(
      (other, index) =>
        index > 0 &&
        index !== at &&
        !isSaid(other.tokens) &&
        other.tokens.some((token) => token.figure?.dimension === figure.dimension),
    );
    const title = table.titles[at]?.tokens ?? [];
    return isOpen && !title.some((token) => isSaid([token]));
  });
}

/**
 * Whether a claim puts a cell right behind the title of another column: `from Bob to Anna` for the titles `from | to`
 * and the row `Anna | Bob`.
 */
function isCrossed(claimed: readonly Token[], { titles, rows }: Table): boolean {
  const findStart = (tokens: readonly Token[]): number =>
    tokens.length === 0
      ? -1
      : claimed.findIndex((_, at) => areAlike(tokens, claimed.slice(at, at + tokens.length)));
  return rows.some((row) => {
    const cells = row
      .map(({ bare }, column) => ({ column, at: findStart(bare) }))
      .filter(({ at }) => at >= 0)
      .toSorted((a, b) => a.at - b.at);
    return (
      cells.length > 1 &&
      titles.some(({ bare }, column) => {
        const at = findStart(bare);
        const next = cells.find((cell) => cell.at > at);
        return (
          at >= 0 &&
          next !== undefined &&
          next.column !== column &&
          cells.some((cell) => cell.column === column)
        );
      })
    );
  });
}

export const crossesColumns = ({ text }: Reading, source: Source): boolean => {
  const claimed = splitTokens(text);
  return findTables(source).some((table) => isCrossed(claimed, table));
};

/** Words that only join a name with its value. */
const joiningWords = new Set(
  (
    'the a an is are was were has have had of for on in at with its by from as to used uses means ' +
    'der die das den dem des ein eine ist sind war hat haben für auf bei im in mit von vom zum zur beträgt ' +
    'el la los las un una es son tiene tienen de del para en con ' +
    'le les un une est sont a ont du des pour dans avec sur ' +
    'to jest są ma mają dla w na z do ' +
    'il lo i gli è sono ha di del della per con o os é são tem da do para no na ' +
    'het een heeft zijn van voor op'
  ).split(' '),
);

interface NamedCell {
  readonly cell: Cell;
  readonly index: number;
  /** The places of its tokens in the claim. */
  readonly places: readonly number[];
}

/** The cells whose words are next to each other in the claim. Of overlapping cells only the longest counts. */
function findNamedCells(
  cells: readonly Cell[],
  claimed: readonly Token[],
  ignoredTokens: readonly Token[] = [],
): readonly NamedCell[] {
  const found = cells.flatMap((cell, index): readonly NamedCell[] => {
    for (const tokens of [
      cell.tokens,
      cell.bare,
      cell.tokens.filter((token) => !ignoredTokens.some((other) => isAlike(token, other))),
    ]) {
      const start = claimed.findIndex(
        (_, at) => tokens.length > 0 && areAlike(tokens, claimed.slice(at, at + tokens.length)),
      );
      if (start >= 0) return [{ cell, index, places: tokens.map((_, at) => start + at) }];
    }
    return [];
  });
  return found.filter(
    (one) =>
      !found.some(
        (other) =>
          other !== one &&
          other.places.length > one.places.length &&
          one.places.every((at) => other.places.includes(at)),
      ),
  );
}

const areAlike = (one: readonly Token[], other: readonly Token[]): boolean =>
  one.length === other.length && one.every((token, at) => isAlike(token, other[at]!));

const findTables = cacheByKey(({ segments, known }: Source): readonly Table[] => {
  const tables: {
    titles: readonly Cell[];
    rows: (readonly Cell[])[];
    last: number;
    source: number;
    width: number;
  }[] = [];
  for (const [index, { text, source, line }] of segments.entries()) {
    if (!/^\s*\|.*\|\s*$/.test(text)) continue;
    const row = splitCells(text);
    const table = tables.at(-1);
    const before = segments[index - 1];
    // The titles are two lines above the first row, since the line between has no words.
    const isNext =
      table !== undefined &&
      table.source === source &&
      table.width === row.length &&
      before !== undefined &&
      line - table.last <= (table.rows.length === 0 ? 2 : 1);
    if (isNext) {
      table.rows.push(row);
      table.last = line;
    } else {
      const titles = known.header
        .split('\n')
        .filter((one) => /^\s*\|.*\|\s*$/.test(one))
        .map(splitCells)
        .filter(({ length }) => length === row.length);
      const isTitle =
        titles.length === 0 ||
        titles.some((one) => one.every((cell, at) => areAlike(cell.tokens, row[at]!.tokens)));
      tables.push({
        titles: isTitle ? row : titles[0]!,
        rows: isTitle ? [] : [row],
        ...{ last: line, source, width: row.length },
      });
    }
  }
  return tables.filter(({ rows, width }) => rows.length > 0 && width > 1);
});

const splitCells = (text: string): readonly Cell[] =>
  text
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => {
      const cellText = cell.replace(/\[\[(?:[^\]|]*\\?\|)?([^\]]*)\]\]/g, '$1').trim();
      const bracketText = /\s*\(([^()]*)\)\s*$/.exec(cellText);
      const bare =
        bracketText === null ||
        bracketText.index === 0 ||
        mayDeny(bracketText[1]!) ||
        mayTakeBack(bracketText[1]!)
          ? cellText
          : cellText.slice(0, bracketText.index);
      return { text: cellText, tokens: splitTokens(cellText), bare: splitTokens(bare) };
    });
