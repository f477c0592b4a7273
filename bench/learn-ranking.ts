/**
 * Learns the weights of `src/search/passages/learned.ts` on commits, and says what each trait gains where nothing was
 * learned: how often the passages of a file touch a line that was changed.
 *
 * `node bench/learn-ranking.ts --repos DIR --work DIR [--count N] [--back N] [--read PART,…]`
 * DIR of `--repos` holds a git directory for each repository of `bench/ranking/repositories.json`, as `owner+name/repo`.
 * What was read of a repository is kept in `--work`; `--read` only reads those parts.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { definitionUnits, gitHistory, openTreeIndex, readTraits } from '../src/bench.ts';
import { changesAfter, checkOut } from './ranking/commits.ts';
import { type Group, interval, learnWeights, scoreOf } from './ranking/fit.ts';

const { values } = parseArgs({
  options: {
    repos: { type: 'string' },
    work: { type: 'string' },
    count: { type: 'string', default: '30' },
    back: { type: 'string', default: '900' },
    read: { type: 'string' },
  },
});
const { repos, work } = values;
if (repos === undefined || work === undefined || !existsSync(repos)) {
  console.log('skipped: give --repos and --work');
  process.exit(0);
}
const parts = JSON.parse(
  readFileSync(join(import.meta.dirname, 'ranking/repositories.json'), 'utf8'),
) as Record<'learn' | 'held' | 'last', string[]>;
/** As many files as a search reads, and of these the changed ones for their passages. */
const filesRead = 30;
/** Lines. */
const maxLength = 6_000;

interface Passages {
  /** Where the index alone found the file. */
  readonly found: readonly [start: number, end: number];
  readonly spans: readonly (readonly [start: number, end: number])[];
  readonly changed: readonly number[];
  readonly rows: readonly (readonly number[])[];
}
interface Read {
  readonly traits: readonly string[];
  readonly passages: readonly Passages[];
}

const round = (value: number): number => Math.round(value * 1e4) / 1e4;

async function readOne(repository: string): Promise<Read> {
  const name = repository.replace('/', '+');
  const kept = join(work!, `${name}.json`);
  if (existsSync(kept)) return JSON.parse(readFileSync(kept, 'utf8')) as Read;
  mkdirSync(join(work!, 'trees'), { recursive: true });
  const [directory, root] = [join(repos!, name, 'repo'), join(work!, 'trees', name)];
  const snapshot = checkOut(directory, Number(values.back), root);
  const index = openTreeIndex({
    root,
    directory: join(work!, 'index', name),
    history: gitHistory({ root }),
    units: null,
  });
  await index.refresh();
  const texts = new Map<string, readonly string[]>();
  const linesOf = (path: string): readonly string[] => {
    if (!texts.has(path)) texts.set(path, readFileSync(join(root, path), 'utf8').split('\n'));
    return texts.get(path)!;
  };
  let names: string[] = [];
  const read: Passages[] = [];
  for (const { message, lines } of changesAfter(directory, snapshot, root, Number(values.count))) {
    const { hits } = await index.search({ query: message, k: 200 });
    const firsts = hits.filter(({ path }, n) => hits.findIndex((hit) => hit.path === path) === n);
    const near = firsts.filter(({ path }, n) => n < filesRead || lines.has(path));
    for (const { path, passages } of readTraits(message, near, { linesOf, units: definitionUnits })) {
      const changed = [...(lines.get(path) ?? [])];
      const found = firsts.find((hit) => hit.path === path)!;
      if (changed.length === 0 || linesOf(path).length > maxLength) continue;
      const all = passages();
      names = Object.keys(all[0]?.traits ?? {});
      read.push({
        found: [found.start, found.end],
        spans: all.map(({ span }) => [span.start, span.end] as const),
        changed,
        rows: all.map((one) => Object.values(one.traits).map(round)),
      });
    }
  }
  index.close();
  const result = { traits: names, passages: read };
  writeFileSync(kept, JSON.stringify(result));
  console.error(`${repository}: ${read.length} files`);
  return result;
}

type Part = 'learn' | 'held' | 'last';
const readPart = async (part: Part): Promise<Read> => {
  const all: Read[] = [];
  for (const repository of parts[part]) all.push(await readOne(repository));
  return { traits: all.at(-1)?.traits ?? [], passages: all.flatMap(({ passages }) => passages) };
};

if (values.read !== undefined) {
  for (const part of values.read.split(',') as Part[]) await readPart(part);
  process.exit(0);
}

const [learn, held] = [await readPart('learn'), await readPart('held')];
const shown = (values: readonly number[]): string => {
  const { mean, low, high } = interval(values);
  const text = (value: number) => `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(3).replace(/^0/, '')}`;
  return `${text(mean)} (${text(low)} to ${text(high)})`;
};
const mean = (list: readonly number[]) => list.reduce((sum, value) => sum + value, 0) / list.length;

const told = (weights: readonly number[], names: readonly string[]) =>
  JSON.stringify(
    Object.fromEntries(
      names.flatMap((name, n) => (weights[n] === 0 ? [] : [[name, Number(weights[n]!.toFixed(2))]])),
    ),
  );

const touches = ({ changed }: Passages, start: number, end: number) =>
  changed.some((line) => line >= start && line <= end);
const passageGroups = (list: readonly Passages[]): Group[] =>
  list.map((one) => ({ rows: one.rows, wanted: one.spans.map(([start, end]) => touches(one, start, end)) }));
function packed(one: Passages, weights: readonly number[], lines: number): boolean {
  const order = one.rows
    .map((row, n) => ({ n, score: scoreOf(row, weights) }))
    .sort((a, b) => b.score - a.score);
  const chosen: (readonly [number, number])[] = [];
  let left = lines;
  for (const { n } of order) {
    const [start, end] = one.spans[n]!;
    if (left < 4) break;
    if (end - start + 1 > left || chosen.some(([a, b]) => start <= b && a <= end)) continue;
    left -= end - start + 1;
    chosen.push([start, end]);
  }
  return chosen.some(([start, end]) => touches(one, start, end));
}
function widened(one: Passages, lines: number): boolean {
  const [start, end] = one.found;
  const from = Math.max(1, Math.round((start + end) / 2 - lines / 2));
  return end - start + 1 >= lines ? touches(one, start, end) : touches(one, from, from + lines - 1);
}
const [known, unseen] = [learn.passages, held.passages];
console.log(`passages: ${known.length} files learned on, ${unseen.length} held; within 40 and 60 lines\n`);
console.log('| traits | 40, window | 40 | gain | 60, window | 60 | gain |\n|---|---|---|---|---|---|---|');
function tellPassages(name: string, kept: readonly number[]): number[] {
  const weights = learnWeights(passageGroups(known), kept);
  const cells = [40, 60].flatMap((lines) => {
    const [was, is] = [
      unseen.map((one) => (widened(one, lines) ? 1 : 0)),
      unseen.map((one) => (packed(one, weights, lines) ? 1 : 0)),
    ];
    return [mean(was).toFixed(3), mean(is).toFixed(3), shown(is.map((value, n) => value - was[n]!))];
  });
  console.log(`| ${name} | ${cells.join(' | ')} |`);
  return weights;
}
const places = learn.traits.map((_, n) => n);
const best = tellPassages('all', places);
for (const n of places)
  tellPassages(
    `all but ${learn.traits[n]}`,
    places.filter((one) => one !== n),
  );
console.log(`\n${told(best, learn.traits)}`);
