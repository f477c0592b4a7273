/** Starts a real PostgreSQL server for one test, with its data in a temporary folder. */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort, missingPrograms, type RealServer, startServer } from '../real-server.contract.ts';
import type { PostgresAddress } from './postgres.ts';

/** The folder of the server's programs on Debian, which doesn't put them on the PATH. */
const [binDirectory] = globSync('/usr/lib/postgresql/*/bin').toSorted().toReversed();
/** The names of missing programs, for skipping tests; null if PostgreSQL can be started. */
export const noPostgres = (): string | null =>
  binDirectory !== undefined && existsSync(join(binDirectory, 'initdb')) ? null : missingPrograms('initdb');
const programPath = (name: string): string => (binDirectory === undefined ? name : join(binDirectory, name));

export interface PostgresServer {
  readonly address: PostgresAddress;
  connect(): Promise<pg.Client>;
  close(): Promise<void>;
}

export async function postgresServer(password: string): Promise<PostgresServer> {
  const directory = mkdtempSync(join(tmpdir(), 'sonde-postgres-'));
  // PostgreSQL refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  const owner = isRoot ? { uid: id('-u'), gid: id('-g') } : {};
  if (isRoot) chownSync(directory, owner.uid!, owner.gid!);
  chmodSync(directory, 0o700);
  const passwordFile = join(directory, 'password');
  writeFileSync(passwordFile, password);
  if (isRoot) chownSync(passwordFile, owner.uid!, owner.gid!);
  const data = join(directory, 'data');
  execFileSync(
    programPath('initdb'),
    [
      '-D',
      data,
      '-U',
      'tester',
      '-A',
      'scram-sha-256',
      `--pwfile=${passwordFile}`,
      '--no-sync',
      '-E',
      'UTF8',
      '--locale=C',
    ],
    { stdio: 'pipe', cwd: directory, ...owner },
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
    `unix_socket_directories=${directory}`,
    'shared_preload_libraries=pg_stat_statements',
  ];
  const server: RealServer = await startServer(
    programPath('postgres'),
    ['-D', data, '-p', String(port), '-h', '127.0.0.1', ...settings.flatMap((setting) => ['-c', setting])],
    async () => {
      const client = await connect();
      await client.end();
      return true;
    },
    { cwd: directory, ...owner },
  );
  return {
    address,
    connect,
    async close() {
      await server.stop();
      // Processes of a killed server may still write into the folder, so removing it is retried.
      rmSync(directory, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}
