/** The schema of a store in PostgreSQL. It is created in an empty database, and upgraded only on request. */
import pg from 'pg';
import { SondeError, sha256 } from '../../../core/index.ts';
import { type PostgresOptions, poolOptions } from '../connection.ts';
import { codeOf, storeTooNewError, storeTooOldError, toStoreError } from '../store-errors.ts';
import { checkFrontRole, grantAccess, listFrontRoles } from '../team/front-role.ts';
import { type SchemaStep, schemaSteps } from './schema.ts';

export interface SchemaState {
  /** The number of applied steps; 0: the database is empty. */
  readonly version: number;
  /** Steps that this program knows and that are not yet applied. */
  readonly pending: readonly string[];
}

const workspacePrefix = 'sonde_w_';

/** The name of the schema for a workspace of this name. */
export function toWorkspaceSchema(name: string): string {
  const isPlain = /^[a-z0-9_]{1,40}$/.test(name) && !/_[0-9a-f]{8}$/.test(name);
  const shortened = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, 30);
  return `${workspacePrefix}${isPlain ? name : `${shortened}_${sha256(name).slice(0, 8)}`}`;
}

/** Sets up an empty database. Throws `store_version` if the schema is too old or too new for this program. */
export function ensureSchema(options: PostgresOptions, steps = schemaSteps): Promise<void> {
  return withClient(options, async (client) => {
    const schemaVersion = await readVersion(client, options);
    if (schemaVersion === null)
      return void (await applySteps(client, options, steps).catch((thrown) => {
        throw codeOf(thrown) === '42501' ? missingSchemaError(options) : thrown;
      }));
    if (schemaVersion.oldest > steps.length) throw storeTooNewError();
    if (schemaVersion.version < steps.length)
      throw storeTooOldError(schemaVersion.version, schemaSteps.length);
  });
}

/** Writes nothing. Throws the errors of a store. */
export function readSchemaState(options: PostgresOptions, steps = schemaSteps): Promise<SchemaState> {
  return withKnownErrors(options, async (client) => {
    const version = (await readVersion(client, options))?.version ?? 0;
    return { version, pending: steps.slice(version).map(({ name }) => name) };
  });
}

/** Applies all pending steps, or none, under a lock; returns their names. */
export function upgradeSchema(options: PostgresOptions, steps = schemaSteps): Promise<readonly string[]> {
  return withKnownErrors(options, (client) => applySteps(client, options, steps));
}

/** The schemas of all workspaces in this database. */
export function listWorkspaceSchemas(options: PostgresOptions): Promise<readonly string[]> {
  return withKnownErrors(options, async (client) => {
    const { rows } = await client.query(
      `SELECT schemaname FROM pg_tables WHERE tablename = 'store_schema' AND starts_with(schemaname, $1) ORDER BY 1`,
      [workspacePrefix],
    );
    return rows.map(({ schemaname }) => String(schemaname));
  });
}

/**
 * Lets the role of fronts use this schema and those of all workspaces, within their policies. Throws `not_found` if
 * there is no such role, and `bad_argument` if policies don't apply to it.
 */
export async function admitFronts(options: PostgresOptions, role: string): Promise<void> {
  const schemas = [options.schema ?? 'sonde', ...(await listWorkspaceSchemas(options))];
  await withKnownErrors(options, async (client) => {
    await checkFrontRole(client, role);
    for (const schema of schemas) await grantAccess(client, role, schema);
  });
}

async function applySteps(
  client: pg.Client,
  options: PostgresOptions,
  steps: readonly SchemaStep[],
): Promise<readonly string[]> {
  const schema = client.escapeIdentifier(options.schema ?? 'sonde');
  await client.query('BEGIN');
  try {
    await client.query(`SELECT pg_advisory_xact_lock(hashtext('sonde schema'))`);
    const schemaVersion = await readVersion(client, options);
    const version = schemaVersion?.version ?? 0;
    if (version > steps.length) throw storeTooNewError();
    const pending = steps.slice(version);
    if (schemaVersion === null) {
      await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
      await client.query(`CREATE TABLE store_schema (version int NOT NULL, oldest int NOT NULL)`);
      await client.query('INSERT INTO store_schema VALUES (0, 0)');
    }
    for (const { sql } of pending) await client.query(sql);
    // Fronts that were admitted before also get access to new schemas and tables.
    if (pending.length > 0)
      for (const role of await listFrontRoles(client))
        await grantAccess(client, role, options.schema ?? 'sonde');
    const lastBreakingStep = steps.findLastIndex((step) => step.breaking === true) + 1;
    await client.query('UPDATE store_schema SET version = $1, oldest = greatest(oldest, $2)', [
      steps.length,
      lastBreakingStep,
    ]);
    await client.query('COMMIT');
    return pending.map(({ name }) => name);
  } catch (thrown) {
    await client.query('ROLLBACK').catch(() => {});
    throw thrown;
  }
}

async function readVersion(
  client: pg.Client,
  { schema = 'sonde' }: PostgresOptions,
): Promise<{ readonly version: number; readonly oldest: number } | null> {
  const existence = await client.query('SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = $2', [
    schema,
    'store_schema',
  ]);
  if (existence.rowCount === 0) return null;
  const { rows } = await client.query('SELECT version, oldest FROM store_schema');
  return rows[0];
}

async function withClient<Value>(
  options: PostgresOptions,
  work: (client: pg.Client) => Promise<Value>,
): Promise<Value> {
  const client = new pg.Client(poolOptions(options));
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const withKnownErrors: typeof withClient = (options, work) =>
  withClient(options, work).catch((thrown) => {
    throw toStoreError(options.url, thrown);
  });

/** The error for a role that may not create tables, such as that of a front. */
const missingSchemaError = ({ schema = 'sonde' }: PostgresOptions): SondeError =>
  new SondeError('store_unusable', {
    message: `The store has no ${schema} yet, and this user may not make it`,
    remedy: schema.startsWith(workspacePrefix)
      ? 'Start the host of the workspace first: sonde worker --workspaces NAME.'
      : 'Run sonde store upgrade as the owner of the store, with --front and the name of this user.',
  });
