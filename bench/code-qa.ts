/**
 * Questions about code bases, answered without a model: does the answer cite a file that the reference answer
 * names? Beside it, in the same run, the first files of a plain BM25 (k1 1.2, b 0.75, words as they stand,
 * chunks of 40 lines, best chunk of a file).
 *
 * `node bench/code-qa.ts DATA REPOSITORIES [--show ID]`
 * DATA holds `code-qa/*.jsonl`: {id, repo, commit, question, gold_files}. REPOSITORIES holds a git directory for
 * each `owner/name`, as `owner+name/repo` or `name`. The trees are read from git at the commit of the row.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { ask } from '../src/index.ts';
import { type Floor, fairBm25, plainBm25 } from './retrieval-floor.ts';

interface Row {
  readonly id: string;
  readonly repo: string;
  readonly commit: string;
  readonly question: string;
  readonly gold_files: readonly string[];
}

const { positionals, values } = parseArgs({ allowPositionals: true, options: { show: { type: 'string' } } });
const [data, repositories] = positionals;
if (data === undefined || repositories === undefined || !existsSync(join(data, 'code-qa'))) {
  console.log('skipped: give a folder with code-qa/*.jsonl and a folder of repositories');
  process.exit(0);
}

const rows = globSync(join(data, 'code-qa', '*.jsonl')).flatMap((path) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Row),
);

const work = mkdtempSync(join(tmpdir(), 'sonde-code-qa-'));
process.env['SONDE_HOME'] = join(work, 'home');

function gitOf(repo: string): string | null {
  const [owner = '', name = ''] = repo.split('/');
  const places = [join(`${owner}+${name}`, 'repo'), `${owner}+${name}`, name];
  return places.map((place) => join(repositories ?? '', place)).find((path) => existsSync(path)) ?? null;
}

/** The tree of a row, as git has it. */
const trees = new Map<string, string | null>();
function treeOf({ repo, commit }: Row): string | null {
  const key = `${repo}@${commit}`;
  const known = trees.get(key);
  if (known !== undefined) return known;
  const git = gitOf(repo);
  const tree = join(work, key.replaceAll('/', '+'));
  if (git !== null) {
    mkdirSync(tree);
    const archive = execFileSync('git', ['-C', git, 'archive', commit], { maxBuffer: 1 << 30 });
    execFileSync('tar', ['-x', '-C', tree], { input: archive });
  }
  trees.set(key, git === null ? null : tree);
  return git === null ? null : tree;
}

const filesOf = (root: string): string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));

interface Score {
  questions: number;
  cited: number;
  firstFive: number;
  plain: number;
  citedRecall: number;
  plainRecall: number;
  fair: number;
  fairRecall: number;
  files: number;
  valid: number;
  citations: number;
  bytes: number;
}
const fresh = (): Score => ({
  questions: 0,
  cited: 0,
  firstFive: 0,
  plain: 0,
  citedRecall: 0,
  plainRecall: 0,
  fair: 0,
  fairRecall: 0,
  files: 0,
  valid: 0,
  citations: 0,
  bytes: 0,
});

const scores = new Map<string, Score>();
const floors = new Map<string, { readonly plain: Floor; readonly fair: Floor }>();
const milliseconds: number[] = [];
let absent = 0;
try {
  for (const row of rows) {
    const root = treeOf(row);
    if (root === null) {
      absent += 1;
      continue;
    }
    const paths = filesOf(root);
    const floor = floors.get(root) ?? { plain: plainBm25(root, paths), fair: fairBm25(root, paths) };
    floors.set(root, floor);
    const result = await ask(row.question, {
      root,
      settings: { model: 'extractive', store_artifacts: false },
    });
    if (values.show === row.id) console.log(`${row.question}\n\n${result.answer}\n`);
    const gold = new Set(row.gold_files);
    // In the order in which the answer names them.
    const cited = [...new Set(result.citations.map(({ path }) => path))];
    const plain = floor.plain(row.question).slice(0, 5);
    const fair = floor.fair(row.question).slice(0, 5);
    const share = (paths: readonly string[]) => paths.filter((path) => gold.has(path)).length / gold.size;
    const hits = (paths: readonly string[]) => Number(paths.some((path) => gold.has(path)));
    for (const name of [row.repo, 'all']) {
      const score = scores.get(name) ?? fresh();
      scores.set(name, score);
      score.questions += 1;
      score.cited += hits(cited);
      score.firstFive += hits(cited.slice(0, 5));
      score.plain += hits(plain);
      score.fair += hits(fair);
      score.citedRecall += share(cited);
      score.plainRecall += share(plain);
      score.fairRecall += share(fair);
      score.files += cited.length;
      score.valid += result.citations.filter(({ status }) => status === 'valid').length;
      score.citations += result.citations.length;
      score.bytes = Math.max(score.bytes, Buffer.byteLength(result.answer));
    }
    milliseconds.push(result.spent.wall_ms);
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}

const percent = (part: number, whole: number) => (whole === 0 ? '-' : ((100 * part) / whole).toFixed(1));
console.log(
  '| questions about | n | cites a gold file, % | in its first five files, % | plain BM25, first five files, % | fair floor, first five files, % | recall of gold files, % | plain BM25, % | fair floor, % | files cited | largest answer, bytes |\n|---|---|---|---|---|---|---|---|---|---|---|',
);
for (const [name, score] of scores) {
  const { questions: n } = score;
  console.log(
    `| ${name} | ${n} | ${percent(score.cited, n)} | ${percent(score.firstFive, n)} | ${percent(score.plain, n)} | ${percent(score.fair, n)} | ${percent(score.citedRecall, n)} | ${percent(score.plainRecall, n)} | ${percent(score.fairRecall, n)} | ${(score.files / Math.max(1, n)).toFixed(1)} | ${score.bytes} |`,
  );
}
const all = scores.get('all') ?? fresh();
const sorted = milliseconds.sort((a, b) => a - b);
console.log(
  `\n${all.valid} of ${all.citations} citations valid; median run ${sorted[sorted.length >> 1] ?? 0} ms; ${absent} rows without their repository.`,
);
if (all.questions > 0 && all.cited < all.plain) {
  console.log('The answers cite a gold file less often than plain BM25 finds one in its first five.');
  process.exitCode = 1;
}
