/** All queries of PostgreSQL's statistics views. They are fixed: no text from outside becomes part of them. */

export interface Diagnostic {
  readonly name: string;
  readonly description: string;
  readonly cost: string;
  /** `$1` stands for the maximum number of rows. */
  readonly sql: string;
}

/** SQL for a column of query texts, cut to 500 characters, since a query may contain whole documents. */
const queryTextColumn = (column: string): string => `left(regexp_replace(${column}, '\\s+', ' ', 'g'), 500)`;

export const diagnostics: readonly Diagnostic[] = [
  {
    name: 'postgres_activity',
    description:
      'What every connection does now: state, how long, what it waits for, its query; the longest first.',
    cost: 'instant',
    sql: `SELECT pid, datname AS database, usename AS "user", application_name AS application, state,
        wait_event_type, wait_event,
        round(extract(epoch FROM clock_timestamp() - xact_start)::numeric, 1)::float8 AS transaction_s,
        round(extract(epoch FROM clock_timestamp() - query_start)::numeric, 1)::float8 AS query_s,
        ${queryTextColumn('query')} AS query
      FROM pg_stat_activity
      WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'
      ORDER BY (state = 'idle'), xact_start NULLS LAST LIMIT $1`,
  },
  {
    name: 'postgres_locks',
    description: 'Which connections wait for a lock, and who holds it back.',
    cost: 'instant; looks at the lock table',
    sql: `SELECT waiting.pid, waiting.usename AS "user",
        round(extract(epoch FROM clock_timestamp() - waiting.query_start)::numeric, 1)::float8 AS waits_s,
        lock.locktype, lock.mode, coalesce(lock.relation::regclass::text, '') AS relation,
        ${queryTextColumn('waiting.query')} AS query,
        blocker.pid AS blocked_by, blocker.state AS blocker_state,
        round(extract(epoch FROM clock_timestamp() - blocker.xact_start)::numeric, 1)::float8 AS blocker_transaction_s,
        ${queryTextColumn('blocker.query')} AS blocker_query
      FROM pg_stat_activity waiting
      JOIN pg_locks lock ON lock.pid = waiting.pid AND NOT lock.granted
      CROSS JOIN LATERAL unnest(pg_blocking_pids(waiting.pid)) AS by(pid)
      LEFT JOIN pg_stat_activity blocker ON blocker.pid = by.pid
      ORDER BY waiting.query_start LIMIT $1`,
  },
  {
    name: 'postgres_statements',
    description:
      'The statements that cost most in all since the statistics were reset (extension pg_stat_statements).',
    cost: 'instant',
    sql: `SELECT ${queryTextColumn('query')} AS query, calls::float8 AS calls,
        round(total_exec_time::numeric, 1)::float8 AS total_ms, round(mean_exec_time::numeric, 2)::float8 AS mean_ms,
        round(max_exec_time::numeric, 1)::float8 AS max_ms, rows::float8 AS rows,
        shared_blks_read::float8 AS blocks_read, temp_blks_written::float8 AS temp_blocks
      FROM pg_stat_statements ORDER BY total_exec_time DESC LIMIT $1`,
  },
  {
    name: 'postgres_tables',
    description:
      'The largest tables: size, live and dead rows, scans without an index, last vacuum and analyze.',
    cost: 'reads sizes of files; a second or two with thousands of tables',
    sql: `SELECT relid::regclass::text AS "table", pg_total_relation_size(relid)::float8 AS bytes,
        n_live_tup::float8 AS live_rows, n_dead_tup::float8 AS dead_rows,
        seq_scan::float8 AS sequential_scans, seq_tup_read::float8 AS rows_read_by_them,
        idx_scan::float8 AS index_scans,
        greatest(last_vacuum, last_autovacuum)::text AS vacuumed,
        greatest(last_analyze, last_autoanalyze)::text AS analyzed
      FROM pg_stat_user_tables ORDER BY pg_total_relation_size(relid) DESC LIMIT $1`,
  },
  {
    name: 'postgres_databases',
    description:
      'Databases: connections against the most allowed, rollbacks, deadlocks, cache hits, temporary files, size.',
    cost: 'instant',
    sql: `SELECT datname AS database, numbackends AS connections,
        current_setting('max_connections')::int AS most_connections,
        xact_commit::float8 AS commits, xact_rollback::float8 AS rollbacks, deadlocks::float8 AS deadlocks,
        round(blks_hit::numeric / nullif(blks_hit + blks_read, 0), 4)::float8 AS cache_hit_ratio,
        temp_files::float8 AS temp_files, temp_bytes::float8 AS temp_bytes,
        CASE WHEN has_database_privilege(datname, 'CONNECT') THEN pg_database_size(datname)::float8 END AS bytes,
        age(d.datfrozenxid)::float8 AS transaction_id_age, stats_reset::text AS since
      FROM pg_stat_database s JOIN pg_database d USING (datname) ORDER BY numbackends DESC LIMIT $1`,
  },
  {
    name: 'postgres_replication',
    description:
      'Replicas and slots with how far they are behind, in bytes and seconds; on a replica, its own lag.',
    cost: 'instant',
    sql: `SELECT * FROM (
        SELECT 'replica' AS kind, application_name AS name, state, sync_state AS detail,
          pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_receive_lsn() ELSE pg_current_wal_lsn() END, replay_lsn)::float8 AS behind_bytes,
          extract(epoch FROM replay_lag)::float8 AS behind_s
        FROM pg_stat_replication
        UNION ALL
        SELECT 'slot', slot_name, CASE WHEN active THEN 'active' ELSE 'inactive' END, wal_status,
          pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_receive_lsn() ELSE pg_current_wal_lsn() END, restart_lsn)::float8, NULL
        FROM pg_replication_slots
        UNION ALL
        SELECT 'this server', '', CASE WHEN pg_is_in_recovery() THEN 'replica' ELSE 'primary' END, '', NULL,
          CASE WHEN pg_is_in_recovery() THEN extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::float8 END
      ) AS all_of_it LIMIT $1`,
  },
];
