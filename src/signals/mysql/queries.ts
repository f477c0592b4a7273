/** All queries of the statistics of MySQL and MariaDB. They are fixed: no text from outside becomes part of them. */

/** MariaDB has other names than MySQL for some of the same statistics. */
export type Flavour = 'mysql' | 'mariadb';

export interface Diagnostic {
  readonly name: string;
  readonly description: string;
  readonly cost: string;
  /** `?` stands for the maximum number of rows; a query without it returns only a few. */
  readonly sql: Readonly<Record<Flavour, string>>;
}

const sameSql = (sql: string): Diagnostic['sql'] => ({ mysql: sql, mariadb: sql });
/** SQL for a column of statements, cut to 500 characters, since a statement may contain whole documents. */
const statementColumn = (column: string): string =>
  `LEFT(REGEXP_REPLACE(${column}, '[[:space:]]+', ' '), 500)`;
const systemSchemas = "('mysql', 'sys', 'information_schema', 'performance_schema')";

/** SQL for the transactions that wait for a lock; `tables` joins each with the one that blocks it. */
const lockWaitsSql = (tables: string): string => `SELECT
    waiting.trx_mysql_thread_id AS connection, TIMESTAMPDIFF(SECOND, waiting.trx_wait_started, NOW()) AS waits_s,
    ${statementColumn('waiting.trx_query')} AS statement, blocking.trx_mysql_thread_id AS blocked_by,
    TIMESTAMPDIFF(SECOND, blocking.trx_started, NOW()) AS blocker_transaction_s,
    blocker.COMMAND AS blocker_command, ${statementColumn('blocking.trx_query')} AS blocker_statement
  FROM ${tables}
  LEFT JOIN information_schema.PROCESSLIST AS blocker ON blocker.ID = blocking.trx_mysql_thread_id
  ORDER BY waiting.trx_wait_started LIMIT ?`;

export const diagnostics: readonly Diagnostic[] = [
  {
    name: 'mysql_activity',
    description:
      'What every connection does now: command, state, how long, its statement; the longest first.',
    cost: 'instant',
    sql: sameSql(`SELECT ID AS connection, USER AS user, HOST AS client, DB AS \`database\`, COMMAND AS command, TIME AS for_s,
        STATE AS state, ${statementColumn('INFO')} AS statement
      FROM information_schema.PROCESSLIST WHERE ID <> CONNECTION_ID() AND COMMAND <> 'Daemon'
      ORDER BY (COMMAND = 'Sleep'), TIME DESC LIMIT ?`),
  },
  {
    name: 'mysql_transactions',
    description:
      'Transactions that are open, the oldest first: how long, rows locked and changed, what they wait for.',
    cost: 'instant',
    sql: sameSql(`SELECT trx_mysql_thread_id AS connection, trx_state AS state,
        TIMESTAMPDIFF(SECOND, trx_started, NOW()) AS open_s, trx_rows_locked AS rows_locked,
        trx_rows_modified AS rows_changed, trx_tables_locked AS tables_locked, trx_isolation_level AS isolation,
        ${statementColumn('trx_query')} AS statement
      FROM information_schema.INNODB_TRX ORDER BY trx_started LIMIT ?`),
  },
  {
    name: 'mysql_locks',
    description: 'Which transactions wait for a lock, and who holds it back.',
    cost: 'instant; looks at the lock table',
    sql: {
      mariadb: lockWaitsSql(`information_schema.INNODB_LOCK_WAITS AS w
        JOIN information_schema.INNODB_TRX AS waiting ON waiting.trx_id = w.requesting_trx_id
        JOIN information_schema.INNODB_TRX AS blocking ON blocking.trx_id = w.blocking_trx_id`),
      mysql: lockWaitsSql(`performance_schema.data_lock_waits AS w
        JOIN information_schema.INNODB_TRX AS waiting ON waiting.trx_id = w.REQUESTING_ENGINE_TRANSACTION_ID
        JOIN information_schema.INNODB_TRX AS blocking ON blocking.trx_id = w.BLOCKING_ENGINE_TRANSACTION_ID`),
    },
  },
  {
    name: 'mysql_statements',
    description:
      'The statements that cost most in all since the server began to count (performance_schema, which MariaDB has off by default).',
    cost: 'instant',
    sql: sameSql(`SELECT SCHEMA_NAME AS \`database\`, LEFT(DIGEST_TEXT, 500) AS statement, COUNT_STAR AS calls,
        ROUND(SUM_TIMER_WAIT / 1e9, 1) AS total_ms, ROUND(AVG_TIMER_WAIT / 1e9, 2) AS mean_ms,
        ROUND(MAX_TIMER_WAIT / 1e9, 1) AS max_ms, SUM_ERRORS AS errors, SUM_ROWS_EXAMINED AS rows_examined,
        SUM_ROWS_SENT AS rows_sent, SUM_NO_INDEX_USED AS without_index, SUM_CREATED_TMP_DISK_TABLES AS disk_tables
      FROM performance_schema.events_statements_summary_by_digest ORDER BY SUM_TIMER_WAIT DESC LIMIT ?`),
  },
  {
    name: 'mysql_tables',
    description: 'The largest tables: engine, rows as estimated, size of rows and of indexes, free space.',
    cost: 'reads the data dictionary; a second or two with thousands of tables',
    sql: sameSql(`SELECT TABLE_SCHEMA AS \`database\`, TABLE_NAME AS \`table\`, ENGINE AS engine, TABLE_ROWS AS rows_estimated,
        DATA_LENGTH AS bytes, INDEX_LENGTH AS index_bytes, DATA_FREE AS free_bytes, UPDATE_TIME AS updated
      FROM information_schema.TABLES
      WHERE TABLE_TYPE = 'BASE TABLE' AND TABLE_SCHEMA NOT IN ${systemSchemas}
      ORDER BY DATA_LENGTH + INDEX_LENGTH DESC LIMIT ?`),
  },
  {
    name: 'mysql_status',
    description:
      'Counters of the server since its start: connections now and at most, refused ones, slow statements, row locks, buffer pool, temporary tables on disk.',
    cost: 'instant',
    sql: sameSql(`SHOW GLOBAL STATUS WHERE Variable_name IN ('Uptime', 'Threads_connected', 'Threads_running',
      'Max_used_connections', 'Aborted_connects', 'Aborted_clients', 'Connection_errors_max_connections', 'Slow_queries',
      'Questions', 'Innodb_row_lock_current_waits', 'Innodb_row_lock_time', 'Innodb_row_lock_waits',
      'Innodb_buffer_pool_reads', 'Innodb_buffer_pool_read_requests', 'Innodb_buffer_pool_wait_free', 'Innodb_log_waits',
      'Innodb_deadlocks', 'Created_tmp_disk_tables', 'Table_locks_waited', 'Open_tables', 'Opened_tables', 'Handler_read_rnd_next')`),
  },
  {
    name: 'mysql_limits',
    description:
      'Limits and modes that troubles are about: connections, buffer pool, timeouts, whether it may be written to.',
    cost: 'instant',
    sql: sameSql(`SELECT @@max_connections AS max_connections, @@innodb_buffer_pool_size AS buffer_pool_bytes,
      @@innodb_lock_wait_timeout AS lock_wait_s, @@wait_timeout AS idle_s, @@max_allowed_packet AS max_packet_bytes,
      @@read_only AS read_only, @@long_query_time AS slow_from_s, @@version AS version`),
  },
  {
    name: 'mysql_replication',
    description: 'On a replica: whether both of its threads run, how far it is behind, and its last error.',
    cost: 'instant',
    sql: sameSql('SHOW REPLICA STATUS'),
  },
];
