/** A PostgreSQL server for one test, with a schema for each store. */
import pg from 'pg';
import { type PostgresServer, postgresServer } from '../../signals/postgres/server.contract.ts';
import type { PostgresOptions } from './connection.ts';
import { admitFronts, upgradeSchema } from './schema/migrate.ts';

export { noPostgres } from '../../signals/postgres/server.contract.ts';

export interface TestPostgres {
  readonly server: PostgresServer;
  readonly url: string;
  /** The options for an empty schema. */
  fresh(): PostgresOptions;
  /** The address of an empty database. */
  freshDatabase(): Promise<string>;
  /** The address for fronts of the workspace `main`: of a role that owns nothing. */
  frontOf(url: string): Promise<string>;
  connect(url: string): Promise<pg.Client>;
  close(): Promise<void>;
}

const password = 'store-password';

export async function testPostgres(): Promise<TestPostgres> {
  const server = await postgresServer(password);
  const { host, port, database, user } = server.address;
  const url = `postgres://${user}:${password}@${host}:${port}/${database}`;
  let count = 0;
  return {
    server,
    url,
    fresh() {
      count += 1;
      return { url, schema: `place_${count}` };
    },
    async freshDatabase() {
      count += 1;
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query(`CREATE DATABASE place_${count}`);
      await client.end();
      return url.replace(/[^/]*$/, `place_${count}`);
    },
    async frontOf(address) {
      const client = new pg.Client({ connectionString: address });
      await client.connect();
      await client.query(`DO $$ BEGIN CREATE ROLE front LOGIN PASSWORD 'front-password';
        EXCEPTION WHEN duplicate_object THEN NULL; END $$`);
      await client.end();
      for (const schema of ['sonde', 'sonde_w_main']) await upgradeSchema({ url: address, schema });
      await admitFronts({ url: address }, 'front');
      return address.replace(/\/\/[^@]*@/, '//front:front-password@');
    },
    async connect(address) {
      const client = new pg.Client({ connectionString: address });
      await client.connect();
      return client;
    },
    close: () => server.close(),
  };
}
