/** A real PostgreSQL of a test's own, in a folder of its own. */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort, missingPrograms, type RealServer, startServer } from '../real-server.contract.ts';
import type { PostgresAddress } from './postgres.ts';

/** Debian keeps the server's programs off the PATH. */
const [folder] = globSync('/usr/lib/postgresql/*/bin').toSorted().toReversed();
export const noPostgres = (): string | null =>
  folder !== undefined && existsSync(join(folder, 'initdb')) ? null : missingPrograms('initdb');
const program = (name: string): string => (folder === undefined ? name : join(folder, name));

export interface PostgresServer {
  readonly address: PostgresAddress;
  connect(): Promise<pg.Client>;
  close(): Promise<void>;
}

export async function postgresServer(password: string): Promise<PostgresServer> {
  const place = mkdtempSync(join(tmpdir(), 'sonde-postgres-'));
  // PostgreSQL refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  const owner = isRoot ? { uid: id('-u'), gid: id('-g') } : {};
  if (isRoot) chownSync(place, owner.uid!, owner.gid!);
  chmodSync(place, 0o700);
  const secret = join(place, 'password');
  writeFileSync(secret, password);
  if (isRoot) chownSync(secret, owner.uid!, owner.gid!);
  const data = join(place, 'data');
  execFileSync(
    program('initdb'),
    [
      '-D',
      data,
      '-U',
      'tester',
      '-A',
      'scram-sha-256',
      `--pwfile=${secret}`,
      '--no-sync',
      '-E',
      'UTF8',
      '--locale=C',
    ],
    { stdio: 'pipe', cwd: place, ...owner },
  );
  const port = await freePort();
  const address: PostgresAddress = {
    host: '127.0.0.1',
    port,
    database: 'postgres',
    user: 'tester',
    password: { reveal: () => password },
    tls: 'off',
  };
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ ...address, password, ssl: false });
    client.on('error', () => {});
    await client.connect();
    return client;
  };
  const settings = [
    'fsync=off',
    `unix_socket_directories=${place}`,
    'shared_preload_libraries=pg_stat_statements',
  ];
  const server: RealServer = await startServer(
    program('postgres'),
    ['-D', data, '-p', String(port), '-h', '127.0.0.1', ...settings.flatMap((one) => ['-c', one])],
    async () => {
      const client = await connect();
      await client.end();
      return true;
    },
    { cwd: place, ...owner },
  );
  return {
    address,
    connect,
    async close() {
      await server.stop();
      // Processes of one that was killed may be at their last words in it.
      rmSync(place, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}
