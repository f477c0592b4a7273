/** The audit in PostgreSQL. Its statements are sent in the transaction of the act. */
import { createSortableId } from '../../../core/index.ts';
import type { Act, Actor, Audit } from '../../audit.ts';
import { toAuditRow } from '../../audit-rows.ts';
import type { PostgresOptions } from '../connection.ts';
import { openPostgres, type PostgresDatabase, type Statement } from '../database.ts';
import { escapeNul } from '../escape-nul.ts';

/** An SQL condition that is true once the act has happened. */
export interface AuditCondition {
  /** Part of the name under which the statement is prepared. */
  readonly name: string;
  /** Uses `$1`, `$2` … for `values`. */
  readonly test: string;
  readonly values: readonly unknown[];
}

/** The statements that add the row; none without an actor. A batch that is sent again adds no second row. */
export function recordAct(
  by: Actor | undefined,
  { act, on, result = 'done' }: Act,
  condition?: AuditCondition,
): readonly Statement[] {
  if (by === undefined) return [];
  const { name = 'always', test = 'true', values = [] } = condition ?? {};
  const rowValues = [
    createSortableId(Date.now()),
    escapeNul(by.name),
    escapeNul(by.team),
    act,
    escapeNul(on),
    result,
  ];
  const parameter = (nth: number) => `$${values.length + nth}::text`;
  return [
    {
      name: `keep an act: ${name}`,
      text: `INSERT INTO audit (id, at, actor, team, act, target, result)
        SELECT ${parameter(1)}, now_ms(), ${parameter(2)}, ${parameter(3)}, ${parameter(4)}, ${parameter(5)}, ${parameter(6)} WHERE ${test}
        ON CONFLICT (id) DO NOTHING`,
      values: [...values, ...rowValues],
    },
  ];
}

export function postgresAudit(db: PostgresDatabase): Audit {
  return Object.freeze({
    async keep(act, by) {
      await db.transact(recordAct(by, act));
    },
    async list({ since, actor, after, max }) {
      const rows = await db.ask({
        name: 'audit',
        text: `SELECT * FROM audit
          WHERE ($1::bigint IS NULL OR at >= $1) AND ($2::text IS NULL OR actor = $2)
            AND ($3::bigint IS NULL OR (at, id) < ($3, $4::text))
          ORDER BY at DESC, id DESC LIMIT $5`,
        values: [
          since ?? null,
          actor === undefined ? null : escapeNul(actor),
          after?.at ?? null,
          after?.id ?? null,
          max,
        ],
      });
      return rows.map(toAuditRow);
    },
  } satisfies Audit);
}

/** Opens only the audit, over its own connection. */
export function openPostgresAudit(options: PostgresOptions): Audit & { close(): Promise<void> } {
  const db = openPostgres({ ...options, maxConnections: 1 });
  return Object.freeze({ ...postgresAudit(db), close: () => db.close() });
}
