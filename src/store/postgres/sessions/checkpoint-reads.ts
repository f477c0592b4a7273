import type { HeadQuery, ThreadUsage } from '../../sessions/checkpoints.ts';
import type { PostgresDatabase, Statement } from '../database.ts';

export function selectHeads({ thread, namespace, id, before, limit }: HeadQuery): Statement {
  const conditions: readonly (readonly [string, string | undefined])[] = [
    ['thread_id =', thread],
    ['checkpoint_ns =', namespace],
    ['checkpoint_id =', id],
    ['checkpoint_id <', before],
  ];
  const givenConditions = conditions.filter(
    (each): each is readonly [string, string] => each[1] !== undefined,
  );
  const tests = givenConditions.map(([test], index) => `${test} $${index + 2}`).join(' AND ');
  const where = tests === '' ? '' : `WHERE ${tests}`;
  return {
    name: `heads ${tests}`,
    text: `SELECT thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, metadata
      FROM langgraph_checkpoints ${where} ORDER BY checkpoint_id DESC, seq DESC LIMIT $1`,
    values: [limit ?? null, ...givenConditions.map(([, value]) => value)],
  };
}

const measuredColumns = {
  checkpoints: 'thread_id checkpoint_ns checkpoint_id checkpoint metadata channel_values',
  writes: 'thread_id checkpoint_ns checkpoint_id task_id task_path channel value',
  lists: 'thread_id items',
  pieces: "thread_id hash type coalesce(words,'') coalesce(bytes,'')",
};

export async function readThreadUsage(
  db: PostgresDatabase,
  thread: string | undefined,
): Promise<readonly ThreadUsage[]> {
  const where = thread === undefined ? '' : 'WHERE thread_id = $1';
  const parts = Object.entries(measuredColumns).map(
    ([table, columns]) => `SELECT thread_id, '${table}' AS kind, count(*) AS number,
      sum(${columns
        .split(' ')
        .map((column) => `octet_length(${column})`)
        .join(' + ')}) AS bytes
      FROM langgraph_${table} ${where} GROUP BY thread_id`,
  );
  const rows = await db.ask({
    name: `usage ${where}`,
    text: `SELECT thread_id, sum(bytes)::bigint AS bytes,
        coalesce(sum(number) FILTER (WHERE kind = 'checkpoints'), 0)::bigint AS checkpoints,
        coalesce(sum(number) FILTER (WHERE kind = 'writes'), 0)::bigint AS writes,
        coalesce(sum(number) FILTER (WHERE kind = 'pieces'), 0)::bigint AS pieces
      FROM (${parts.join(' UNION ALL ')}) AS parts GROUP BY thread_id ORDER BY bytes DESC, thread_id`,
    values: thread === undefined ? [] : [thread],
  });
  return rows.map(({ thread_id, checkpoints, writes, pieces, bytes }) =>
    Object.freeze({
      thread: String(thread_id),
      checkpoints: Number(checkpoints),
      writes: Number(writes),
      pieces: Number(pieces),
      bytes: Number(bytes),
    }),
  );
}
