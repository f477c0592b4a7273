import type { Database, Row } from '../../store/index.ts';
import { newId } from '../ids.ts';
import type { ContentId, DerivationLink, RevalidationFlag } from '../world.ts';
import { refuse } from '../write/refusal.ts';
import { findBlock, findPage } from './rows.ts';

export const derivedByWriting = 'derived_from';

export interface ContentRow {
  readonly id: ContentId;
  /** The number of its page. */
  readonly page: number;
  readonly deleted: boolean;
}

/** Finds a page or a block, whether deleted or not. */
export function findContent(db: Database, id: string): ContentRow | null {
  if (id.startsWith('bl-')) {
    const block = findBlock(db, id);
    return block && { id, page: block.page, deleted: block.deleted };
  }
  const page = findPage(db, id);
  return page && { id, page: page.n, deleted: page.deleted };
}

/** The source of a derivation. Refuses what is not content of this workspace, such as a URL or a deviation. */
export function requireSource(db: Database, id: string): ContentRow {
  return (
    findContent(db, id) ??
    refuse(
      'unknown_source',
      `${JSON.stringify(id.slice(0, 200))} is not content of this workspace, so it cannot be a source.`,
      'Name pages and blocks by their ids; import other material first.',
      { source: id },
    )
  );
}

/** Adds a derivation. Returns false if it exists already. Refuses a cycle. */
export function insertDerivation(
  db: Database,
  link: Omit<DerivationLink, 'created_at'> & { readonly now: number; readonly fresh: boolean },
): boolean {
  const { derived_id: derived, source_id: source, link_type, created_by, now, fresh } = link;
  if (!fresh) requireNoCycle(db, { derived, source });
  const sql = `INSERT INTO world_derivations (derived, source, type, created, created_by)
    VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
  return db.run(sql, derived, source, link_type, now, created_by) === 1;
}

/** Refuses a derivation by which content would derive from itself, directly or indirectly. */
export function requireNoCycle(
  db: Database,
  { derived, source }: { readonly derived: ContentId; readonly source: ContentId },
): void {
  if (!derivesFrom(db, source, derived)) return;
  refuse(
    'derivation_cycle',
    `${source} derives from ${derived} already, so that ${derived} cannot derive from it.`,
    'Leave that source out.',
    { derived, source },
  );
}

/** Whether `from` derives from `to`, directly or indirectly, or is the same content. */
export function derivesFrom(db: Database, from: ContentId, to: ContentId): boolean {
  const sql = `
    WITH RECURSIVE up (id) AS (
      SELECT ?1 UNION SELECT d.source FROM world_derivations d JOIN up ON d.derived = up.id
    ) SELECT 1 FROM up WHERE id = ?2`;
  return db.get(sql, from, to) !== undefined;
}

export function toDerivation(row: Row): DerivationLink {
  return {
    derived_id: String(row['derived']),
    source_id: String(row['source']),
    link_type: String(row['type']),
    created_at: Number(row['created']),
    created_by: String(row['created_by']),
  };
}

/**
 * Flags all content that derives directly from a source, except content that the same event wrote. Returns the ids of
 * the new flags.
 */
export function raiseFlags(
  db: Database,
  source: ContentId,
  event: { readonly seq: number; readonly now: number; readonly written: (id: ContentId) => boolean },
): readonly string[] {
  const raised: string[] = [];
  const sql = 'SELECT DISTINCT derived FROM world_derivations WHERE source = ? ORDER BY derived';
  for (const { derived } of db.all(sql, source)) {
    const id = String(derived);
    if (!event.written(id)) raised.push(...raiseFlag(db, id, source, event));
  }
  return raised;
}

/** Raises a flag, unless there is an open one for the same content and source. Returns the id of the new flag. */
export function raiseFlag(
  db: Database,
  content: ContentId,
  source: ContentId,
  { seq, now }: { readonly seq: number; readonly now: number },
): readonly string[] {
  const found = findContent(db, content);
  if (found === null || found.deleted) return [];
  const id = newId('fl', now);
  const sql = `INSERT INTO world_flags (id, content, page, source, event, raised) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING`;
  return db.run(sql, id, content, found.page, source, seq, now) === 1 ? [id] : [];
}

export function toFlag(row: Row): RevalidationFlag {
  return {
    id: String(row['id']),
    content_id: String(row['content']),
    source_id: String(row['source']),
    raised_at: Number(row['raised']),
    cleared_at: row['cleared'] === null ? null : Number(row['cleared']),
  };
}
