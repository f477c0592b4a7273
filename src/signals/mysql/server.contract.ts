/** Starts a real MariaDB server for one test, with its data in a temporary folder. */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Connection, createConnection } from 'mysql2/promise';
import { freePort, missingPrograms, type RealServer, startServer } from '../real-server.contract.ts';
import type { MysqlAddress } from './mysql.ts';

/** The names of missing programs, for skipping tests; null if MariaDB can be started. */
export const noMariadb = (): string | null => missingPrograms('mariadbd', 'mariadb-install-db');

export interface MariadbServer {
  readonly address: MysqlAddress;
  connect(): Promise<Connection>;
  close(): Promise<void>;
}

/** `options`: further options of the server's command line, such as its certificate. */
export async function mariadbServer(
  password: string,
  options: readonly string[] = [],
): Promise<MariadbServer> {
  const directory = mkdtempSync(join(tmpdir(), 'sonde-mariadb-'));
  // MariaDB refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'mysql'], { encoding: 'utf8' }));
  const owner = isRoot ? { uid: id('-u'), gid: id('-g') } : {};
  if (isRoot) chownSync(directory, owner.uid!, owner.gid!);
  chmodSync(directory, 0o700);
  const data = join(directory, 'data');
  execFileSync(
    'mariadb-install-db',
    [
      '--no-defaults',
      `--datadir=${data}`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
      `--tmpdir=${directory}`,
    ],
    { stdio: 'pipe', cwd: directory, ...owner },
  );
  const port = await freePort();
  const address: MysqlAddress = {
    ...{ host: '127.0.0.1', port, database: null, user: 'tester' },
    ...{ password: { reveal: () => password }, tls: 'off' },
  };
  const socket = join(directory, 'socket');
  const connectAs = (user: string, userPassword: string): Promise<Connection> =>
    createConnection({ socketPath: socket, user, password: userPassword });
  let server: RealServer | undefined;
  const close = async (): Promise<void> => {
    await server?.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    server = await startServer(
      'mariadbd',
      [
        ...['--no-defaults', `--datadir=${data}`, `--port=${port}`, '--bind-address=127.0.0.1'],
        ...[`--socket=${socket}`, `--pid-file=${join(directory, 'pid')}`, '--performance-schema=ON'],
        ...['--skip-name-resolve', '--innodb-buffer-pool-size=16M', `--tmpdir=${directory}`],
        ...options,
      ],
      async () => {
        const root = await connectAs('root', '');
        await root.query(`CREATE OR REPLACE USER tester@'%' IDENTIFIED BY '${password}'`);
        await root.query("GRANT ALL PRIVILEGES ON *.* TO tester@'%' WITH GRANT OPTION");
        await root.end();
        return true;
      },
      { cwd: directory, ...owner },
    );
  } catch (thrown) {
    await close();
    throw thrown;
  }
  return { address, connect: () => connectAs('tester', password), close };
}
