/**
 * Answers without a model: do they quote the lines that answer? Right is half of the gold lines of one file; beside it
 * whether any gold line is quoted, and how many lines are.
 *
 * `node bench/quoted-lines.ts SET REPOSITORIES WORK [--answers FILE] [--only ID] [--orders FILE] [--pages DIR]`
 * SET is a set of `evals/` with lines; REPOSITORIES holds a git directory for each repository, as `owner+name/repo` or
 * `name`; their trees are made in WORK, and kept.
 *
 * `--orders`: with the setting `rerank`, and in place of the model a reader whose replies are in FILE, a line of
 * `{"id": ID, "best": [NUMBER, ...]}` for each question; a question without a line gets no reply. `--pages`: writes what
 * the reader sees of each question to DIR, so that somebody can play it who sees nothing else.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { ask, scriptedModel } from '../src/index.ts';

interface Span {
  readonly path: string;
  readonly start: number;
  readonly end: number;
}
interface Row {
  readonly id: string;
  readonly repo: string;
  readonly commit: string;
  readonly question: string;
  readonly gold: { readonly lines: readonly Span[] };
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    answers: { type: 'string' },
    only: { type: 'string' },
    orders: { type: 'string' },
    pages: { type: 'string' },
  },
});
const [set, repositories, work] = positionals;
if (set === undefined || repositories === undefined || work === undefined || !existsSync(repositories)) {
  console.log('skipped: give a set, a folder of repositories and one to work in');
  process.exit(0);
}

function treeOf({ repo, commit }: Row): string {
  const name = basename(repo);
  const tree = join(work!, `${name}-${commit.slice(0, 12)}`);
  if (existsSync(tree)) return tree;
  const [from] = [...globSync(join(repositories!, `*+${name}`, 'repo')), join(repositories!, name)];
  mkdirSync(work!, { recursive: true });
  execFileSync('git', ['clone', '--quiet', '--no-checkout', from!, tree]);
  execFileSync('git', ['-C', tree, 'checkout', '--quiet', commit]);
  return tree;
}

const linesOf = (spans: readonly Span[]): ReadonlySet<string> =>
  new Set(
    spans.flatMap(({ path, start, end }) =>
      Array.from({ length: end - start + 1 }, (_, n) => `${path}:${start + n}`),
    ),
  );

/** Each item of an answer names the lines that it quotes from, and shows them, with a mark where it leaves some out. */
function quotedIn(answer: string, tree: string): ReadonlySet<string> {
  const quoted = new Set<string>();
  for (const item of answer.split(/^(?=- )/m)) {
    const [, path, start, end] = /^- (.+?):(\d+)(?:-(\d+))?(?: \[ev-| `)/.exec(item) ?? [];
    if (path === undefined || !existsSync(join(tree, path))) continue;
    const shown = new Set(
      item
        .split('\n')
        .slice(1)
        .map((line) => line.trim()),
    );
    const lines = readFileSync(join(tree, path), 'utf8').split('\n');
    for (let n = Number(start); n <= Number(end ?? start); n += 1)
      if (end === undefined || shown.has(lines[n - 1]?.trim() ?? '')) quoted.add(`${path}:${n}`);
  }
  return quoted;
}

const rowsIn = <T>(file: string): T[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as T);
const orders = values.orders === undefined ? [] : rowsIn<{ id: string; best: number[] }>(values.orders);
if (values.pages !== undefined) mkdirSync(values.pages, { recursive: true });
const isRead = values.orders !== undefined || values.pages !== undefined;

/** The settings of one question, and the reader in place of a model if there is one. */
function optionsOf({ id }: Row): Omit<Parameters<typeof ask>[1], 'root'> {
  if (!isRead) return { settings: { model: 'extractive' } };
  const reader = scriptedModel((request) => {
    const page = request.messages.map(({ text }) => text).join('\n\n');
    if (values.pages !== undefined) writeFileSync(join(values.pages, `${id}.txt`), page);
    read.tokens += page.length / 4;
    const order = orders.find((one) => one.id === id);
    return order === undefined ? { failure: 'bad_request' } : { best: order.best };
  });
  return { settings: { rerank: 'on' }, model: withoutModel, analyst: reader };
}
const read = { tokens: 0 };
/** By this name a run does without a planner. */
const withoutModel = scriptedModel('', 'extractive');

const rows = rowsIn<Row>(set).filter(
  ({ id }) => values.only === undefined || values.only.split(',').includes(id),
);
const answers: string[] = [];
const count = { half: 0, any: 0, lines: 0 };
for (const row of rows) {
  const tree = treeOf(row);
  const { answer, status } = await ask(row.question, {
    root: tree,
    ...optionsOf(row),
  });
  const quoted = quotedIn(answer, tree);
  const gold = Map.groupBy(row.gold.lines, ({ path }) => path);
  const shares = [...gold.values()].map((spans) => {
    const lines = [...linesOf(spans)];
    return lines.filter((line) => quoted.has(line)).length / lines.length;
  });
  const best = Math.max(...shares);
  const verdict = best >= 0.5 ? 'half' : best > 0 ? 'some' : 'none';
  if (best >= 0.5) count.half += 1;
  if (best > 0) count.any += 1;
  count.lines += quoted.size;
  console.log(`${row.id.padEnd(4)} ${verdict} ${best.toFixed(2)} ${quoted.size} lines quoted, ${status}`);
  answers.push(`## ${row.id} ${row.question}\n(${verdict})\n${answer}\n`);
}
console.log(
  `${rows.length} questions: half of the gold lines of a file quoted ${count.half}, any ${count.any}, ` +
    `${(count.lines / Math.max(1, rows.length)).toFixed(0)} lines quoted on average`,
);
if (isRead) console.log(`the reader saw some ${(read.tokens / rows.length).toFixed(0)} tokens a question`);
if (values.answers !== undefined) writeFileSync(values.answers, answers.join('\n'));
