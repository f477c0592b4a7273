import { type Clock, systemClock } from '../../core/index.ts';
import type { Audit } from '../audit.ts';
import { toAuditRow } from '../audit-rows.ts';
import type { Database } from '../database.ts';
import { recordAct } from './sqlite-writes.ts';

/** The audit in a file that has its table. */
export function openAuditIn(db: Database, clock: Clock = systemClock): Audit {
  return Object.freeze({
    async keep(act, by) {
      recordAct(db, by, act, clock.now());
    },
    async list({ since, actor, after, max }) {
      const sql = `SELECT * FROM audit
        WHERE (?1 IS NULL OR at >= ?1) AND (?2 IS NULL OR actor = ?2) AND (?3 IS NULL OR (at, id) < (?3, ?4))
        ORDER BY at DESC, id DESC LIMIT ?5`;
      const afterKey = [after?.at ?? null, after?.id ?? null] as const;
      return db.all(sql, since ?? null, actor ?? null, ...afterKey, max).map(toAuditRow);
    },
  } satisfies Audit);
}
