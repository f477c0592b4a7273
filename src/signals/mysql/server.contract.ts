/** A real MariaDB of a test's own, in a folder of its own. */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Connection, createConnection } from 'mysql2/promise';
import { freePort, missingPrograms, type RealServer, startServer } from '../real-server.contract.ts';
import type { MysqlAddress } from './mysql.ts';

export const noMariadb = (): string | null => missingPrograms('mariadbd', 'mariadb-install-db');

export interface MariadbServer {
  readonly address: MysqlAddress;
  connect(): Promise<Connection>;
  close(): Promise<void>;
}

/** `options`: more of the server, such as its certificate. */
export async function mariadbServer(
  password: string,
  options: readonly string[] = [],
): Promise<MariadbServer> {
  const place = mkdtempSync(join(tmpdir(), 'sonde-mariadb-'));
  // It refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'mysql'], { encoding: 'utf8' }));
  const owner = isRoot ? { uid: id('-u'), gid: id('-g') } : {};
  if (isRoot) chownSync(place, owner.uid!, owner.gid!);
  chmodSync(place, 0o700);
  const data = join(place, 'data');
  execFileSync(
    'mariadb-install-db',
    [
      '--no-defaults',
      `--datadir=${data}`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
      `--tmpdir=${place}`,
    ],
    { stdio: 'pipe', cwd: place, ...owner },
  );
  const port = await freePort();
  const address: MysqlAddress = {
    ...{ host: '127.0.0.1', port, database: null, user: 'tester' },
    ...{ password: { reveal: () => password }, tls: 'off' },
  };
  const socket = join(place, 'socket');
  const as = (user: string, own: string): Promise<Connection> =>
    createConnection({ socketPath: socket, user, password: own });
  let server: RealServer | undefined;
  const close = async (): Promise<void> => {
    await server?.stop();
    rmSync(place, { recursive: true, force: true });
  };
  try {
    server = await startServer(
      'mariadbd',
      [
        ...['--no-defaults', `--datadir=${data}`, `--port=${port}`, '--bind-address=127.0.0.1'],
        ...[`--socket=${socket}`, `--pid-file=${join(place, 'pid')}`, '--performance-schema=ON'],
        ...['--skip-name-resolve', '--innodb-buffer-pool-size=16M', `--tmpdir=${place}`],
        ...options,
      ],
      async () => {
        const root = await as('root', '');
        await root.query(`CREATE OR REPLACE USER tester@'%' IDENTIFIED BY '${password}'`);
        await root.query("GRANT ALL PRIVILEGES ON *.* TO tester@'%' WITH GRANT OPTION");
        await root.end();
        return true;
      },
      { cwd: place, ...owner },
    );
  } catch (thrown) {
    await close();
    throw thrown;
  }
  return { address, connect: () => as('tester', password), close };
}
