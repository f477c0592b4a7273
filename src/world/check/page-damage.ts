import type { Database, Row } from '../../store/index.ts';
import type { ContentFields } from '../world.ts';
import type { Damage } from './check-world.ts';

/** The fields of a page and its blocks according to the log, by id. Null if a part of the log can't be read. */
export function readLoggedFields(db: Database, page: number): ReadonlyMap<string, ContentFields> | null {
  const fields = new Map<string, ContentFields>();
  const rows = db.all(
    `SELECT e.after FROM world_event_pages x JOIN world_events e ON e.seq = x.seq
     WHERE x.page = ? AND e.after IS NOT NULL ORDER BY x.seq`,
    page,
  );
  for (const { after } of rows) {
    let changed: Readonly<Record<string, ContentFields>>;
    try {
      changed = JSON.parse(String(after));
    } catch {
      return null;
    }
    for (const [id, each] of Object.entries(changed)) fields.set(id, { ...fields.get(id), ...each });
  }
  return fields;
}

const columnsOfPage = 'id, path, front, properties, lifecycle, origin, deleted';
const columnsOfBlock = 'id, text, place, lifecycle, origin, deleted';

/** Compares a page and its blocks with the log. `n`: the row number of the page. */
export function findPageDamage(db: Database, n: number): readonly Damage[] {
  const row = db.get(`SELECT ${columnsOfPage} FROM world_pages WHERE n = ?`, n);
  if (row === undefined) return [];
  const page = String(row['path']);
  const logged = readLoggedFields(db, n);
  if (logged === null) return [{ page, block: null, what: 'part of its log is not readable' }];
  const pageDifferences = listDifferences(row, logged.get(String(row['id'])), ['path', 'front']);
  const damaged: Damage[] = pageDifferences.map((what) => ({ page, block: null, what }));
  if (!isJson(String(row['properties'])))
    damaged.push({ page, block: null, what: 'its properties are not JSON' });
  const existing = new Set<string>();
  function compare(block: Row): void {
    const id = String(block['id']);
    existing.add(id);
    for (const what of listDifferences(block, logged!.get(id), ['text', 'place']))
      damaged.push({ page, block: id, what });
  }
  // Only blocks that are not deleted are indexed by page. The others are found by their ids in the log.
  const selectBlocks = `SELECT ${columnsOfBlock} FROM world_blocks WHERE page = ?`;
  for (const block of db.each(`${selectBlocks} AND deleted = 0`, n)) compare(block);
  for (const [id, { page: pageId }] of logged) {
    if (!id.startsWith('bl-') || existing.has(id)) continue;
    const block = db.get(`${selectBlocks} AND id = ?`, n, id);
    if (block !== undefined) compare(block);
    else if (pageId === row['id'])
      damaged.push({ page, block: id, what: 'it is missing, though the log names it' });
  }
  return damaged;
}

function listDifferences(
  row: Row,
  logged: ContentFields | undefined,
  fields: readonly (keyof ContentFields)[],
): readonly string[] {
  if (logged === undefined) return ['it is not in the log'];
  const differing = ([...fields, 'lifecycle', 'origin'] as const).filter(
    (field) => logged[field] !== undefined && logged[field] !== row[field],
  );
  const isDeleted = logged.deleted === true;
  return [
    ...differing.map((field) => `its ${field} differs from the log`),
    ...(isDeleted === (row['deleted'] === 1)
      ? []
      : [`the log says that it is ${isDeleted ? '' : 'not '}deleted`]),
  ];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
