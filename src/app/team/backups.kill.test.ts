/** A host and its machine are lost, and the workspace goes on at another one from a copy; real processes, a real server. */
import { copyFileSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  noPostgres,
  type TestPostgres,
  testPostgres,
} from '../../store/postgres/postgres-server.contract.ts';
import { worldWrite } from '../../world/index.ts';
import { newHome, type StartedProcess, sonde, startSonde } from '../testbed/run-sonde.ts';
import { createSmallWorld } from '../testbed/small-world.ts';
import { listBackups } from '../workspace/backups.ts';
import { checkWorkspace } from '../workspace/maintain-workspace.ts';
import { author, openWorkspace } from '../workspace/workspace.ts';

describe.skipIf(noPostgres() !== null)('copies of a workspace of a team', () => {
  let postgres: TestPostgres;
  let url: string;
  let homes: string[];
  let started: StartedProcess[];
  beforeAll(async () => {
    postgres = await testPostgres();
  });
  afterAll(() => postgres?.close());
  beforeEach(async () => {
    url = await postgres.freshDatabase();
    [homes, started] = [[newHome(), newHome()], []];
  });
  afterEach(async () => {
    for (const { child, ended } of started) {
      child.kill('SIGKILL');
      await ended;
    }
    for (const home of homes) rmSync(home, { recursive: true, force: true });
  });

  const env = () => ({
    SONDE_STORE: 'postgres',
    SONDE_STORE_URL: url,
    SONDE_BACKUP_FOLDER: join(homes[0]!, 'copies'),
    SONDE_BACKUP_EVERY: '1s',
    SONDE_BACKUP_KEEP: '4',
  });
  async function host(home: string): Promise<StartedProcess> {
    const one = startSonde(['worker', '--workspaces', 'main', '--json'], { env: env(), home });
    started.push(one);
    await one.waitFor((said) => said.includes('main: this worker is its host'));
    return one;
  }
  const copies = () => {
    const folder = join(homes[0]!, 'copies');
    const [place] = existsSync(folder) ? readdirSync(folder) : [];
    return place === undefined ? [] : listBackups(join(folder, place));
  };
  async function told() {
    const client = await postgres.connect(url);
    const { rows } = await client.query('SELECT backup FROM sonde_w_main.host_backup');
    await client.end();
    return rows.map(({ backup }) => JSON.parse(backup).file as string);
  }
  async function pagesAt(path: string): Promise<readonly string[]> {
    const open = await openWorkspace(path, { make: false });
    const pages = open.world.pages().map((page) => page.path);
    open.close();
    return pages;
  }
  const restore = (home: string, file: string) =>
    sonde(['world', 'restore', 'main', '--from', file, '--json'], { env: env(), home });

  it('are whole however often the host is killed, and another machine goes on from the newest', async () => {
    const path = await createSmallWorld(homes[0]!);
    const open = await openWorkspace(path);
    for (let round = 0; round < 3; round += 1) {
      const one = await host(homes[0]!);
      const before = copies().length === 0 ? 0 : copies().at(-1)!.at;
      // Somebody writes all the time.
      await expect
        .poll(
          () => {
            const operation = {
              op: 'create_page',
              path: `Page ${Math.random()}`,
              text: 'x\n'.repeat(200),
            } as const;
            open.world.submit(
              worldWrite({ operation, caller: author(), source: 'test', idempotencyKey: null }),
            );
            return copies().at(-1)?.at ?? 0;
          },
          { timeout: 20_000, interval: 5 },
        )
        .toBeGreaterThan(before);
      if (round === 0) {
        const refused = await restore(homes[0]!, copies().at(-1)!.file);
        expect([refused.status, JSON.parse(refused.stdout || refused.stderr)]).toMatchObject([
          2,
          { error: { code: 'run_state' } },
        ]);
        const elsewhere = await restore(homes[1]!, copies().at(-1)!.file);
        expect(elsewhere.stdout + elsewhere.stderr).toContain('run_state');
        // A newer copy may have been made and told of before this one was looked for.
        const isThere = (file: string) => copies().some((one) => one.file === file);
        await expect.poll(async () => (await told()).some(isThere), { timeout: 20_000 }).toBe(true);
      }
      one.child.kill('SIGKILL');
      await one.ended;
    }
    open.close();
    for (const { file } of copies()) expect(await checkWorkspace(file)).toMatchObject({ ok: true });

    // The first machine is gone with its disk.
    rmSync(path);
    const newest = copies().at(-1)!.file;
    const [first, restored] = [await pagesAt(newest), join(homes[1]!, 'data', 'workspaces', 'main.db')];
    await expect
      .poll(async () => (await restore(homes[1]!, newest)).status, { timeout: 30_000, interval: 500 })
      .toBe(0);
    expect(await pagesAt(restored)).toEqual(first);
    await host(homes[1]!);
  });

  it('and other files of its name are hosted by nobody: another workspace, an older copy, one that others went on with', async () => {
    const path = await createSmallWorld(homes[0]!);
    const write = async (file: string, page: string) => {
      const open = await openWorkspace(file);
      const operation = { op: 'create_page', path: page, text: 'x\n' } as const;
      open.world.submit(worldWrite({ operation, caller: author(), source: 'test', idempotencyKey: null }));
      open.close();
    };
    const older = join(homes[0]!, 'older.db');
    expect((await sonde(['world', 'backup', older], { env: env(), home: homes[0]! })).status).toBe(0);
    const first = await host(homes[0]!);
    await write(path, 'Newest');
    const recorded = async () => {
      const client = await postgres.connect(url);
      const { rows } = await client.query('SELECT file FROM sonde_w_main.host_file');
      await client.end();
      return JSON.parse(rows[0].file).writes as number;
    };
    await expect.poll(recorded, { timeout: 20_000 }).toBe(4);
    first.child.kill('SIGKILL');
    await first.ended;

    const others = join(homes[1]!, 'data', 'workspaces', 'main.db');
    const refusal = async (): Promise<string> => {
      const one = startSonde(['worker', '--workspaces', 'main', '--json'], { env: env(), home: homes[1]! });
      const said = await one.waitFor((text) => /not hosted here\. (.*)/.exec(text)?.[1]);
      one.child.kill('SIGTERM');
      expect((await one.ended).status).toBe(0);
      return said;
    };
    await createSmallWorld(homes[1]!);
    expect(await refusal()).toMatch(/main\.db is not the workspace main of this store: its id is \S+, and/);
    copyFileSync(older, others);
    expect(await refusal()).toContain(
      'is an older copy of the workspace main: it lacks the last 1 of 4 writes',
    );
    await write(others, 'Else');
    expect(await refusal()).toContain('is a copy of the workspace main that others went on with');

    // A person decides that the copy goes on, and hears what is given up.
    const restored = await restore(homes[1]!, older);
    expect([restored.status, JSON.parse(restored.stdout)]).toMatchObject([
      0,
      { pages: 3, lost: { writes: 1 } },
    ]);
    await host(homes[1]!);
  });

  it('of another name are no business of the store, and no other database is one', async () => {
    await createSmallWorld(homes[0]!);
    const copy = join(homes[0]!, 'copy.db');
    expect((await sonde(['world', 'backup', copy], { env: env(), home: homes[0]! })).status).toBe(0);
    const aside = ['world', 'restore', 'aside', '--from', copy];
    expect((await sonde(aside, { env: env(), home: homes[0]! })).status).toBe(0);
    const client = await postgres.connect(url);
    const schemas = await client.query("SELECT 1 FROM pg_namespace WHERE nspname LIKE 'sonde_w_aside%'");
    await client.end();
    expect(schemas.rowCount).toBe(0);
    await sonde(['token', 'add', 'x', '--workspace', 'main'], { env: env(), home: homes[0]! });
    const tokens = readdirSync(homes[0]!, { recursive: true }).find((file) =>
      String(file).endsWith('tokens.db'),
    );
    const refused = await restore(homes[0]!, join(homes[0]!, String(tokens)));
    expect([refused.status, refused.stdout]).toEqual([
      2,
      expect.stringContaining('tokens.db is no workspace'),
    ]);
  });

  it('restored by a command that is killed at any moment, it is the old one or the copy', async () => {
    const path = await createSmallWorld(homes[0]!);
    const made = await sonde(['world', 'backup', join(homes[0]!, 'copy.db')], { home: homes[0]! });
    expect(made.status, made.stderr).toBe(0);
    const file = join(homes[0]!, 'copy.db');
    const seen = new Set<number>();
    for (let wait = 250; wait <= 1_450; wait += 100) {
      const open = await openWorkspace(path);
      const operation = { op: 'create_page', path: `Late ${wait}`, text: 'Late.\n' } as const;
      open.world.submit(worldWrite({ operation, caller: author(), source: 'test', idempotencyKey: null }));
      open.close();
      const one = startSonde(['world', 'restore', 'main', '--from', file], { home: homes[0]! });
      started.push(one);
      await sleep(wait);
      one.child.kill('SIGKILL');
      await one.ended;
      expect(await checkWorkspace(path)).toMatchObject({ ok: true });
      const pages = await pagesAt(path);
      seen.add(pages.length);
      expect(pages.includes(`Late ${wait}`) || pages.length === 3).toBe(true);
    }
    const last = await sonde(['world', 'restore', 'main', '--from', file], { home: homes[0]! });
    expect(last.status, last.stderr).toBe(0);
    expect(await pagesAt(path)).toHaveLength(3);
    expect([...seen].length).toBeGreaterThan(0);
  });
});
