/**
 * The database role of fronts. It owns no table and can't bypass row-level security, so that the policies of each
 * schema apply to it. It gets its rights in every schema, also in those that are created later.
 */
import pg from 'pg';
import { SondeError } from '../../../core/index.ts';

type Client = Pick<pg.Client, 'query'>;

/** Returns why row-level security doesn't apply to a role, as a text for people; null: it applies. */
export async function findBypass(client: Client, role: string): Promise<string | null> {
  const { rows } = await client.query(
    `SELECT rolsuper, rolbypassrls, (SELECT string_agg(DISTINCT tableowner, ', ') FROM pg_tables
        WHERE tablename = 'store_schema' AND pg_has_role(r.rolname, tableowner, 'MEMBER')) AS owner
      FROM pg_roles r WHERE rolname = $1`,
    [role],
  );
  const [roleRow] = rows;
  if (roleRow === undefined) return null;
  if (roleRow.rolsuper) return 'it is a superuser';
  if (roleRow.rolbypassrls) return 'it has BYPASSRLS';
  return roleRow.owner === null ? null : 'it owns the tables';
}

/** Throws `not_found`, and `bad_argument` if row-level security doesn't apply to the role. */
export async function checkFrontRole(client: Client, role: string): Promise<void> {
  const { rows } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role]);
  const name = pg.escapeIdentifier(role);
  if (rows.length === 0)
    throw new SondeError('not_found', {
      message: `The server has no role ${JSON.stringify(role)}`,
      remedy: `Create it, as a role that may: CREATE ROLE ${name} LOGIN PASSWORD '…'; and try again.`,
    });
  const bypassReason = await findBypass(client, role);
  if (bypassReason !== null)
    throw new SondeError('bad_argument', {
      message: `The role ${JSON.stringify(role)} would see rows of every team: ${bypassReason}`,
      remedy: `Give another one: CREATE ROLE sonde_front LOGIN PASSWORD '…';`,
    });
}

/** Grants a role the use of all tables of a schema. The policies limit which rows it can read and change. */
export async function grantAccess(client: Client, role: string, schema: string): Promise<void> {
  const [to, at] = [pg.escapeIdentifier(role), pg.escapeIdentifier(schema)];
  await client.query(`GRANT USAGE ON SCHEMA ${at} TO ${to}`);
  await client.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${at} TO ${to}`);
  await client.query(`GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA ${at} TO ${to}`);
}

/** The roles of fronts: those that may use the schema `sonde` and don't own it. */
export async function listFrontRoles(client: Client): Promise<readonly string[]> {
  const { rows } = await client.query(
    `SELECT DISTINCT pg_get_userbyid(acl.grantee) AS role FROM pg_namespace, aclexplode(nspacl) AS acl
      WHERE nspname = 'sonde' AND acl.grantee NOT IN (0, nspowner) AND acl.privilege_type = 'USAGE'`,
  );
  return rows.map(({ role }) => String(role));
}

/** A role with which a front is connected now. */
export interface ConnectedFront {
  readonly role: string;
  /** Why row-level security doesn't apply to it; null: it applies. */
  readonly bypass: string | null;
}

/** `name`: the application name of connections of fronts. */
export async function listConnectedFronts(client: Client, name: string): Promise<readonly ConnectedFront[]> {
  const { rows } = await client.query(
    `SELECT DISTINCT usename FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = $1 ORDER BY 1`,
    [name],
  );
  const fronts: ConnectedFront[] = [];
  for (const { usename } of rows)
    fronts.push({ role: String(usename), bypass: await findBypass(client, String(usename)) });
  return fronts;
}
