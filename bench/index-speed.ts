/**
 * Speed of the search index beside SQLite FTS5, LanceDB and a scan by ripgrep, all in one run.
 *
 * `node bench/index-speed.ts TREE [--lancedb DIR] [--queries N] [--work DIR]`
 * DIR is a folder in which `@lancedb/lancedb` is installed; without it LanceDB is left out. Each engine builds
 * and answers in processes of its own, so that peak memory is its own. Times of Sonde hold walking and reading
 * the tree; those of the others do not. One file of the tree is written to and restored.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { rgPath } from '@vscode/ripgrep';
import { type Engine, fts5, lancedb, sonde } from './index-speed-engines.ts';
import {
  deriveQueries,
  fileToChange,
  listFiles,
  type Queries,
  ripgrepArguments,
} from './index-speed-material.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    lancedb: { type: 'string' },
    queries: { type: 'string', default: '150' },
    work: { type: 'string' },
    engine: { type: 'string' },
    part: { type: 'string' },
  },
});
const tree = resolve(positionals[0] ?? '');
if (positionals[0] === undefined || !existsSync(tree)) {
  console.log('skipped: give the folder of a large tree');
  process.exit(0);
}
const changed = fileToChange(tree, listFiles(tree));
if (changed === undefined) {
  console.log('skipped: there is no text file in this folder');
  process.exit(0);
}
const work = values.work ?? mkdtempSync(join(tmpdir(), 'sonde-index-speed-'));

interface Built {
  readonly build: number;
  readonly bytes: number;
  /** In bytes. */
  readonly peak: number;
}

interface Answered {
  readonly open: number;
  /** By number of hits asked for and kind of query, milliseconds of each query. */
  readonly times: Readonly<Record<string, readonly number[]>>;
  readonly update: number;
  /** In bytes. */
  readonly peak: number;
}

async function engineOf(name: string): Promise<Engine> {
  const directory = join(work, name);
  mkdirSync(directory, { recursive: true });
  if (name === 'sonde') return sonde(tree, directory);
  if (name === 'fts5') return fts5(directory);
  return lancedb(directory, resolve(values.lancedb ?? ''));
}

const peak = () => process.resourceUsage().maxRSS * 1_024;

async function build(engine: Engine): Promise<Built> {
  const time = await engine.build(tree, listFiles(tree));
  engine.close();
  return { build: time, bytes: engine.size(), peak: peak() };
}

async function answer(engine: Engine, queries: Queries): Promise<Answered> {
  const from = performance.now();
  await engine.open();
  const open = performance.now() - from;
  const times: Record<string, number[]> = {};
  const all = [...queries.language, ...queries.identifiers];
  // Once unmeasured, so that what is compared is engines, not compilers and page caches.
  for (const query of all) await engine.search(query, 10);
  for (const k of [10, 1_000]) {
    for (const [kind, list] of Object.entries(queries)) {
      const found: number[] = [];
      for (const query of list as readonly string[]) {
        const start = performance.now();
        await engine.search(query, k);
        found.push(performance.now() - start);
      }
      times[`${kind} ${k}`] = found;
    }
  }
  const update = await engine.update(tree, changed as string);
  engine.close();
  return { open, times, update, peak: peak() };
}

if (values.engine !== undefined) {
  const engine = await engineOf(values.engine);
  const queries = deriveQueries(tree, listFiles(tree), Number(values.queries));
  const result = values.part === 'build' ? await build(engine) : await answer(engine, queries);
  console.log(JSON.stringify(result));
  process.exit(0);
}

function inChild<T>(engine: string, part: string): T {
  const flags = ['--engine', engine, '--part', part, '--work', work, '--queries', values.queries];
  if (values.lancedb !== undefined) flags.push('--lancedb', values.lancedb);
  const child = spawnSync(process.execPath, [import.meta.filename, tree, ...flags], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (child.status !== 0) throw new Error(`${engine} ${part} ended with ${child.status}`);
  return JSON.parse(child.stdout.trim().split('\n').at(-1)!) as T;
}

/** Milliseconds of a literal scan that finds nothing. */
function scan(): number {
  const from = performance.now();
  const child = spawnSync(rgPath, [...ripgrepArguments, '-c', '-F', 'zzqqxxzz', '.'], {
    cwd: tree,
    stdio: 'ignore',
  });
  if (child.error !== undefined) throw child.error;
  return performance.now() - from;
}

function quantile(times: readonly number[], share: number): number {
  const rising = times.toSorted((a, b) => a - b);
  return rising[Math.min(rising.length - 1, Math.floor(share * rising.length))] ?? 0;
}

const spread = (times: readonly number[]) =>
  `${quantile(times, 0.5).toFixed(2)} / ${quantile(times, 0.95).toFixed(2)}`;
const megabytes = (bytes: number) => (bytes / 1e6).toFixed(0);

const names = values.lancedb === undefined ? ['sonde', 'fts5'] : ['sonde', 'fts5', 'lancedb'];
if (values.lancedb === undefined)
  console.error('LanceDB is left out: give --lancedb a folder where it is installed');
scan();
const scans: number[] = [];
const results = names.map((name) => {
  scans.push(scan(), scan(), scan());
  const built = inChild<Built>(name, 'build');
  scans.push(scan(), scan());
  return { name, built, answered: inChild<Answered>(name, 'answer') };
});
const scanned = quantile(scans, 0.5);
const files = listFiles(tree).length;
const lines = execFileSync(rgPath, ['--version'], { encoding: 'utf8' }).split('\n')[0];
console.log(`${files} files; ${lines}; median of ${scans.length} scans ${scanned.toFixed(0)} ms\n`);
console.log(
  '| engine | build s | x scan | index MB | peak MB, build / answer | language: top 10 | top 1,000 | identifier: top 10 | update ms | open and first answer ms |',
);
console.log('|---|---|---|---|---|---|---|---|---|---|');
for (const { name, built, answered } of results) {
  const cells = [
    name,
    (built.build / 1_000).toFixed(2),
    (built.build / scanned).toFixed(1),
    megabytes(built.bytes),
    `${megabytes(built.peak)} / ${megabytes(answered.peak)}`,
    spread(answered.times['language 10']!),
    spread(answered.times['language 1000']!),
    spread(answered.times['identifiers 10']!),
    answered.update.toFixed(1),
    answered.open.toFixed(1),
  ];
  console.log(`| ${cells.join(' | ')} |`);
}
console.log('\nTimes of queries: milliseconds, median / 95th percentile.\n');
const [own, ...others] = results;
console.log(
  '| against sonde, times as much | build | index | peak memory | language top 10 | language top 1,000 |',
);
console.log('|---|---|---|---|---|---|');
for (const { name, built, answered } of others) {
  const median = (of: Answered, key: string) => quantile(of.times[key]!, 0.5);
  const ratios = [
    built.build / own!.built.build,
    built.bytes / own!.built.bytes,
    built.peak / own!.built.peak,
    median(answered, 'language 10') / median(own!.answered, 'language 10'),
    median(answered, 'language 1000') / median(own!.answered, 'language 1000'),
  ];
  console.log(
    `| ${name} | ${ratios.map((ratio) => (Number.isFinite(ratio) ? ratio.toFixed(1) : '-')).join(' | ')} |`,
  );
}
if (values.work === undefined) rmSync(work, { recursive: true, force: true });
