import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../core/index.ts';
import { openMemory } from '../../memory/index.ts';
import { openDatabase } from '../../store/index.ts';
import { numbers } from '../../world/contract/numbers.contract.ts';
import { worldWrite } from '../../world/index.ts';
import { backupWorkspace, checkWorkspace, createWorkspace, salvageWorkspace } from './maintain-workspace.ts';
import { openWorkspace } from './workspace.ts';

const person: Caller = { kind: 'user', name: 'ada', device: 'desk', thread: null, channel: null };
let folder: string;
const at = (name: string): string => join(folder, name);

const template = { folder: '', path: '', texts: {} as Readonly<Record<string, string>> };

beforeAll(async () => {
  template.folder = mkdtempSync(join(tmpdir(), 'sonde-keep-'));
  template.path = join(template.folder, 'notes.db');
  template.texts = await makeTemplate(template.path);
});
afterAll(() => {
  rmSync(template.folder, { recursive: true });
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sonde-keep-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const count = 60;
const pageText = (n: number): string =>
  `---\ntags: [t${n}]\n---\n# Page ${n}\n\nIt leads to [[Page ${(n * 7) % count}]] #n${n}.\n\n${`Line of page ${n}. `.repeat(n * 5)}\n`;

/** Pages of all lengths, some of them edited, and something to remember. Gives the texts that are read. */
async function made(path: string): Promise<Readonly<Record<string, string>>> {
  copyFileSync(template.path, path);
  return template.texts;
}

async function makeTemplate(path: string): Promise<Readonly<Record<string, string>>> {
  const open = await openWorkspace(path);
  const { world, database } = open;
  const submit = (operation: Parameters<typeof worldWrite>[0]['operation'], key: string) => {
    const result = world.submit(
      worldWrite({ operation, caller: person, source: 'test', idempotencyKey: key }),
    );
    if (result.kind === 'refused') throw new Error(result.message);
  };
  for (let n = 0; n < count; n += 1)
    submit({ op: 'create_page', path: `Page ${n}`, text: pageText(n) }, `c${n}`);
  for (let n = 0; n < count; n += 5)
    submit(
      { op: 'update_page', page: world.page(`Page ${n}`)!.id, text: `${pageText(n)}\nEdited.\n` },
      `u${n}`,
    );
  const account = openDatabase({ path: ':memory:', schemas: [], busyMs: 0 });
  const memory = openMemory({ workspace: database, workspaceId: world.workspace.id, account });
  const view = memory.viewFrom({ thread: null, channel: null });
  const writer = { writer: 'ada', idempotencyKey: 'm' };
  view.put({ tier: 'workspace', key: 'bread', text: 'is baked on Friday' }, writer);
  const texts = textsOf(world);
  account.close();
  open.close();
  return texts;
}

function textsOf(world: Awaited<ReturnType<typeof openWorkspace>>['world']): Record<string, string> {
  return Object.fromEntries(
    world.pages({ limit: 10_000 }).map(({ id, path }) => {
      const { front, blocks } = world.read(id)!;
      return [path, front + blocks.map(({ text }) => text).join('')];
    }),
  );
}

async function textsIn(path: string): Promise<Record<string, string>> {
  const open = await openWorkspace(path, { make: false });
  try {
    return textsOf(open.world);
  } finally {
    open.close();
  }
}

describe('a new workspace', () => {
  it('is empty and sound, and is made once', async () => {
    await createWorkspace(at('notes.db'));
    expect(await checkWorkspace(at('notes.db'))).toEqual({ ok: true, pages: 0, damaged: [] });
    await expect(createWorkspace(at('notes.db'))).rejects.toMatchObject({ code: 'bad_argument' });
  });
});

describe('a backup', () => {
  it('calls a file that was emptied damaged, and makes nothing of it', async () => {
    await made(at('notes.db'));
    writeFileSync(at('notes.db'), '');
    expect(await checkWorkspace(at('notes.db'))).toMatchObject({
      ok: false,
      damaged: [{ what: expect.stringContaining('is empty') }],
    });
    await expect(openWorkspace(at('notes.db'), { make: false })).rejects.toMatchObject({
      code: 'store_corrupt',
    });
    await expect(backupWorkspace(at('notes.db'), at('copy.db'))).rejects.toMatchObject({
      code: 'store_corrupt',
    });
    expect(statSync(at('notes.db')).size).toBe(0);
    expect(existsSync(at('copy.db'))).toBe(false);
  });

  it('holds what was committed when it was made, whoever is writing', async () => {
    const texts = await made(at('notes.db'));
    const writer = await openWorkspace(at('notes.db'));
    await writer.database.run('BEGIN IMMEDIATE');
    writer.database.run("UPDATE world_blocks SET text = 'half a write'");
    expect(await backupWorkspace(at('notes.db'), at('copy.db'))).toEqual({ pages: count });
    writer.database.run('ROLLBACK');
    writer.close();
    expect(await textsIn(at('copy.db'))).toEqual(texts);
    expect(await checkWorkspace(at('copy.db'))).toMatchObject({ ok: true });
    expect(statSync(at('copy.db')).mode & 0o777).toBe(0o600);
  });

  it('clears away what one that was killed has left', async () => {
    await made(at('notes.db'));
    // No process has a number as high as this one.
    for (const name of [
      '.copy.db.999999999.part',
      '.copy.db.999999999.part-journal',
      '.other.db.999999999.part',
    ])
      writeFileSync(at(name), 'half');
    await backupWorkspace(at('notes.db'), at('copy.db'));
    expect(readdirSync(folder).filter((name) => name.includes('.part'))).toEqual([
      '.other.db.999999999.part',
    ]);
  });

  it('replaces nothing, and leaves nothing half', async () => {
    await made(at('notes.db'));
    writeFileSync(at('copy.db'), 'mine');
    await expect(backupWorkspace(at('notes.db'), at('copy.db'))).rejects.toMatchObject({
      code: 'bad_argument',
    });
    expect(readFileSync(at('copy.db'), 'utf8')).toBe('mine');
    await expect(backupWorkspace(at('notes.db'), at('none/copy.db'))).rejects.toMatchObject({
      code: 'store_unusable',
    });
    await expect(backupWorkspace(at('none.db'), at('other.db'))).rejects.toMatchObject({ code: 'not_found' });
    expect(readdirSync(folder).filter((name) => /copy|other|part/.test(name))).toEqual(['copy.db']);
  });
});

describe('a damaged workspace', () => {
  it('is never called runs, and is left as it is', async () => {
    writeFileSync(at('notes.db'), 'no database at all'.repeat(500));
    chmodSync(at('notes.db'), 0o600);
    const before = readFileSync(at('notes.db'));
    const error = await openWorkspace(at('notes.db')).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'store_corrupt',
      remedy: expect.stringContaining('sonde world salvage'),
    });
    expect(`${error} ${(error as { remedy: string }).remedy}`).not.toMatch(/\bruns\b/);
    const { ok, damaged } = await checkWorkspace(at('notes.db'));
    expect([ok, damaged.length]).toEqual([false, 1]);
    await expect(salvageWorkspace(at('notes.db'), at('out.db'))).rejects.toMatchObject({
      code: 'bad_argument',
    });
    expect(existsSync(at('out.db'))).toBe(false);
    expect(readFileSync(at('notes.db'))).toEqual(before);
  });

  it('exports no page that was changed behind its back, and names it', async () => {
    const texts = await made(at('notes.db'));
    const db = openDatabase({ path: at('notes.db'), schemas: [], busyMs: 0 });
    db.run("UPDATE world_blocks SET text = replace(text, 'It leads', 'It Leads') WHERE text LIKE '%#n3.%'");
    db.close();
    const { ok, damaged } = await checkWorkspace(at('notes.db'));
    expect(ok).toBe(false);
    expect(damaged).toMatchObject([{ page: 'Page 3', what: 'its text differs from the log' }]);
    const open = await openWorkspace(at('notes.db'));
    const { problems, pages } = await open.export({ to: at('vault') });
    open.close();
    expect(problems).toMatchObject([{ path: 'Page 3.md', message: expect.stringContaining('damaged') }]);
    expect(pages.written).toBe(count - 1);
    expect(existsSync(at('vault/Page 3.md'))).toBe(false);
    expect(readFileSync(at('vault/Page 4.md'), 'utf8')).toBe(texts['Page 4']);
  });

  it('gives back what only its write-ahead log holds', async () => {
    const texts = await made(at('notes.db'));
    const writer = await openWorkspace(at('notes.db'));
    const { id } = writer.world.page('Page 1')!;
    writer.world.submit(
      worldWrite({
        operation: { op: 'update_page', page: id, text: 'Late.\n' },
        caller: person,
        source: 'test',
        idempotencyKey: 'late',
      }),
    );
    for (const suffix of ['', '-wal'])
      copyFileSync(`${at('notes.db')}${suffix}`, `${at('torn.db')}${suffix}`);
    writer.close();
    const report = await salvageWorkspace(at('torn.db'), at('out.db'));
    expect(report.lost).toEqual({ events: 0, rows: 0, file_pages: 0, tables: [] });
    expect(await textsIn(at('out.db'))).toEqual({ ...texts, 'Page 1': 'Late.\n' });
  });
});

const damages: Readonly<Record<string, (bytes: Buffer, random: (below: number) => number) => Buffer>> = {
  'no damage': (bytes) => bytes,
  'a changed byte': (bytes, random) => {
    bytes[100 + random(bytes.length - 100)]! ^= 1 << random(8);
    return bytes;
  },
  'a hundred changed bytes': (bytes, random) => {
    for (let n = 0; n < 100; n += 1) bytes[random(bytes.length)] = random(256);
    return bytes;
  },
  'a page of zeros': (bytes, random) => bytes.fill(0, ...span(random(bytes.length / 4096), 1)),
  'five pages of noise': (bytes, random) => {
    for (let n = 0; n < 5; n += 1) {
      const [from, to] = span(random(bytes.length / 4096), 1);
      for (let byte = from; byte < to; byte += 1) bytes[byte] = random(256);
    }
    return bytes;
  },
  'no header': (bytes) => bytes.fill(0, 0, 100),
  'no first page': (bytes) => bytes.fill(0, ...span(0, 1)),
  'a lost end': (bytes, random) => bytes.subarray(0, Math.floor(bytes.length * (0.5 + random(50) / 100))),
};
const span = (page: number, pages: number): [number, number] => [
  Math.floor(page) * 4096,
  (Math.floor(page) + pages) * 4096,
];

const everyTrial = process.env['TRIALS'] === 'all';
const seeds = Number(process.env['SALVAGE_SEEDS'] ?? (everyTrial ? 3 : 1));

describe('salvage', () => {
  it.each(
    Object.keys(damages).flatMap((what) => Array.from({ length: seeds }, (_, seed) => [what, seed] as const)),
  )('after %s (seed %i) gives back pages as they were, or names them', async (what, seed) => {
    const texts = await made(at('notes.db'));
    const random = numbers(seed + 1);
    writeFileSync(at('torn.db'), damages[what]!(readFileSync(at('notes.db')), random));
    const torn = readFileSync(at('torn.db'));
    const { saved, lost, doubtful } = await salvageWorkspace(at('torn.db'), at('out.db'));
    expect(readFileSync(at('torn.db'))).toEqual(torn);
    // What came out is a workspace like any other.
    expect(await checkWorkspace(at('out.db'))).toMatchObject({ ok: true, damaged: [] });
    const now = await textsIn(at('out.db'));
    const other = Object.entries(texts).filter(([path, text]) => now[path] !== text);
    const silent = other.filter(([path]) => !doubtful.includes(path));
    // A page may be gone or old only where the report says that something is lost.
    if (lost.events + lost.rows + lost.file_pages === 0) expect(silent).toEqual([]);
    if (process.env['SALVAGE_SEEDS'] !== undefined)
      console.log(
        `${what}: ${count - other.length} of ${count} pages as they were, ${saved.from_log} from the log, ${doubtful.length} doubtful, lost ${JSON.stringify(lost)}`,
      );
    const least = { 'a lost end': 10, 'five pages of noise': 45, 'a hundred changed bytes': 25 }[what] ?? 58;
    expect(count - other.length).toBeGreaterThanOrEqual(least);
    if (what === 'no damage') expect([other, doubtful, lost.events, lost.rows]).toEqual([[], [], 0, 0]);
  });
});

it('a backup that cannot be written says so of itself, not of the workspace', async () => {
  const path = at('notes.db');
  await made(path);
  await expect(backupWorkspace(path, at('nowhere/copy.db'))).rejects.toMatchObject({
    code: 'store_unusable',
    message: `${at('nowhere/copy.db')} cannot be written: there is no folder ${at('nowhere')}`,
  });
  writeFileSync(at('file'), '');
  await expect(backupWorkspace(path, at('file/copy.db'))).rejects.toMatchObject({
    code: 'store_unusable',
    message: expect.stringMatching(/file\/copy\.db cannot be written/),
  });
});
