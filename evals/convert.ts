/**
 * Sets for `sonde eval run` out of public formats, printed as JSON lines. What their files hold stays where it is; where a
 * format keeps its material in one file, it is written out below `--material`.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const usage = `node evals/convert.ts FORMAT INPUT [--repositories DIR] [--material DIR] > set.jsonl

  swe-bench    JSON lines {instance_id, repo, base_commit, problem_statement, patch}, or {id, repo, base_commit, query,
               gold_files, gold_hunks}; DIR holds a git directory for each owner/name: owner+name/repo, owner+name, name
  code-qa      JSON lines {id, repo, commit, question, gold_files}; DIR as above
  beir         a folder with corpus.jsonl {_id, title, text}, queries.jsonl {_id, text} and qrels/test.tsv, or with the same
               as NAME-docs.jsonl {id, text}, NAME-queries.jsonl {id, query}, NAME-qrels.tsv; needs --material
  aggregation  JSON lines {id, context_file, question, answer}: counts over a log that lies beside them
  incidents    a folder of frozen incidents, each with data/ and truth.json {root_cause_commit}
  opensre      a folder of JSON files, each with the files of a case and its answer.yml; needs --material`;

type Row = Readonly<Record<string, unknown>>;
interface Places {
  readonly repositories?: string | undefined;
  readonly material?: string | undefined;
}

const text = (value: unknown): string => String(value ?? '');

const linesOf = (path: string): Row[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Row);

function need(value: string | undefined, flag: string): string {
  if (value === undefined) throw new Error(`This format needs ${flag} DIR.`);
  return resolve(value);
}

/** Throws where the repository is not there: a set that asks of nothing is no use. */
function gitOf(name: string, repositories: string | undefined): string {
  const folder = need(repositories, '--repositories');
  const flat = name.replace('/', '+');
  const places = [join(flat, 'repo'), flat, name, basename(name)].map((place) => join(folder, place));
  const found = places.find((place) => existsSync(place));
  if (found === undefined) throw new Error(`${name} is not below ${folder}.`);
  return found;
}

/** The lines of the old files that a patch takes away or adds something at. */
function changedBy(patch: string): { readonly path: string; readonly start: number; readonly end: number }[] {
  let path = '';
  return patch.split('\n').flatMap((line) => {
    const file = /^--- a\/(.+)$/.exec(line);
    if (file !== null) path = file[1] ?? '';
    const hunk = /^@@ -(\d+)(?:,(\d+))? /.exec(line);
    if (hunk === null || path === '') return [];
    const start = Math.max(1, Number(hunk[1]));
    return [{ path, start, end: start + Math.max(1, Number(hunk[2] ?? 1)) - 1 }];
  });
}

function* sweBench(input: string, { repositories }: Places): Generator<Row> {
  for (const row of linesOf(input)) {
    const hunks = row['gold_hunks'] as { file: string; start: number; end: number }[] | undefined;
    const lines =
      hunks?.map(({ file, start, end }) => ({ path: file, start, end })) ?? changedBy(text(row['patch']));
    if (lines.length === 0) continue;
    yield {
      id: text(row['instance_id'] ?? row['id']),
      shape: 'research',
      repo: gitOf(text(row['repo']), repositories),
      commit: row['base_commit'],
      question: text(row['problem_statement'] ?? row['query']),
      gold: { files: [...new Set(lines.map(({ path }) => path))], lines },
    };
  }
}

function* codeQa(input: string, { repositories }: Places): Generator<Row> {
  for (const { id, repo, commit, question, gold_files: files } of linesOf(input))
    yield { id, shape: 'research', repo: gitOf(text(repo), repositories), commit, question, gold: { files } };
}

function* beir(input: string, { material }: Places): Generator<Row> {
  const folder = need(material, '--material');
  const all = readdirSync(input);
  // Of several collections in one folder the first that is whole: documents, queries and judgements go by one name.
  const whole = all
    .flatMap((each) => /^(.+)-docs\.jsonl$/.exec(each)?.[1] ?? [])
    .find((name) => all.includes(`${name}-queries.jsonl`) && all.includes(`${name}-qrels.tsv`));
  const names =
    whole === undefined || all.includes('corpus.jsonl')
      ? all
      : all.filter((each) => each.startsWith(`${whole}-`));
  const find = (...wanted: readonly RegExp[]): string => {
    const name = names.find((each) => wanted.some((pattern) => pattern.test(each)));
    if (name === undefined) throw new Error(`${input} has no ${wanted.join(' or ')}.`);
    return join(input, name);
  };
  const qrels = names.includes('qrels') ? join(input, 'qrels', 'test.tsv') : find(/-qrels\.tsv$/);
  mkdirSync(folder, { recursive: true });
  for (const { _id, id = _id, title = '', text: body } of linesOf(find(/^corpus\.jsonl$/, /-docs\.jsonl$/)))
    writeFileSync(
      join(folder, `${text(id)}.txt`),
      `${[text(title), text(body)].filter(Boolean).join('\n\n')}\n`,
    );
  const gold = new Map<string, string[]>();
  for (const line of readFileSync(qrels, 'utf8').split('\n')) {
    const [query = '', doc = '', score = ''] = line.split('\t');
    if (Number(score) > 0) gold.set(query, [...(gold.get(query) ?? []), `${doc}.txt`]);
  }
  for (const row of linesOf(find(/^queries\.jsonl$/, /-queries\.jsonl$/))) {
    const id = text(row['_id'] ?? row['id']);
    const files = gold.get(id);
    if (files === undefined) continue;
    yield {
      id,
      shape: 'research',
      root: folder,
      question: text(row['text'] ?? row['query']),
      gold: { files },
    };
  }
}

/** Questions about material that is not there. */
let leftOut = 0;

function* aggregation(input: string): Generator<Row> {
  for (const { id, context_file: file, question, answer } of linesOf(input)) {
    // As `loghub:Zookeeper/Zookeeper_2k.log`.
    const name = text(file).split(/[:/]/).at(-1) ?? '';
    if (!existsSync(join(dirname(input), name))) {
      leftOut += 1;
      continue;
    }
    yield {
      id,
      shape: 'investigation',
      root: resolve(dirname(input)),
      scope: name,
      question: `${text(question)} The log is ${name}.`,
      gold: { answer },
    };
  }
}

function* incidents(input: string): Generator<Row> {
  for (const name of readdirSync(input).toSorted()) {
    const truth = join(input, name, 'truth.json');
    if (!existsSync(truth)) continue;
    const { root_cause_commit: commit, verdict } = JSON.parse(readFileSync(truth, 'utf8')) as Row;
    yield {
      id: name,
      shape: 'incident',
      root: resolve(input, name),
      gold: { verdict: text(commit ?? verdict) },
    };
  }
}

const answers = new Set(['answer.yml', 'scenario.yml', 'QA_VALIDATION.md']);

function* opensre(input: string, { material }: Places): Generator<Row> {
  const folder = need(material, '--material');
  for (const [index, name] of readdirSync(input).toSorted().entries()) {
    if (!name.endsWith('.json')) continue;
    const files = JSON.parse(readFileSync(join(input, name), 'utf8')) as Readonly<Record<string, string>>;
    // Names of cases tell what went wrong.
    const root = join(folder, `case-${index + 1}`);
    mkdirSync(root, { recursive: true });
    for (const [file, content] of Object.entries(files))
      if (!answers.has(file)) writeFileSync(join(root, basename(file)), content);
    const category = /^root_cause_category:\s*(\S+)/m.exec(files['answer.yml'] ?? '')?.[1];
    yield { id: basename(name, '.json'), shape: 'incident', root, gold: { verdict: category } };
  }
}

const formats: Readonly<Record<string, (input: string, places: Places) => Iterable<Row>>> = {
  'swe-bench': sweBench,
  'code-qa': codeQa,
  beir,
  aggregation,
  incidents,
  opensre,
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { repositories: { type: 'string' }, material: { type: 'string' }, help: { type: 'boolean' } },
});
const [format = '', input] = positionals;
const convert = formats[format];
if (values.help === true) console.log(usage);
else if (convert === undefined || input === undefined) fail(usage);
else
  try {
    let rows = 0;
    for (const row of convert(input, values)) {
      console.log(JSON.stringify(row));
      rows += 1;
    }
    if (leftOut > 0) console.error(`left out: ${leftOut} whose log does not lie beside ${input}`);
    if (rows === 0) fail(`${input} gave no question.`);
  } catch (thrown) {
    fail(thrown instanceof Error ? thrown.message : String(thrown));
  }

function fail(message: string): void {
  console.error(message);
  process.exitCode = 2;
}
