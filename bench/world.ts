/**
 * What the boundary of a world costs, beside the very same rows written by plain SQL in the same run, and how
 * quickly a large world is read. The twin database has the same tables, indexes and durability; each round writes a
 * part through the boundary, then the rows that came of it into the twin, in as many transactions.
 * `node bench/world.ts [--blocks 1000000]`
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { openDatabase, openWorld, type WorldOperation, type WorldWrite, worldWrite } from '../src/bench.ts';
import type { Caller } from '../src/index.ts';

const { values: options } = parseArgs({ options: { blocks: { type: 'string', default: '1000000' } } });
const blocks = Number(options.blocks);
const blocksOnPage = 10;
const pages = Math.ceil(blocks / blocksOnPage);
const pagesInBatch = 500;
const singleRounds = 8;
const singlesInRound = 40;
const reads = 3000;

const folder = mkdtempSync(join(tmpdir(), 'sonde-bench-world-'));
const path = join(folder, 'world.db');
let db = openDatabase({ path, schemas: [], busyMs: 1000 });
let world = openWorld(db, { name: 'bench' });

const twin = new DatabaseSync(join(folder, 'twin.db'));
twin.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
for (const { sql } of db.all("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name LIKE 'world_%'")) {
  twin.exec(String(sql));
}

/** The same from run to run: mulberry32. */
let state = 7;
function random(below: number): number {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) % below;
}

const words = Array.from({ length: 4000 }, (_, index) => `w${(index * 7919).toString(36)}`);
function sentence(): string {
  const chosen = Array.from({ length: 30 }, () => words[random(words.length)]);
  if (random(5) === 0) chosen[9] = `[[Page ${random(pages)}]]`;
  if (random(10) === 0) chosen[19] = `#tag${random(200)}`;
  return chosen.join(' ');
}

const author: Caller = { kind: 'user', name: 'ann', device: 'bench', thread: null, channel: null };
let made = 0;
let keys = 0;

function write(operation: WorldOperation): WorldWrite {
  keys += 1;
  return worldWrite({ operation, caller: author, source: 'bench', idempotencyKey: `key ${keys}` });
}

function newPage(): WorldWrite {
  const number = made;
  made += 1;
  const paragraphs = Array.from({ length: blocksOnPage - 1 }, sentence).join('\n\n');
  return write({
    op: 'create_page',
    path: `Folder ${number % 997}/Page ${number}`,
    text: `# Page ${number}\n\n${paragraphs}\n`,
  });
}

/** Tables in the order in which rows may refer to each other, and how what is new in them is told. */
const tables: readonly (readonly [table: string, fresh: string])[] = [
  ['world_sources', 'n > ?'],
  ['world_pages', 'n > ?'],
  ['world_blocks', 'n > ?'],
  ['world_names', 'page > ?'],
  ['world_links', 'block > ?'],
  ['world_tags', 'page > ?'],
  ['world_events', 'seq > ?'],
  ['world_event_pages', 'seq > ?'],
  ['world_outbox', 'seq > ?'],
];
const firstColumn = new Map([
  ['world_names', 'page'],
  ['world_tags', 'page'],
  ['world_links', 'block'],
  ['world_event_pages', 'seq'],
]);

function marks(): readonly number[] {
  return tables.map(([table]) => {
    const column = firstColumn.get(table) ?? (/events|outbox/.test(table) ? 'seq' : 'n');
    // What refers to pages and blocks is new where they are.
    const owner =
      table === 'world_names' || table === 'world_tags'
        ? 'SELECT max(n) AS m FROM world_pages'
        : table === 'world_links'
          ? 'SELECT max(n) AS m FROM world_blocks'
          : table === 'world_event_pages'
            ? 'SELECT max(seq) AS m FROM world_events'
            : `SELECT max(${column}) AS m FROM ${table}`;
    return Number(db.get(owner)?.['m'] ?? 0);
  });
}

const inserts = new Map<string, StatementSync>();
type Values = readonly SQLInputValue[];
type Rows = readonly (readonly [StatementSync, Values])[];

/**
 * The rows that came since, each with the statement that writes it into the twin, in the order of the writes: the
 * rows of one page, then those of the next.
 */
function rowsSince(before: readonly number[], fromKey: number): Rows {
  const byPage = new Map<number, [StatementSync, Values][]>();
  const put = (page: number, table: string, row: Readonly<Record<string, unknown>>) => {
    const values = Object.values(row) as SQLInputValue[];
    if (!inserts.has(table)) {
      const places = values.map(() => '?').join(', ');
      inserts.set(table, twin.prepare(`INSERT INTO ${table} VALUES (${places})`));
    }
    if (!byPage.has(page)) byPage.set(page, []);
    byPage.get(page)!.push([inserts.get(table)!, values]);
  };
  const fresh = new Map(
    tables.map(([table, condition], index) => [
      table,
      db.all(`SELECT * FROM ${table} WHERE ${condition}`, before[index]!),
    ]),
  );
  const rows = (table: string) => fresh.get(table)!;
  const pageOfBlock = new Map(rows('world_blocks').map(({ n, page }) => [n, Number(page)]));
  const pageOfEvent = new Map(rows('world_event_pages').map(({ seq, page }) => [seq, Number(page)]));
  for (const row of rows('world_sources')) put(0, 'world_sources', row);
  for (const row of rows('world_pages')) put(Number(row['n']), 'world_pages', row);
  for (const row of rows('world_blocks')) put(Number(row['page']), 'world_blocks', row);
  for (const row of rows('world_links')) put(pageOfBlock.get(row['block']!)!, 'world_links', row);
  for (const table of ['world_names', 'world_tags']) {
    for (const row of rows(table)) put(Number(row['page']), table, row);
  }
  for (const table of ['world_events', 'world_event_pages', 'world_outbox']) {
    for (const row of rows(table)) put(pageOfEvent.get(row['seq']!)!, table, row);
  }
  [...pageOfEvent.values()].forEach((page, index) => {
    const key = db.get('SELECT * FROM world_keys WHERE key = ?', `key ${fromKey + 1 + index}`)!;
    put(page, 'world_keys', key);
  });
  return [...byPage.values()].flat();
}

function writeTwin(rows: Rows): void {
  twin.exec('BEGIN IMMEDIATE');
  for (const [statement, values] of rows) statement.run(...values);
  twin.exec('COMMIT');
}

/** Milliseconds that passed, and those that this process worked, which tell less of what else runs here. */
class Took {
  wall = 0;
  cpu = 0;

  add(work: () => void): this {
    const began = performance.now();
    const used = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(used);
    this.wall += performance.now() - began;
    this.cpu += (user + system) / 1000;
    return this;
  }

  over(count: number): Took {
    this.wall /= count;
    this.cpu /= count;
    return this;
  }
}

function timed(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

function must(result: { readonly kind?: string } | readonly unknown[]): void {
  if ('kind' in result && result.kind === 'refused') throw new Error(JSON.stringify(result));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

interface Pair {
  readonly boundary: Took[];
  readonly plain: Took[];
}
const pair = (): Pair => ({ boundary: [], plain: [] });

/** Milliseconds a page, batched. */
function batch(count: number, into: Pair): void {
  const before = marks();
  const fromKey = keys;
  const writes = Array.from({ length: count }, newPage);
  into.boundary.push(new Took().add(() => must(world.submitAll(writes))).over(count));
  const rows = rowsSince(before, fromKey);
  into.plain.push(new Took().add(() => writeTwin(rows)).over(count));
}

function singles(into: Pair): void {
  const times = { boundary: new Took(), plain: new Took() };
  for (let i = 0; i < singlesInRound; i += 1) {
    const before = marks();
    const fromKey = keys;
    const page = newPage();
    times.boundary.add(() => must(world.submit(page)));
    const rows = rowsSince(before, fromKey);
    times.plain.add(() => writeTwin(rows));
  }
  into.boundary.push(times.boundary.over(singlesInRound));
  into.plain.push(times.plain.over(singlesInRound));
}

const changeBlock =
  twin.prepare(`UPDATE world_blocks SET text = ?, kind = ?, lifecycle = ?, revision = revision + 1,
  updated = ?, pinned = 0 WHERE n = ?`);
const changePage = twin.prepare(
  'UPDATE world_pages SET revision = revision + 1, updated = ?, lifecycle = ?, writer = ? WHERE n = ?',
);
const dropLinks = twin.prepare('DELETE FROM world_links WHERE block = ?');
const dropTags = twin.prepare('DELETE FROM world_tags WHERE page = ? AND block = ?');
const addLink = twin.prepare('INSERT INTO world_links VALUES (?, ?, ?, ?, ?, ?, ?)');
const addTag = twin.prepare('INSERT INTO world_tags VALUES (?, ?, ?)');

/** Edits of blocks that both databases have, one transaction each. */
function edits(into: Pair, known: readonly string[]): void {
  const times = { boundary: new Took(), plain: new Took() };
  for (let i = 0; i < singlesInRound; i += 1) {
    const id = known[random(known.length)]!;
    const text = `${sentence()}\n\n`;
    const before = marks();
    const fromKey = keys;
    const edit = write({ op: 'update_block', block: id, text });
    times.boundary.add(() => must(world.submit(edit)));
    const rows = rowsSince(before, fromKey);
    const block = db.get('SELECT n, page, kind, updated FROM world_blocks WHERE id = ?', id)!;
    const n = block['n'] as number;
    const page = block['page'] as number;
    const links = db.all('SELECT * FROM world_links WHERE block = ?', n);
    const tags = db.all('SELECT * FROM world_tags WHERE page = ? AND block = ?', page, n);
    times.plain.add(() => {
      twin.exec('BEGIN IMMEDIATE');
      changeBlock.run(text, block['kind']!, 'Canonical', block['updated']!, n);
      dropLinks.run(n);
      dropTags.run(page, n);
      for (const link of links) addLink.run(...(Object.values(link) as SQLInputValue[]));
      for (const tag of tags) addTag.run(...(Object.values(tag) as SQLInputValue[]));
      changePage.run(block['updated']!, 'Canonical', 'user:ann', page);
      for (const [statement, values] of rows) statement.run(...values);
      twin.exec('COMMIT');
    });
  }
  into.boundary.push(times.boundary.over(singlesInRound));
  into.plain.push(times.plain.over(singlesInRound));
}

function print(rows: readonly (readonly string[])[]): void {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  console.log(line(rows[0]!));
  console.log(line(widths.map((width) => '-'.repeat(width))));
  for (const row of rows.slice(1)) console.log(line(row));
  console.log();
}

const perSecond = (ms: number) => Math.round(1000 / ms).toLocaleString('en');

// Writing: to the size asked for, and what a write costs there.
batch(20, pair());
const onTheWay: (readonly [number, Pair])[] = [];
for (const share of [0.01, 0.1, 1]) {
  const measured = pair();
  const until = Math.round(pages * share);
  while (made < until) batch(Math.min(pagesInBatch, until - made), measured);
  onTheWay.push([
    made * blocksOnPage,
    { boundary: measured.boundary.slice(-8), plain: measured.plain.slice(-8) },
  ]);
}
const known = db.all('SELECT id FROM world_blocks WHERE n <= 20000').map(({ id }) => String(id));
const single = pair();
const edited = pair();
for (let round = -1; round < singleRounds; round += 1) {
  singles(round < 0 ? pair() : single);
  edits(round < 0 ? pair() : edited, known);
}

const row = (what: string, { boundary, plain }: Pair) => {
  const [ours, raw] = [boundary, plain].map((took) => median(took.map(({ wall }) => wall))) as [
    number,
    number,
  ];
  const [ourWork, rawWork] = [boundary, plain].map((took) => median(took.map(({ cpu }) => cpu))) as [
    number,
    number,
  ];
  return [
    what,
    ours.toFixed(3),
    raw.toFixed(3),
    perSecond(ours),
    (raw / ours).toFixed(2),
    ourWork.toFixed(3),
    rawWork.toFixed(3),
    (rawWork / ourWork).toFixed(2),
  ];
};
print([
  ['write', 'ms', 'plain SQL', 'per second', 'ratio of rates', 'CPU ms', 'plain SQL', 'ratio'],
  ...onTheWay.map(([at, measured]) =>
    row(
      `create_page of ${blocksOnPage} blocks, ${pagesInBatch} in a batch, at ${at.toLocaleString('en')} blocks`,
      measured,
    ),
  ),
  row(`create_page of ${blocksOnPage} blocks, one by one`, single),
  row('update_block, one by one', edited),
]);

// Reading: opened anew.
db.close();
const opening = Array.from({ length: 5 }, () => {
  const began = performance.now();
  db = openDatabase({ path, schemas: [], busyMs: 1000 });
  world = openWorld(db);
  world.head();
  const took = performance.now() - began;
  db.close();
  return took;
});
db = openDatabase({ path, schemas: [], busyMs: 1000 });
world = openWorld(db);
const ids = world.pages({ limit: 20_000 }).map(({ id }) => id);
const someBlocks = ids.slice(0, 2000).map((id) => world.read(id)!.blocks[3]!.id);
const one = <Value>(values: readonly Value[]) => values[random(values.length)]!;
const subjects: readonly (readonly [string, () => unknown])[] = [
  ['read a page of 10 blocks', () => world.read(one(ids))],
  ['read a page, candidates too', () => world.read(one(ids), 'all')],
  ['page by path', () => world.page(`Folder ${random(997)}/Page ${random(pages)}`)],
  ['page by name', () => world.page(`Page ${random(pages)}`)],
  ['block', () => world.block(one(someBlocks))],
  ['links of a page', () => world.links(one(ids))],
  ['backlinks of a page', () => world.backlinks(one(ids))],
  ['history of a page', () => world.history(one(ids))],
  ['list a folder of 100 pages', () => world.pages({ under: `Folder ${random(997)}` })],
];
const readings = subjects.map(([name, read]) => {
  const times = Array.from({ length: reads }, () => timed(read)).toSorted((a, b) => a - b);
  return [name, times[Math.floor(reads / 2)]!.toFixed(3), times[Math.floor(reads * 0.99)]!.toFixed(3)];
});
print([['read', 'p50 ms', 'p99 ms'], ...readings]);

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
print([
  ['', ''],
  ['pages, blocks', `${made.toLocaleString('en')}, ${(made * blocksOnPage).toLocaleString('en')}`],
  ['open', `${median(opening).toFixed(1)} ms`],
  ['memory of the process', megabytes(process.memoryUsage().rss)],
  ['database, events and index of names included', megabytes(statSync(path).size)],
  ['text in it', megabytes(Number(db.get('SELECT sum(length(text)) AS n FROM world_blocks')!['n']))],
]);
db.close();
twin.close();
rmSync(folder, { recursive: true });
