/** The rights of a role, according to PostgreSQL. */
import type { Rights } from '../../core/index.ts';

/** Reads the server's time, whether the role may read statistics, and which rights to change anything it has. */
export const rightsQuery = `
  SELECT
    (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now_ms,
    pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') AS reads_statistics,
    rolsuper AS "superuser",
    rolcreaterole AS "create role",
    rolcreatedb AS "create database",
    rolreplication AS "replication",
    rolbypassrls AS "bypass row security",
    EXISTS (
      SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
        AND has_schema_privilege(n.oid, 'USAGE')
        AND has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
    ) AS "write to tables"
  FROM pg_roles WHERE rolname = current_user`;

/** Columns of `rightsQuery` with rights that Sonde does not need. */
const excessRights = [
  'superuser',
  'create role',
  'create database',
  'replication',
  'bypass row security',
  'write to tables',
];

export const rightsOf = (row: Readonly<Record<string, unknown>>): Rights => ({
  missing: row['reads_statistics'] === false ? ['pg_monitor, or pg_read_all_stats'] : [],
  excess: excessRights.filter((name) => row[name] === true),
});
