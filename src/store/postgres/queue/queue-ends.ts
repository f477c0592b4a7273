/** Renews and settles claims. Those of one process are sent in batches, each with its own fence. */
import type { Claim, Settlement } from '../../queue/queue.ts';
import { settleJob } from '../../queue/queue-rules.ts';
import { createBatcher } from '../batcher.ts';
import type { PostgresDatabase, Row } from '../database.ts';

export interface Renewal {
  readonly id: number;
  readonly fence: number;
  /** JSON; null: unchanged. */
  readonly kept: string | null;
}

export interface Ending {
  readonly claim: Claim;
  readonly settlement: Settlement;
}

export interface QueueEndsOptions {
  readonly leaseMs: number;
  /** Null: the database's own clock. */
  readonly now: () => number | null;
}

export function queueEnds(db: PostgresDatabase, { leaseMs, now }: QueueEndsOptions) {
  return {
    /** False: the claim is lost. */
    renew: createBatcher<Renewal, boolean>(async (batch) => {
      // Of several renewals of a claim, the last `kept` is stored.
      const renewals = new Map<string, Renewal>();
      for (const renewal of batch)
        renewals.set(nameOf(renewal), {
          ...renewal,
          kept: renewal.kept ?? renewals.get(nameOf(renewal))?.kept ?? null,
        });
      const rows = sortById([...renewals.values()]);
      const renewed = await db.ask({
        name: 'renew jobs',
        text: `UPDATE queue_jobs q SET expires = coalesce($4::bigint, now_ms()) + $5, kept = coalesce(a.kept, q.kept)
          FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS a (id, fence, kept)
          WHERE q.id = a.id AND q.fence = a.fence AND q.state = 'running' RETURNING q.id, q.fence`,
        values: [...toColumns(rows, 'id', 'fence', 'kept'), now(), leaseMs],
      });
      const names = new Set(renewed.map(nameOfRow));
      return batch.map((renewal) => names.has(nameOf(renewal)));
    }),
    /** Undefined: the claim is lost, or is settled already. */
    settle: createBatcher<Ending, Row | undefined>(async (batch) => {
      const jobEnds = new Map<string, ReturnType<typeof toJobEnd>>();
      for (const ending of batch) {
        const end = toJobEnd(ending);
        if (!jobEnds.has(nameOf(end))) jobEnds.set(nameOf(end), end);
      }
      const rows = sortById([...jobEnds.values()]);
      const settled = await db.ask({
        name: 'settle jobs',
        text: `UPDATE queue_jobs q SET state = a.state, attempts = a.attempts, deaths = a.deaths,
            kept = coalesce(a.kept, q.kept), result = a.result, error = a.error, holder = NULL,
            updated = coalesce($10::bigint, now_ms()),
            due = coalesce(coalesce($10::bigint, now_ms()) + a.later, q.due)
          FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::text[],
            $8::text[], $9::bigint[]) AS a (id, fence, state, attempts, deaths, kept, result, error, later)
          WHERE q.id = a.id AND q.fence = a.fence AND q.state = 'running' RETURNING q.*`,
        values: [
          ...toColumns(
            rows,
            'id',
            'fence',
            'state',
            'attempts',
            'deaths',
            'kept',
            'result',
            'error',
            'later',
          ),
          now(),
        ],
      });
      const settledRows = new Map(settled.map((row) => [nameOfRow(row), row]));
      return batch.map(({ claim: { job, fence } }) => settledRows.get(nameOf({ id: job.id, fence })));
    }),
  };
}

/**
 * The columns after a settlement. While a job is claimed, only its `kept` can change, so the claim's copy is current.
 */
function toJobEnd({ claim: { job, fence }, settlement }: Ending) {
  const { state, attempts, deaths, result, error } = settleJob(job, settlement, 0);
  const delayMs = 'afterMs' in settlement ? (settlement.afterMs ?? null) : null;
  const kept = settlement.kept === undefined ? null : JSON.stringify(settlement.kept);
  return {
    id: job.id,
    fence,
    state,
    attempts,
    deaths,
    kept,
    result: toJson(result),
    error: toJson(error),
    later: delayMs,
  };
}

type RenewalKey = Pick<Renewal, 'id' | 'fence'>;

const nameOf = ({ id, fence }: RenewalKey): string => `${fence} ${id}`;
const nameOfRow = ({ id, fence }: Row): string => `${fence} ${id}`;

/** Sorts by id: all processes lock rows in this order, so that they don't deadlock. */
const sortById = <One extends RenewalKey>(rows: readonly One[]): readonly One[] =>
  rows.toSorted((a, b) => a.id - b.id);

const toColumns = <One, Field extends keyof One>(rows: readonly One[], ...fields: readonly Field[]) =>
  fields.map((field) => rows.map((row) => row[field]));

const toJson = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
