/**
 * Search over pages: what it finds and how long it takes.
 *
 * `node bench/pages.ts [--vault DIR ...] [--links 500] [--blocks 1000000]`
 * With a vault: links are taken out of lines of eight words or more, and their target is asked for with the rest of
 * the line; the page that the line is on does not count. In five folds, so that most links of the vault stay. Beside
 * it plain BM25 and the fair floor over the very same text. With blocks: a workspace of that size, made of the text of the vaults (or of
 * made-up words without one), asked with six words of a block.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  loadPageSearch,
  memoryWorld,
  openDatabase,
  openWorld,
  type PageSearch,
  type WorldWrite,
  worldWrite,
} from '../src/bench.ts';
import { type HiddenLink, hiddenLinks, vaultFiles, withoutLinks } from './pages-links.ts';
import { fairBm25, plainBm25 } from './retrieval-floor.ts';
import { decimals, interval, type Measured, mean, measure } from './retrieval-measures.ts';

const { values } = parseArgs({
  options: {
    vault: { type: 'string', multiple: true, default: [] },
    links: { type: 'string', default: '500' },
    blocks: { type: 'string', default: '0' },
    // Of the process that makes the large workspace.
    build: { type: 'string' },
  },
});
const work = values.build ?? mkdtempSync(join(tmpdir(), 'sonde-bench-pages-'));
const folds = 5;

/** The same from run to run: mulberry32. */
let state = 7;
function random(below: number): number {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) % below;
}

function shuffled<T>(items: readonly T[]): T[] {
  const mixed = [...items];
  for (let k = mixed.length - 1; k > 0; k--) {
    const other = random(k + 1);
    [mixed[k], mixed[other]] = [mixed[other]!, mixed[k]!];
  }
  return mixed;
}

const pageOf = (file: string): string => file.replace(/\.md$/, '');

interface Asked {
  readonly plain: Measured;
  readonly fair: Measured;
  readonly sonde: Measured;
}

async function askFold(
  files: ReadonlyMap<string, string>,
  hidden: readonly HiddenLink[],
  fold: number,
): Promise<Asked[]> {
  const root = join(work, `fold-${fold}`);
  const byFile = Map.groupBy(hidden, ({ from }) => from);
  const texts = new Map([...files].map(([path, text]) => [path, withoutLinks(text, byFile.get(path) ?? [])]));
  for (const [path, text] of texts) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const plain = plainBm25(root, [...texts.keys()]);
  const fair = fairBm25(root, [...texts.keys()]);
  const world = memoryWorld(Object.fromEntries([...texts].map(([path, text]) => [pageOf(path), text])));
  const search = await loadPageSearch({ world, directory: join(work, `index-${fold}`) });
  await search.follow();
  const asked: Asked[] = [];
  for (const { from, to, query } of hidden) {
    const { hits } = await search.search({ query, k: 11 });
    const others = (ranked: readonly string[]) => ranked.filter((page) => page !== pageOf(from));
    const gold = new Set([pageOf(to)]);
    asked.push({
      plain: measure(others(plain(query).map(pageOf)), gold),
      fair: measure(others(fair(query).map(pageOf)), gold),
      sonde: measure(others(hits.map(({ path }) => path)), gold),
    });
  }
  await search.close();
  world.close();
  rmSync(root, { recursive: true });
  return asked;
}

async function hiddenLinksOf(vault: string): Promise<void> {
  const files = vaultFiles(vault);
  const all = shuffled(hiddenLinks(files));
  const chosen = all.slice(0, Number(values.links));
  const asked: Asked[] = [];
  for (let fold = 0; fold < folds; fold++)
    asked.push(
      ...(await askFold(
        files,
        chosen.filter((_, k) => k % folds === fold),
        fold,
      )),
    );
  const row = (name: string, of: (one: Asked) => Measured): void => {
    const recall = asked.map((one) => of(one).r10);
    const [low, high] = interval(recall);
    const ndcg = mean(asked.map((one) => of(one).ndcg));
    console.log(
      `${name.padEnd(12)} recall@10 ${decimals(mean(recall))} (${decimals(low)}-${decimals(high)})  nDCG@10 ${decimals(ndcg)}`,
    );
  };
  console.log(`\n${basename(vault)}: ${files.size} pages, ${all.length} such links, ${asked.length} asked`);
  row('plain BM25', ({ plain }) => plain);
  row('fair floor', ({ fair }) => fair);
  row('sonde', ({ sonde }) => sonde);
  const ratio = (of: (measured: Measured) => number): string =>
    (mean(asked.map(({ sonde }) => of(sonde))) / mean(asked.map(({ plain }) => of(plain)))).toFixed(2);
  console.log(`ratio        recall@10 x${ratio(({ r10 }) => r10)}  nDCG@10 x${ratio(({ ndcg }) => ndcg)}`);
}

/** Texts of blocks to make pages of. */
function materials(): string[] {
  const blocks = values.vault
    .flatMap((vault) => [...vaultFiles(resolve(vault)).values()])
    .flatMap((text) => text.split(/\n{2,}/))
    .map((block) => block.trim())
    .filter((block) => block.length > 20 && block.length < 2_000 && !block.startsWith('---'));
  if (blocks.length > 1_000) return blocks;
  const words = Array.from({ length: 4_000 }, (_, index) => `w${(index * 7919).toString(36)}`);
  return Array.from({ length: 5_000 }, () =>
    Array.from({ length: 30 }, () => words[random(words.length)]).join(' '),
  );
}

const blocksOnPage = 17;
const pagesInBatch = 500;

async function build(wanted: number): Promise<void> {
  const blocks = materials();
  const { database, world } = large();
  const pages = Math.ceil(wanted / blocksOnPage);
  const newPage = (number: number): WorldWrite => {
    const text = Array.from({ length: blocksOnPage }, () => blocks[random(blocks.length)]).join('\n\n');
    const path = `Area ${number % 50}/${blocks[random(blocks.length)]!.replace(/[^\p{L}\p{N} ]/gu, '')
      .slice(0, 24)
      .trim()} ${number}`;
    return worldWrite({
      operation: { op: 'create_page', path, text: `${text}\n\nSee [[Page ${random(pages)}]].\n` },
      caller,
      source: 'bench',
      idempotencyKey: null,
    });
  };
  let started = performance.now();
  for (let made = 0; made < pages; made += pagesInBatch) {
    const count = Math.min(pagesInBatch, pages - made);
    const results = world.submitAll(Array.from({ length: count }, (_, k) => newPage(made + k)));
    if ('kind' in results) throw new Error(results.message);
  }
  const written = performance.now() - started;
  started = performance.now();
  const search = await loadPageSearch({ world, directory: join(work, 'large-index') });
  await search.follow();
  const indexed = performance.now() - started;
  const stored = Number(database.get('SELECT count(*) AS n FROM world_blocks')!['n']);
  console.log(
    `\n${stored} blocks on ${pages} pages: written in ${s(written)}, indexed in ${s(indexed)}, ${peak()}`,
  );
  await search.close();
  world.close();
  database.close();
}

const caller = { kind: 'user', name: 'ann', device: 'bench', thread: null, channel: null } as const;
const peak = (): string => `${(process.resourceUsage().maxRSS / 1_024).toFixed(0)} MB at most`;

function large() {
  const database = openDatabase({ path: join(work, 'large.db'), schemas: [], busyMs: 1_000 });
  return { database, world: openWorld(database, { name: 'large' }) };
}

/** In a process of its own, as a server that is started on a workspace that is there. */
async function speed(): Promise<void> {
  const { database, world } = large();
  const started = performance.now();
  const search = await loadPageSearch({ world, directory: join(work, 'large-index') });
  await search.search({ query: 'the first of all' });
  console.log(`opened, with the first answer: ${(performance.now() - started).toFixed(0)} ms`);
  const blocks = materials();
  const queries = Array.from({ length: 400 }, () => {
    const words = blocks[random(blocks.length)]!.match(/[\p{L}]{3,}/gu) ?? [];
    const from = random(Math.max(1, words.length - 6));
    return words.slice(from, from + 6).join(' ');
  }).filter((query) => query !== '');
  for (const query of queries.slice(0, 100)) await search.search({ query });
  await timed('best 10', queries, (query) => search.search({ query }));
  await timed('below a path', queries, (query) => search.search({ query, under: 'Area 7' }));
  await timed('400 wide', queries.slice(0, 100), (query) => search.search({ query, wide: true }));
  await untilFound(search, world);
  console.log(peak());
  await search.close();
  world.close();
  database.close();
}

const s = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

async function timed(
  name: string,
  queries: readonly string[],
  ask: (query: string) => Promise<unknown>,
): Promise<void> {
  const times: number[] = [];
  for (const query of queries) {
    const started = performance.now();
    await ask(query);
    times.push(performance.now() - started);
  }
  times.sort((a, b) => a - b);
  const at = (share: number): string => times[Math.floor(times.length * share)]!.toFixed(2);
  console.log(`${name.padEnd(14)} p50 ${at(0.5)} ms, p95 ${at(0.95)} ms (${times.length} queries)`);
}

/** From the write to the answer that has it. */
async function untilFound(search: PageSearch, world: ReturnType<typeof openWorld>): Promise<void> {
  const times: number[] = [];
  for (let k = 0; k < 10; k++) {
    const word = `quagga${k}`;
    const operation = { op: 'create_page', path: `New ${k}`, text: `A ${word}.\n` } as const;
    world.submit(worldWrite({ operation, caller, source: 'bench', idempotencyKey: null }));
    const started = performance.now();
    const { hits } = await search.search({ query: word });
    if (hits[0]?.path !== `New ${k}`) throw new Error(`New ${k} was not found`);
    times.push(performance.now() - started);
  }
  const sorted = times.toSorted((a, b) => a - b);
  console.log(
    `a new page found after ${sorted[5]!.toFixed(1)} ms in the middle, ${sorted[9]!.toFixed(1)} at most`,
  );
}

if (values.build !== undefined) await build(Number(values.blocks));
else
  try {
    if (values.vault.length === 0 && values.blocks === '0')
      console.log('skipped: give a vault, or a number of blocks');
    if (values.links !== '0') for (const vault of values.vault) await hiddenLinksOf(resolve(vault));
    if (values.blocks !== '0') {
      const again = [...process.argv.slice(1), '--build', work];
      if (spawnSync(process.execPath, again, { stdio: 'inherit' }).status !== 0) process.exitCode = 1;
      else await speed();
    }
  } finally {
    rmSync(work, { recursive: true });
  }
