/** Reads every readable row of a damaged SQLite file, with its table if the file still names it. */
import { type CarvedCell, type CarvedPage, readTreePage } from './cells.ts';
import { openPageFile, type PageFile } from './file.ts';

export interface CarvedRow extends CarvedCell {
  /** The table of the row; null if the link from the table to the row is lost. */
  readonly table: string | null;
}

export interface CarveResult {
  /** Rows of known tables come first. */
  readonly rows: readonly CarvedRow[];
  /** Tables that the file lists; empty if that list is lost. */
  readonly tables: readonly string[];
  /** Rows that can't be read. */
  readonly damagedRows: number;
  /** Pages that a table refers to and that can't be read. */
  readonly damagedPages: number;
}

/** Reads the file and its write-ahead log, and changes neither. Throws `not_found` and `store_unusable`. */
export function carve(path: string): CarveResult {
  const file = openPageFile(path);
  const visitedPages = new Set<number>([...file.free]);
  const damage = { rows: 0, pages: 0 };
  const schema = readTree(file, 1, visitedPages, damage).flatMap(({ values }) => toSchemaEntry(values) ?? []);
  // Indexes are rebuilt later; their pages must not count as table pages.
  const trees = schema.map(({ type, name, root }) => ({
    type,
    name,
    cells: readTree(file, root, visitedPages, type === 'table' ? damage : { rows: 0, pages: 0 }),
  }));
  const tables = trees.filter(({ type }) => type === 'table');
  const tableRows = tables.flatMap(({ name, cells }) => cells.map((cell) => ({ table: name, ...cell })));
  const orphanRows = readOrphanRows(file, visitedPages, damage).map((cell) => ({ table: null, ...cell }));
  return {
    rows: [...tableRows, ...orphanRows],
    tables: tables.map(({ name }) => name),
    damagedRows: damage.rows,
    damagedPages: damage.pages,
  };
}

interface Damage {
  rows: number;
  pages: number;
}

/** The cells of a tree, from its root down. */
function readTree(
  file: PageFile,
  root: number,
  visitedPages: Set<number>,
  damage: Damage,
): readonly CarvedCell[] {
  const cells: CarvedCell[] = [];
  const pageNumbers = [root];
  let kind: CarvedPage['kind'] | undefined;
  for (let number = pageNumbers.pop(); number !== undefined; number = pageNumbers.pop()) {
    if (visitedPages.has(number)) continue;
    const page = readTreePage(file, number);
    kind ??= page?.kind;
    // A page of another kind means that the number of the page is damaged. That page is read later, as an orphan.
    if (page === null || page.kind !== kind) {
      damage.pages += 1;
      continue;
    }
    visitedPages.add(number);
    damage.rows += page.damaged;
    cells.push(...page.cells);
    pageNumbers.push(...page.children.toReversed());
  }
  return cells;
}

/** Reads rows of pages that no tree contains any more. */
function readOrphanRows(
  file: PageFile,
  visitedPages: ReadonlySet<number>,
  damage: Damage,
): readonly CarvedCell[] {
  const cells: CarvedCell[] = [];
  for (let number = 2; number <= file.pages; number += 1) {
    if (visitedPages.has(number)) continue;
    const page = readTreePage(file, number);
    // Outside of a tree, a page of keys may belong to an index, whose entries are no rows.
    if (page === null || page.kind === 'keys') continue;
    damage.rows += page.damaged;
    cells.push(...page.cells);
  }
  return cells;
}

function toSchemaEntry(values: CarvedCell['values']) {
  const [type, name, , root] = values;
  if (typeof type !== 'string' || typeof name !== 'string' || typeof root !== 'number' || root < 2)
    return null;
  return { type, name, root };
}
