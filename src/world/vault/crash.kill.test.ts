/**
 * `kill -9` at any instant of an import, of a first one and of one that updates: nothing is torn, nothing done twice.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { openDatabase } from '../../store/index.ts';
import { openWorld } from '../index.ts';
import { joinPageText } from '../read/page-lines.ts';

const worker = fileURLToPath(new URL('./crash-worker.contract.ts', import.meta.url));
/** The nightly run takes more. */
const kills = Number(process.env['VAULT_KILLS'] ?? 8);
const files = 900;

/** Ends by itself, or is killed so many milliseconds after it has begun. */
function run(
  database: string,
  root: string,
  killAfter: number | null,
): Promise<{ ended: boolean; output: string }> {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [worker, database, root], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let errors = '';
    let timer: NodeJS.Timeout | undefined;
    child.stdout.on('data', (text) => {
      output += String(text);
      if (killAfter !== null) timer ??= setTimeout(() => child.kill('SIGKILL'), killAfter);
    });
    child.stderr.on('data', (text) => {
      errors += String(text);
    });
    child.on('error', failed);
    child.on('close', (status, signal) => {
      clearTimeout(timer);
      if (signal === null && status !== 0) failed(new Error(errors));
      else done({ ended: signal === null, output });
    });
  });
}

it(`an import that is killed ${kills} times ends as one that was not`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-crash-'));
  const root = join(folder, 'vault');
  const path = join(folder, 'world.db');
  const nameOf = (n: number) => `f${n % 30}/note ${n}.md`;
  const textAt = (n: number, version: number) =>
    `---\nn: ${n}\n---\n# Note ${n}\n\nVersion ${version}.\r\n\n${'A line of text. '.repeat(n % 40)}\n\n[[note ${n + 1}]]\n`;
  const written = (version: number): void => {
    for (let n = 0; n < files; n++) {
      mkdirSync(join(root, `f${n % 30}`), { recursive: true });
      // An update changes two files in three.
      if (version === 1 || n % 3 > 0) writeFileSync(join(root, nameOf(n)), textAt(n, version));
    }
    writeFileSync(join(root, 'photo.png'), String(version));
  };

  let killed = 0;
  let version = 0;
  while (killed < kills) {
    version++;
    written(version);
    for (let attempt = 0; ; attempt++) {
      // Evenly over the time that an import takes, which the first killed ones begin and later ones go on with.
      const end = await run(path, root, attempt < 6 ? 5 + Math.random() * 120 * (attempt + 1) : null);
      if (end.ended) break;
      killed++;
      const database = openDatabase({ path, schemas: [], busyMs: 5000 });
      expect(database.get('PRAGMA integrity_check')).toMatchObject({ integrity_check: 'ok' });
      const world = openWorld(database);
      // Whole pages only: each of one version or the one before.
      for (const page of world.pages({ limit: 2 * files })) {
        const n = Number(page.path.replace(/^.* /, ''));
        const expected = [textAt(n, 1), textAt(n, version), textAt(n, version - 1)];
        expect(expected, page.path).toContain(joinPageText(world.read(page.id)!));
      }
      database.close();
    }
    const database = openDatabase({ path, schemas: [], busyMs: 5000 });
    const world = openWorld(database);
    const pages = world.pages({ view: 'all', limit: 2 * files });
    expect(pages).toHaveLength(files);
    for (let n = 0; n < files; n++) {
      const page = world.page(nameOf(n).replace(/\.md$/, ''))!;
      expect(joinPageText(world.read(page.id)!)).toBe(readFileSync(join(root, nameOf(n)), 'utf8'));
      expect(page.revision).toBe(n % 3 > 0 ? version : 1);
      const events = world.history(page.id, 1000).map(({ op }) => op);
      // One for each version: nothing was applied twice.
      expect(events).toEqual([...Array(page.revision - 1).fill('update_page'), 'create_page']);
    }
    expect(world.attachments()).toHaveLength(1);
    expect(world.deviations()).toEqual([]);
    database.close();
  }
  console.log(`${killed} kills over ${version} versions of ${files} files`);
  rmSync(folder, { recursive: true, force: true });
});
