/**
 * What it takes to bring in a vault of 20,000 files, beside the least that anybody could do with them: read and
 * hash each, and insert each whole text as one row; and of a sync, first and with 10 changes. Every part is a process of its own, so that its memory is its own.
 * `node bench/vault.ts [--files N] [FOLDER ...]`: folders of Markdown to make the vault of; the packages' where none.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openDatabase, openWorkspace } from '../src/bench.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    files: { type: 'string', default: '20000' },
    part: { type: 'string' },
    vault: { type: 'string', default: '' },
    work: { type: 'string', default: '' },
  },
});
const bars = { seconds: 60, megabytes: 600 };

const markdown = (folder: string): string[] => globSync('**/*.md', { cwd: folder }).sort();

/** Files as they are, then again with their paragraphs in another order, so that no two are the same. */
function makeVault(
  folder: string,
  sources: readonly string[],
  count: number,
): { bytes: number; real: number } {
  const found = sources.flatMap((source) => markdown(source).map((path) => ({ source, path })));
  if (found.length === 0) throw new Error(`no Markdown in ${sources.join(', ')}`);
  let bytes = 0;
  for (let n = 0; n < count; n++) {
    const { source, path } = found[n % found.length]!;
    const copy = Math.floor(n / found.length);
    const text = readFileSync(join(source, path), 'utf8');
    const content = copy === 0 ? text : turned(text, copy);
    // Such folders are no part of a vault.
    const place = path.replaceAll('node_modules', 'packages');
    const file = join(folder, `copy ${copy}`, `source ${sources.indexOf(source)}`, place);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    bytes += Buffer.byteLength(content);
  }
  return { bytes, real: Math.min(count, found.length) };
}

/** Front matter stays in front. */
function turned(text: string, by: number): string {
  const front = /^---\r?\n[\s\S]*?\r?\n---\r?\n/.exec(text)?.[0] ?? '';
  const parts = text.slice(front.length).split(/(?<=\n)(?=\n)/);
  const at = by % parts.length;
  return `${front}Copy ${by}.\n\n${[...parts.slice(at), ...parts.slice(0, at)].join('')}`;
}

interface Measure {
  readonly seconds: number;
  /** Of the processor, in seconds: what a machine that does nothing else would take at most, but for its disk. */
  readonly cpu: number;
  readonly megabytes: number;
  readonly note: string;
}

const parts: Readonly<Record<string, (vault: string, work: string) => Promise<string>>> = {
  async 'read and hash'(vault) {
    let files = 0;
    for (const path of markdown(vault)) {
      createHash('sha256')
        .update(readFileSync(join(vault, path)))
        .digest();
      files++;
    }
    return `${files} files`;
  },
  async 'a row each'(vault, work) {
    const database = openDatabase({ path: join(work, 'rows.db'), schemas: [], busyMs: 1000 });
    database.run('CREATE TABLE IF NOT EXISTS texts (path TEXT PRIMARY KEY, text TEXT)');
    const paths = markdown(vault);
    for (let from = 0; from < paths.length; from += 200)
      database.atomic(() => {
        for (const path of paths.slice(from, from + 200))
          database.run('INSERT INTO texts VALUES (?, ?)', path, readFileSync(join(vault, path), 'utf8'));
      });
    database.close();
    return `${(statSync(join(work, 'rows.db')).size / 1e6).toFixed(0)} MB on disk`;
  },
  async analyse(vault) {
    const open = await openWorkspace(':memory:');
    const { pages, links } = await open.analyse({ root: vault });
    open.close();
    return `${pages.new} new, ${links.resolved} of ${links.resolved + links.unresolved} links lead somewhere`;
  },
  async import(vault, work) {
    const open = await openWorkspace(join(work, 'world.db'));
    const { pages, problems } = await open.import({ root: vault });
    const blocks = open.database.get('SELECT count(*) AS n FROM world_blocks')?.['n'];
    open.close();
    const size = (statSync(join(work, 'world.db')).size / 1e6).toFixed(0);
    return `${pages.new} pages, ${blocks} blocks, ${problems.length} problems, ${size} MB on disk`;
  },
  async 'import again'(vault, work) {
    const open = await openWorkspace(join(work, 'world.db'));
    const { pages } = await open.import({ root: vault });
    open.close();
    return `${pages.unchanged} unchanged`;
  },
  async export(vault, work) {
    const open = await openWorkspace(join(work, 'world.db'));
    await open.export({ to: join(work, 'out') });
    open.close();
    let different = 0;
    for (const path of markdown(vault))
      if (!readFileSync(join(vault, path)).equals(readFileSync(join(work, 'out', path)))) different++;
    return `${different} files differ (compared within the time)`;
  },
  async 'first sync'(vault, work) {
    const open = await openWorkspace(join(work, 'sync.db'));
    const { pulled, problems } = await open.sync({ root: vault });
    open.close();
    return `${pulled.length} pulled, ${problems.length} problems`;
  },
  async 'sync of 10 changes'(vault, work) {
    const open = await openWorkspace(join(work, 'sync.db'));
    const { pulled, unchanged } = await open.sync({ root: vault });
    open.close();
    return `${pulled.length} pulled, ${unchanged} unchanged`;
  },
};

/** What is done before a part, and does not count. */
const preparations: Readonly<Record<string, (vault: string) => Promise<void>>> = {
  async 'sync of 10 changes'(vault) {
    const files = markdown(vault);
    for (let n = 0; n < 10; n++)
      appendFileSync(join(vault, files[Math.floor(((n + 0.5) * files.length) / 10)]!), '\nOne more line.\n');
    // Longer than a pass waits for files that are being written.
    await sleep(500);
  },
};

async function measurePart(name: string): Promise<void> {
  await preparations[name]?.(values.vault);
  const before = performance.now();
  const cpuBefore = process.cpuUsage();
  const note = await parts[name]!(values.vault, values.work);
  const seconds = (performance.now() - before) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpu = (user + system) / 1e6;
  // Of the operating system, in KB.
  const megabytes = process.resourceUsage().maxRSS / 1000;
  console.log(JSON.stringify({ seconds, cpu, megabytes, note } satisfies Measure));
}

function main(): void {
  const sources = (positionals.length > 0 ? positionals : ['node_modules']).map((path) => resolve(path));
  const folder = mkdtempSync(join(tmpdir(), 'sonde-bench-vault-'));
  try {
    const vault = join(folder, 'vault');
    const { bytes, real } = makeVault(vault, sources, Number(values.files));
    console.log(
      `${values.files} files, ${(bytes / 1e6).toFixed(0)} MB, made of ${real} real ones; the machine's load is ${loadavg()[0]!.toFixed(1)} on ${availableParallelism()} processors`,
    );
    let floor = 0;
    const rows = Object.keys(parts).map((name) => {
      const args = [import.meta.filename, '--part', name, '--vault', vault, '--work', folder];
      const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      if (status !== 0) throw new Error(stderr);
      const measured = JSON.parse(stdout) as Measure;
      if (floor === 0) floor = measured.seconds;
      return { part: name, ...measured, ratio: measured.seconds / floor };
    });
    console.log(
      '\n| part | seconds | × reading and hashing | of the processor, s | files/s | peak MB | |\n|---|--:|--:|--:|--:|--:|---|',
    );
    for (const { part, seconds, cpu, ratio, megabytes, note } of rows)
      console.log(
        `| ${part} | ${seconds.toFixed(1)} | ${ratio.toFixed(1)} | ${cpu.toFixed(1)} | ${Math.round(Number(values.files) / seconds)} | ${megabytes.toFixed(0)} | ${note} |`,
      );
    const { seconds, megabytes } = rows.find(({ part }) => part === 'import')!;
    const verdict = (held: boolean): string => (held ? 'holds' : 'MISSED');
    console.log(
      `\nimport under ${bars.seconds} s: ${verdict(seconds < bars.seconds)}; under ${bars.megabytes} MB: ${verdict(megabytes < bars.megabytes)}`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (values.part === undefined) main();
else await measurePart(values.part);
