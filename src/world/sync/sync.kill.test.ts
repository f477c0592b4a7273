/** `kill -9` before each effect of a pass, and every few seconds while three write: nothing is lost, nothing torn. */
import { type ChildProcess, spawn } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  cpSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { agent, openScene, type SyncScene } from './sync.contract.ts';

const worker = fileURLToPath(new URL('./sync-worker.contract.ts', import.meta.url));
/** How long the three write; the measurement takes ten minutes. */
const seconds = Number(process.env['SYNC_SECONDS'] ?? 12);
const killEvery = 5000;

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0).reverse()) close();
});

function startWorker(database: string, root: string, how: string): ChildProcess {
  return spawn(process.execPath, [worker, database, root, how], { stdio: ['ignore', 'ignore', 'inherit'] });
}
const ended = (child: ChildProcess): Promise<NodeJS.Signals | null> =>
  new Promise((resolve) => child.once('close', (_status, signal) => resolve(signal)));

const idsIn = (text: string): readonly string[] => text.match(/\bL\d+\b/g) ?? [];

/** Both texts of each conflict, one behind the other, until none is left and both sides are quiet. */
async function settle(scene: SyncScene): Promise<void> {
  for (let round = 0; round < 20; round++) {
    const { conflicts, pulled, pushed, merged, renamed } = await scene.sync();
    if ([conflicts, pulled, pushed, merged, renamed].every(({ length }) => length === 0)) return;
    for (const { id, page } of conflicts) {
      const file = scene.world.inbox(10_000).find((item) => item.id === id)!.after!;
      const text = scene.page(page);
      const there = new Set(idsIn(text));
      const missing = file.split(/\n\n+/).filter((part) => idsIn(part).some((each) => !there.has(each)));
      const both = `${[text.trimEnd(), ...missing.map((part) => part.trimEnd())].join('\n\n')}\n`;
      scene.write({ op: 'resolve_deviation', deviation: id, decision: { text: both } });
    }
  }
  throw new Error('it does not come to rest');
}

function expectAlike(scene: SyncScene): void {
  const files = scene.files().map((file) => [file.replace(/\.md$/, ''), scene.text(file)] as const);
  expect(Object.fromEntries(files)).toEqual(scene.pages());
}

it('killed before each of its effects', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-sync-kill-'));
  closing.push(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'world.db');
  const start = openScene(
    {
      'A.md': 'L1 the first note of all\n',
      'B.md': 'L2 a note with [[A]] in it\n\nL3 and more\n',
      'In/C.md': 'L4 a note in a folder\n',
      'D.md': 'L5 a note that goes away\n',
      'E.md': 'L6 a note that both change\n\nL7 in two places\n',
      'F.md': 'L8 a note that both change in one\n',
    },
    path,
  );
  closing.push(() => start.close());
  await start.sync();
  start.put({ 'In/C.md': 'L4 a note in a folder\n\nL9 with more\n', 'New.md': 'L10 a new note here\n' });
  start.put({
    'E.md': 'L6 a note that both change, so\n\nL7 in two places\n',
    'F.md': 'L8 a note, edited there\n',
  });
  start.edit('E', 'L6 a note that both change\n\nL7 in two places, and so\n\nL11 three\n');
  start.edit('F', 'L8 a note, edited here\n');
  start.edit('B', 'L2 a note with [[A]] in it\n\nL3 and more\n\nL12 and more\n');
  start.edit('Made here/G', 'L13 a page that was made here\n');
  start.write({ op: 'rename_page', page: start.world.page('A')!.id, name: 'Renamed' });
  start.write({ op: 'delete_page', page: start.world.page('D')!.id });
  start.database.run('PRAGMA wal_checkpoint(TRUNCATE)');
  const frozen = join(folder, 'frozen.db');
  copyFileSync(path, frozen);
  const vault = join(folder, 'vault');
  cpSync(start.root, vault, { recursive: true });

  let killed = 0;
  for (let at = 1; ; at++) {
    const database = join(folder, `at-${at}.db`);
    const scene = openScene({}, ':memory:');
    closing.push(() => scene.close());
    copyFileSync(frozen, database);
    cpSync(vault, scene.root, { recursive: true });
    // The mark names the file of the workspace that it was made by.
    const mark = join(scene.root, '.sonde-sync');
    writeFileSync(mark, readFileSync(mark, 'utf8').replace(path, database));
    const signal = await ended(startWorker(database, scene.root, String(at)));
    if (signal === null) break;
    killed++;
    for (const file of scene.files()) expect(scene.text(file), file).toMatch(/^L\d+ .*\n$/s);
    const after = openScene({}, database);
    closing.push(() => after.close());
    const here = { ...after, root: scene.root, files: scene.files, text: scene.text };
    await settle({ ...here, sync: (options = {}) => after.sync({ root: scene.root, ...options }) });
    expectAlike(here);
    const ids = idsIn(Object.values(after.pages()).join('\n')).toSorted();
    const all = Array.from({ length: 13 }, (_, n) => `L${n + 1}`).filter((id) => id !== 'L5');
    expect(
      ids.filter((id) => id !== 'L8'),
      `killed before effect ${at}`,
    ).toEqual(all.filter((id) => id !== 'L8').toSorted());
    expect(ids).toContain('L8');
  }
  console.log(`killed before each of ${killed} effects`);
  expect(killed).toBeGreaterThan(15);
}, 280_000);

it(
  `three write for ${seconds} seconds, and the sync is killed every ${killEvery / 1000}`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sonde-sync-kill-'));
    closing.push(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'world.db');
    const notes = Array.from({ length: 10 }, (_, n) => [
      `Note ${n}.md`,
      `L${n + 1} the first line of note ${n}\n`,
    ]);
    const scene = openScene(Object.fromEntries(notes), path);
    closing.push(() => scene.close());
    let last = notes.length;
    const written = new Set(notes.map((_, n) => `L${n + 1}`));
    /** What was saved, and not only thought of. */
    const wrote = (text: string): void => {
      for (const id of idsIn(text)) written.add(id);
    };
    const counts = { folder: 0, author: 0, agent: 0, kills: 0, conflicts: 0, torn: 0 };
    const random = (below: number) => Math.floor(Math.random() * below);
    const pick = <Value>(values: readonly Value[]): Value | undefined => values[random(values.length)];
    const line = (who: string) => `L${++last} a line that ${who} wrote as number ${last}`;
    function edited(text: string, who: string): string {
      const parts = text.trimEnd().split(/\n\n+/);
      const at = random(parts.length + 1);
      if (random(4) === 0 && parts[at] !== undefined && parts[at].length < 400) parts[at] += ` and ${who}`;
      else parts.splice(at, 0, line(who));
      return `${parts.join('\n\n')}\n`;
    }
    /** As editors save: into the file that is open, or by a new one in its place. */
    function save(file: string): void {
      const place = join(scene.root, file);
      const open = openSync(place, 'r+');
      try {
        const before = readFileSync(open, 'utf8');
        const text = edited(before, 'the folder');
        if (random(2) === 0) {
          ftruncateSync(open, 0);
          writeSync(open, text, 0);
          wrote(text);
          return;
        }
        const { ino } = statSync(place);
        writeFileSync(`${place}.tmp~`, text);
        // Somebody else replaced it meanwhile: an editor asks, this one lets its own edit go.
        if (statSync(place).ino !== ino || readFileSync(place, 'utf8') !== before) {
          rmSync(`${place}.tmp~`);
          return;
        }
        renameSync(`${place}.tmp~`, place);
        wrote(text);
      } finally {
        closeSync(open);
      }
    }
    function inFolder(): void {
      const file = pick(scene.files().filter((each) => each.endsWith('.md')));
      const kind = random(20);
      counts.folder++;
      if (file === undefined || kind === 0) {
        const text = `${line('the folder')}\n`;
        scene.put({ [`In/New ${last}.md`]: text });
        wrote(text);
      } else if (kind === 1) {
        mkdirSync(join(scene.root, 'In'), { recursive: true });
        renameSync(join(scene.root, file), join(scene.root, `In/Renamed ${last}-${random(1e6)}.md`));
      } else save(file);
    }
    function byAuthor(): void {
      const page = pick(scene.world.pages());
      if (page === undefined) return;
      counts.author++;
      if (random(25) === 0) {
        scene.write({ op: 'rename_page', page: page.id, name: `Named ${last}-${random(1e6)}` });
        return;
      }
      scene.database.atomic(() => {
        const { path: now } = scene.world.page(page.id)!;
        const text = edited(scene.page(now), 'the author');
        scene.edit(now, text);
        wrote(text);
      });
    }
    function byAgent(): void {
      const page = pick(scene.world.pages());
      if (page === undefined) return;
      counts.agent++;
      scene.database.atomic(() => {
        const text = `${line('the agent')}\n`;
        const made = scene.write({ op: 'add_block', page: page.id, text }, agent);
        wrote(text);
        if (made.kind !== 'accepted') throw new Error(made.message);
        scene.world.shown(
          'ada',
          scene.world.inbox(10_000).filter(({ kind }) => kind === 'candidate'),
        );
        scene.write({ op: 'promote', content: made.content_ids[0]! });
      });
    }
    const begun = performance.now();
    let child = startWorker(path, scene.root, 'watch');
    closing.push(() => child.kill('SIGKILL'));
    for (let killAt = killEvery; performance.now() - begun < seconds * 1000; ) {
      inFolder();
      await sleep(100 + random(100));
      byAuthor();
      await sleep(100 + random(100));
      if (random(3) === 0) byAgent();
      if (performance.now() - begun < killAt) continue;
      killAt += killEvery;
      const over = ended(child);
      child.kill('SIGKILL');
      await over;
      counts.kills++;
      for (const file of scene.files()) if (!/^L\d+ .*\n$/s.test(scene.text(file))) counts.torn++;
      child = startWorker(path, scene.root, 'watch');
    }
    const over = ended(child);
    child.kill('SIGKILL');
    await over;
    counts.conflicts = scene.world.deviations().length;
    await settle(scene);
    expectAlike(scene);
    const ids = idsIn(Object.values(scene.pages()).join('\n'));
    const there = new Set(ids);
    const lost = [...written].filter((id) => !there.has(id));
    console.log(
      JSON.stringify({
        ...counts,
        lines: written.size,
        lost: lost.length,
        doubled: ids.length - there.size,
        files: scene.files().length,
      }),
    );
    expect(lost).toEqual([]);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    expect(counts.torn).toBe(0);
  },
  (seconds + 120) * 1000,
);
