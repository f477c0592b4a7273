/**
 * Quality of search on questions with known answers, beside plain BM25 and a fair one on the same rows in the same run.
 *
 * `node bench/retrieval.ts --data DIR [--repos DIR] [--work DIR] [--sets LIST]`
 * DIR holds `retrieval/`, `code-qa/`, `localisation/`, `commits/`; what is absent is named and left out. `--repos`
 * holds a git directory for each repository, as `owner+name/repo`, `owner+name` or `name`. `--sets`: names of
 * sets with commas, of `vaswani,cosqa,code-qa,localisation,commits` or of a repository of the commits.
 * `--work` keeps checkouts and indexes for the next run.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  defaultSettings,
  gitHistory,
  openTreeIndex,
  type RankingWeights,
  rankingWeights,
} from '../src/bench.ts';
import { fairBm25, plainBm25 } from './retrieval-floor.ts';
import { decimals, interval, type Measured, mean, measure, signed } from './retrieval-measures.ts';
import { loadSets, type Tree } from './retrieval-sets.ts';

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    repos: { type: 'string' },
    work: { type: 'string' },
    sets: { type: 'string', default: 'vaswani,cosqa,code-qa,localisation,commits' },
  },
});
if (values.data === undefined || !existsSync(values.data)) {
  console.log('skipped: give a folder of data with --data');
  process.exit(0);
}
const work =
  values.work === undefined ? mkdtempSync(join(tmpdir(), 'sonde-retrieval-')) : resolve(values.work);
const wanted = new Set(values.sets.split(','));

/** A way to rank: how the index is built and what is turned on. */
interface Way {
  readonly name: string;
  readonly fields?: Partial<typeof defaultSettings.fields>;
  readonly weights: RankingWeights;
  readonly wide?: boolean;
}

const ours: Way = { name: 'Sonde', weights: rankingWeights };

function without(...names: (keyof RankingWeights)[]): RankingWeights {
  const off: { -readonly [K in keyof RankingWeights]?: RankingWeights[K] } = {};
  for (const name of names) {
    if (name === 'kinds') {
      const same = { code: 1, test: 1, docs: 1, example: 1, generated: 1, config: 1 };
      off.kinds = { question: same, report: same, keywords: same };
    } else if (name === 'feedback') off.feedback = { ...rankingWeights.feedback, weight: 0 };
    // So many words no title outweighs.
    else if (name === 'titleWords') off.titleWords = Number.MAX_SAFE_INTEGER;
    else if (name === 'code') off.code = 1;
    else off[name] = 0;
  }
  return { ...rankingWeights, ...off };
}

/** By question: what is measured of the ranked list. */
async function measureWay(tree: Tree, way: Way): Promise<Measured[]> {
  const fields = { ...defaultSettings.fields, ...way.fields };
  const directory = join(work, 'indexes', `${tree.name}-${Object.values(fields).join('-')}`);
  const index = openTreeIndex({
    root: tree.root,
    directory,
    settings: { ...defaultSettings, fields },
    history: gitHistory({ root: tree.root }),
    weights: way.weights,
  });
  try {
    await index.refresh();
    const found: Measured[] = [];
    for (const { text, gold } of tree.questions) {
      const { hits } = await index.search({
        query: text,
        ...(way.wide === true ? { wide: true } : { k: 200 }),
      });
      found.push(measure([...new Set(hits.map(({ path }) => path))], gold));
    }
    return found;
  } finally {
    index.close();
  }
}

function measureFloor(tree: Tree, withPath: boolean): Measured[] {
  const floor = plainBm25(tree.root, pathsOf(tree.root), withPath);
  return tree.questions.map(({ text, gold }) => measure(floor(text), gold));
}

function measureFairFloor(tree: Tree): Measured[] {
  const floor = fairBm25(tree.root, pathsOf(tree.root));
  return tree.questions.map(({ text, gold }) => measure(floor(text), gold));
}

/** The files of a checkout that are in git, links left out; else all there are. */
function pathsOf(root: string): string[] {
  const git = existsSync(join(root, '.git'));
  const list = git
    ? execFileSync('git', ['-C', root, 'ls-files', '-s', '-z'], { maxBuffer: 1 << 28 })
    : execFileSync('find', [root, '-type', 'f', '-printf', '100644 0 0\t%P\\0'], { maxBuffer: 1 << 28 });
  return list
    .toString('utf8')
    .split('\0')
    .filter((entry) => entry.startsWith('100'))
    .map((entry) => entry.slice(entry.indexOf('\t') + 1));
}

const average = (rows: readonly Measured[], key: keyof Measured): number => mean(rows.map((row) => row[key]));
const times = (ratio: number): string => `x${ratio.toFixed(2)}`;

async function compare(set: string, trees: readonly Tree[]): Promise<void> {
  const floor = trees.flatMap((tree) => measureFloor(tree, false));
  const fair = trees.flatMap(measureFairFloor);
  const rows: Measured[] = [];
  const wide: Measured[] = [];
  for (const tree of trees) {
    rows.push(...(await measureWay(tree, ours)));
    wide.push(...(await measureWay(tree, { ...ours, wide: true })));
  }
  const difference = rows.map((row, at) => row.r10 - floor[at]!.r10);
  const [low, high] = interval(difference);
  console.log(
    `| ${set} | ${rows.length} | ${decimals(average(floor, 'r10'))} | ${decimals(average(rows, 'r10'))} | ` +
      `${times(average(rows, 'r10') / average(floor, 'r10'))} | ${signed(low)} to ${signed(high)} | ` +
      `${decimals(average(floor, 'r200'))} | ${decimals(average(rows, 'r200'))} | ${decimals(average(wide, 'r200'))} | ` +
      `${decimals(average(floor, 'ndcg'))} | ${decimals(average(rows, 'ndcg'))} | ` +
      `${decimals(average(fair, 'r10'))} | ${decimals(average(fair, 'r200'))} | ${decimals(average(fair, 'ndcg'))} |`,
  );
}

/** What each set loses when one feature is turned off. */
const parts: readonly (readonly [string, readonly (keyof RankingWeights)[]])[] = [
  ['forms of words', ['inflection']],
  ['abbreviations and synonyms', ['abbreviation', 'synonym']],
  ['first line of a report', ['titleWords']],
  ['identifiers and quoted words', ['code']],
  ['files named in the query', ['mention']],
  ['kinds of files', ['kinds']],
  ['other chunks of the file', ['support']],
  ['git history', ['history']],
  ['vectors of the corpus, and feedback', ['latent']],
  ['feedback alone', ['feedback']],
];

async function takeAway(sets: ReadonlyMap<string, readonly Tree[]>): Promise<void> {
  console.log('\n## What is lost when one feature is turned off: recall@10, nDCG@10\n');
  console.log(`| | ${[...sets.keys()].join(' | ')} |\n|---|${'---|'.repeat(sets.size)}`);
  const all = new Map<string, Measured[]>();
  for (const [name, off] of [['all', []] as const, ...parts]) {
    const cells: string[] = [];
    for (const [set, trees] of sets) {
      const rows: Measured[] = [];
      for (const tree of trees) rows.push(...(await measureWay(tree, { name, weights: without(...off) })));
      const before = all.get(set);
      if (before === undefined) all.set(set, rows);
      const shown = (key: 'r10' | 'ndcg'): string =>
        before === undefined
          ? decimals(average(rows, key))
          : signed(average(rows, key) - average(before, key));
      cells.push(`${shown('r10')}, ${shown('ndcg')}`);
    }
    console.log(`| ${name} | ${cells.join(' | ')} |`);
  }
}

const nothing = without(
  ...([
    'inflection',
    'abbreviation',
    'synonym',
    'titleWords',
    'code',
    'mention',
    'kinds',
    'support',
  ] as const),
  ...(['history', 'latent', 'feedback'] as const),
);
const withKinds = { ...nothing, support: rankingWeights.support, kinds: rankingWeights.kinds };
const withHistory = { ...withKinds, history: rankingWeights.history };
const withForms = {
  ...withHistory,
  inflection: rankingWeights.inflection,
  abbreviation: rankingWeights.abbreviation,
  synonym: rankingWeights.synonym,
};

/** Each adds to the one before. The first two are the reference's. */
const ladder: readonly Way[] = [
  {
    name: 'code-aware tokens, stop words left out',
    fields: { path: 1, definition: 0, heading: 0 },
    weights: nothing,
  },
  { name: '+ path weight 5, definitions weight 4', weights: nothing },
  { name: "+ 0.3 x the file's other chunks", weights: { ...nothing, support: rankingWeights.support } },
  { name: '+ prior by kind of file', weights: withKinds },
  { name: '+ git history', weights: withHistory },
  { name: '+ forms of words, abbreviations, synonyms', weights: withForms },
  { name: '+ first line, identifiers, files named: all', weights: rankingWeights },
];

async function climb(sets: ReadonlyMap<string, readonly Tree[]>): Promise<void> {
  const names = [...sets.keys()];
  console.log('\n## Commits: nDCG@10 (recall@10), gain in nDCG@10 on the row above with its 95 % interval\n');
  console.log(
    `| | ${names.join(' | ')} | gain, all queries | R@1 | R@200 |\n|---|${'---|'.repeat(names.length + 3)}`,
  );
  const rungs: { name: string; rows: Measured[][] }[] = [];
  for (const [name, withPath] of [
    ['plain BM25, best chunk of a file', false],
    ['+ path as text', true],
  ] as const) {
    const rows = names.map((set) => sets.get(set)!.flatMap((tree) => measureFloor(tree, withPath)));
    print(rungs, { name, rows });
  }
  const fair = names.map((set) => sets.get(set)!.flatMap(measureFairFloor));
  print([], { name: 'fair floor: whole source files, names split, stems, path', rows: fair });
  for (const way of ladder) {
    const rows: Measured[][] = [];
    for (const set of names) {
      const ofSet: Measured[] = [];
      for (const tree of sets.get(set)!) ofSet.push(...(await measureWay(tree, way)));
      rows.push(ofSet);
    }
    print(rungs, { name: way.name, rows });
  }
  const [first, last] = [rungs[0]!.rows.flat(), rungs.at(-1)!.rows.flat()];
  const ratio = (key: 'r1' | 'ndcg', floor = first): string =>
    times(average(last, key) / average(floor, key));
  console.log(
    `\nAll features against plain BM25: R@1 ${ratio('r1')}, nDCG@10 ${ratio('ndcg')}; ` +
      `against the fair floor: R@1 ${ratio('r1', fair.flat())}, nDCG@10 ${ratio('ndcg', fair.flat())}.`,
  );
}

function print(
  rungs: { name: string; rows: Measured[][] }[],
  rung: { name: string; rows: Measured[][] },
): void {
  const above = rungs.at(-1)?.rows.flat();
  rungs.push(rung);
  const all = rung.rows.flat();
  const gains = above === undefined ? [] : all.map((row, at) => row.ndcg - above[at]!.ndcg);
  const [low, high] = gains.length === 0 ? [0, 0] : interval(gains);
  const gain = gains.length === 0 ? '' : `${signed(mean(gains))} (${signed(low)} to ${signed(high)})`;
  const cells = rung.rows.map(
    (rows) => `${decimals(average(rows, 'ndcg'))} (${decimals(average(rows, 'r10'))})`,
  );
  console.log(
    `| ${rung.name} | ${cells.join(' | ')} | ${gain} | ${decimals(average(all, 'r1'))} | ${decimals(average(all, 'r200'))} |`,
  );
}

try {
  const { trees, absent } = loadSets(
    { data: resolve(values.data), repositories: values.repos && resolve(values.repos), work },
    (set) => wanted.has(set),
  );
  for (const what of absent) console.log(`absent, left out: ${what}`);
  const commits = new Map<string, Tree[]>();
  const others = new Map<string, Tree[]>();
  for (const tree of trees) {
    const group = ['vaswani', 'cosqa', 'code-qa', 'localisation'].includes(tree.set) ? others : commits;
    group.set(tree.set, [...(group.get(tree.set) ?? []), tree]);
  }
  if (others.size > 0) {
    console.log('## Beside plain BM25 (k1 1.2, b 0.75), the same rows\n');
    console.log(
      '| | queries | recall@10 plain | Sonde | ratio | 95 % of the gain | recall@200 plain | Sonde | wide | nDCG@10 plain | Sonde | recall@10 fair | recall@200 fair | nDCG@10 fair |',
    );
    console.log(`|---|${'---|'.repeat(13)}`);
    for (const [set, group] of others) await compare(set, group);
    await takeAway(others);
  }
  if (commits.size > 0) await climb(commits);
} finally {
  if (values.work === undefined) rmSync(work, { recursive: true, force: true });
}
