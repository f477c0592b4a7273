/** A PostgreSQL of a bench's own, which syncs as usual, and can be restarted. Needs Debian's programs. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

export interface BenchServer {
  readonly port: number;
  readonly url: string;
  /** The address of a new database with nothing in it. */
  fresh(): Promise<string>;
  restart(mode: 'fast' | 'immediate'): void;
  stop(): void;
}

export async function startServer(): Promise<BenchServer> {
  const [programs] = globSync('/usr/lib/postgresql/*/bin').toSorted().toReversed();
  if (programs === undefined) throw new Error('There is no PostgreSQL in /usr/lib/postgresql');
  const place = mkdtempSync(join(tmpdir(), 'sonde-bench-postgres-'));
  // PostgreSQL refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  const owner = isRoot ? { uid: id('-u'), gid: id('-g') } : {};
  if (isRoot) chownSync(place, owner.uid!, owner.gid!);
  chmodSync(place, 0o700);
  const statusOf = (name: string, args: readonly string[]): number | null =>
    spawnSync(join(programs, name), args, { cwd: place, stdio: 'ignore', ...owner }).status;
  const run = (name: string, args: readonly string[]): void => {
    const status = statusOf(name, args);
    if (status === 0) return;
    const log = join(place, 'log');
    const said = existsSync(log) ? readFileSync(log, 'utf8').slice(-2_000) : '';
    throw new Error(`${name} ended with ${status}: ${said}`);
  };
  const data = join(place, 'data');
  run('initdb', ['-D', data, '-U', 'bench', '-A', 'trust', '-E', 'UTF8', '--locale=C']);
  const port = await freePort();
  const settings = `-p ${port} -h 127.0.0.1 -c unix_socket_directories=${place} -c max_connections=200`;
  const start = ['-D', data, '-l', join(place, 'log'), '-w', '-o', settings];
  run('pg_ctl', [...start, 'start']);
  const url = `postgres://bench@127.0.0.1:${port}/postgres`;
  let count = 0;
  return {
    port,
    url,
    async fresh() {
      count += 1;
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query(`CREATE DATABASE bench_${count}`);
      await client.end();
      return url.replace(/[^/]*$/, `bench_${count}`);
    },
    restart(mode) {
      run('pg_ctl', ['-D', data, '-w', '-m', mode, 'stop']);
      // Processes of the one before may still have its memory, and then it does not start. One that takes longer than
      // pg_ctl waits is there all the same.
      const isReady = (): boolean => statusOf('pg_isready', ['-q', '-h', '127.0.0.1', '-p', `${port}`]) === 0;
      for (let tried = 0; statusOf('pg_ctl', [...start, 'start']) !== 0 && !isReady(); tried += 1) {
        if (tried === 20) run('pg_ctl', [...start, 'start']);
        execFileSync('sleep', ['0.2']);
      }
    },
    stop() {
      run('pg_ctl', ['-D', data, '-m', 'immediate', 'stop']);
      rmSync(place, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}
