import type { Database, Row } from '../../store/index.ts';
import { newId } from '../ids.ts';
import type { ContentId, Deviation } from '../world.ts';
import type { WorldWrite } from '../world-write.ts';
import { refuse } from '../write/refusal.ts';
import { forgetShown } from './shown-rows.ts';

interface Conflict {
  readonly type: Deviation['type'];
  readonly write: WorldWrite;
  /** The content that the write conflicts with. `page`: the number of its page. */
  readonly against: readonly { readonly id: ContentId; readonly page: number }[];
  readonly candidate: { readonly id: ContentId; readonly page: number } | null;
  readonly note: string;
  readonly now: number;
}

export function insertDeviation(db: Database, conflict: Conflict): string {
  const { type, write, against, candidate, note, now } = conflict;
  const id = newId('dv', now);
  const { operation, caller, origin, origin_source_id, derivation_sources, contradicts, base_revision } =
    write;
  const { diverged_from } = write;
  const submitted = {
    operation,
    caller,
    origin,
    origin_source_id,
    derivation_sources,
    contradicts,
    base_revision,
    ...(diverged_from !== undefined && { diverged_from }),
  };
  db.run(
    `INSERT INTO world_deviations (id, type, status, submitted, candidate, note, created, base)
     VALUES (?, ?, 'open', ?, ?, ?, ?, (SELECT coalesce(max(seq), 0) FROM world_events))`,
    id,
    type,
    JSON.stringify(submitted),
    candidate?.id ?? null,
    note,
    now,
  );
  const insertContent = `INSERT INTO world_deviation_content (content, deviation, role, ordinal, page)
    VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
  against.forEach(({ id: content, page }, ordinal) => {
    db.run(insertContent, content, id, 0, ordinal, page);
  });
  if (candidate !== null) db.run(insertContent, candidate.id, id, 1, 0, candidate.page);
  return id;
}

export function findDeviation(db: Database, id: string): Deviation | null {
  const row = db.get('SELECT * FROM world_deviations WHERE id = ?', id);
  return row === undefined ? null : toDeviation(db, row);
}

/** Throws a refusal if the deviation does not exist or has been decided. */
export function findOpenDeviation(db: Database, id: string): Deviation {
  const deviation = findDeviation(db, id);
  if (deviation === null) {
    return refuse(
      'unknown_content',
      `There is no deviation ${JSON.stringify(id.slice(0, 200))}.`,
      'List the deviations.',
      {
        id,
      },
    );
  }
  if (deviation.status !== 'open') {
    refuse('not_open', `${id} is ${deviation.status} already.`, 'List the open deviations.', {
      id,
      status: deviation.status,
    });
  }
  return deviation;
}

export function closeDeviation(
  db: Database,
  id: string,
  closing: {
    readonly status: 'resolved' | 'dismissed';
    readonly resolution: string;
    readonly now: number;
    readonly write_id: string;
  },
): void {
  db.run(
    'UPDATE world_deviations SET status = ?, resolution = ?, resolved = ?, closed_by = ? WHERE id = ?',
    closing.status,
    closing.resolution,
    closing.now,
    closing.write_id,
    id,
  );
  forgetShown(db, id);
}

/**
 * The number of the last event before the deviation was stored. Older versions did not record it; then it is derived
 * from the time of the deviation.
 */
export function readBaseEvent(db: Database, { id, created_at }: Deviation): number {
  const row = db.get(
    `SELECT coalesce(base, (SELECT max(seq) FROM world_events WHERE at <= ?2), 0) AS base
     FROM world_deviations WHERE id = ?1`,
    id,
    created_at,
  );
  return Number(row?.['base'] ?? 0);
}

export function insertProposal(
  db: Database,
  deviation: string,
  { by, at, text }: Deviation['proposals'][number],
): void {
  db.run(
    `INSERT INTO world_proposals (deviation, ordinal, author, at, text)
     VALUES (?1, (SELECT count(*) FROM world_proposals WHERE deviation = ?1), ?2, ?3, ?4)`,
    deviation,
    by,
    at,
    text,
  );
}

export function toDeviation(db: Database, row: Row): Deviation {
  const id = String(row['id']);
  const refs = db.all(
    'SELECT content FROM world_deviation_content WHERE deviation = ? AND role = 0 ORDER BY ordinal',
    id,
  );
  const proposals = db.all(
    'SELECT author, at, text FROM world_proposals WHERE deviation = ? ORDER BY ordinal',
    id,
  );
  return {
    id,
    type: row['type'] as Deviation['type'],
    status: row['status'] as Deviation['status'],
    submitted: JSON.parse(String(row['submitted'])),
    canonical_refs: refs.map(({ content }) => String(content)),
    candidate: row['candidate'] === null ? null : String(row['candidate']),
    note: String(row['note']),
    created_at: Number(row['created']),
    resolved_at: row['resolved'] === null ? null : Number(row['resolved']),
    resolution: row['resolution'] === null ? null : String(row['resolution']),
    proposals: proposals.map(({ author, at, text }) => ({
      by: String(author),
      at: Number(at),
      text: String(text),
    })),
  };
}
