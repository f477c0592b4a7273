/** Each query of the Grafana board gives figures: a real Prometheus that scrapes a real worker over a real PostgreSQL. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freePort, missingPrograms, startServer } from '../../signals/real-server.contract.ts';
import { noPostgres, testPostgres } from '../../store/postgres/postgres-server.contract.ts';
import { newHome, sonde, startSonde } from '../testbed/run-sonde.ts';
import { createSmallTree } from '../testbed/small-tree.ts';
import { createSmallWorld } from '../testbed/small-world.ts';

interface Board {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
}
const file = join(import.meta.dirname, '..', '..', '..', 'deploy', 'grafana', 'sonde.json');
const { panels } = JSON.parse(readFileSync(file, 'utf8')) as Board;
const skipped = noPostgres() !== null || missingPrograms('prometheus') !== null;

it.skipIf(skipped)('each panel of the board has figures of a worker', async () => {
  const postgres = await testPostgres();
  const [home, place, tree] = [newHome(), mkdtempSync(join(tmpdir(), 'sonde-board-')), createSmallTree()];
  const closing: (() => Promise<unknown>)[] = [() => postgres.close()];
  try {
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-C', tree, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args]);
    git('init', '-q');
    git('add', '-A');
    git('commit', '-qm', 'one');
    await createSmallWorld(home);
    const env = {
      SONDE_STORE: 'postgres',
      SONDE_STORE_URL: await postgres.freshDatabase(),
      SONDE_MODEL: 'extractive',
      SONDE_BACKUP_FOLDER: join(place, 'copies'),
      SONDE_METRICS_TEAMS: 'true',
    };
    const args = ['--repositories', `parcels=${tree}`, '--workspaces', 'main', '--port', '0', '--json'];
    const worker = startSonde(['worker', ...args], { env, home });
    closing.push(async () => {
      worker.child.kill('SIGKILL');
      await worker.ended;
    });
    const url = await worker.waitFor((said) => /"url":"http:\/\/([^"]+)"/.exec(said)?.[1]);
    const queued = await sonde(['queue', 'add', 'How is a failed delivery retried?', 'parcels', '--json'], {
      env,
      home,
    });
    expect(queued.status, queued.stderr).toBe(0);

    const port = await freePort();
    const config = `global: {scrape_interval: 1s}\nscrape_configs: [{job_name: sonde, static_configs: [{targets: ['${url}']}]}]\n`;
    writeFileSync(join(place, 'prometheus.yml'), config);
    const prometheus = await startServer(
      'prometheus',
      [
        `--config.file=${join(place, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(place, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      async () => (await fetch(`http://127.0.0.1:${port}/-/ready`)).ok,
    );
    closing.push(() => prometheus.stop());

    const figures = async (query: string): Promise<string | number> => {
      const response = await fetch(
        `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`,
      );
      const { status, data } = (await response.json()) as { status: string; data: { result: unknown[] } };
      return status === 'success' ? data.result.length : status;
    };
    const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    expect(queries.length).toBeGreaterThan(10);
    for (const query of queries)
      await expect
        .poll(() => figures(query), { timeout: 60_000, interval: 500, message: query })
        .toBeGreaterThan(0);
  } finally {
    for (const close of closing.toReversed()) await close();
    for (const folder of [home, place, tree]) rmSync(folder, { recursive: true, force: true });
  }
});
