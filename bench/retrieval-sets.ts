import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The sets of questions with known answers, each brought into folders as a user would have them. */

export interface Question {
  readonly text: string;
  readonly gold: ReadonlySet<string>;
}

/** A folder with the questions about it. */
export interface Tree {
  readonly set: string;
  readonly name: string;
  readonly root: string;
  readonly questions: readonly Question[];
}

export interface Sets {
  readonly trees: readonly Tree[];
  /** What is not here, for the reader of the tables. */
  readonly absent: readonly string[];
}

interface Row {
  readonly repo: string;
  readonly commit: string;
  readonly question: Question;
}

const jsonLines = <T>(path: string): T[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as T);

export interface Places {
  readonly data: string;
  /** Git directories by `owner+name/repo`, `owner+name` or `name`. */
  readonly repositories: string | undefined;
  readonly work: string;
}

export function loadSets(places: Places, wanted: (set: string) => boolean): Sets {
  const trees: Tree[] = [];
  const absent: string[] = [];
  const collection = (set: string, path: string, load: () => Tree): void => {
    if (!wanted(set)) return;
    if (existsSync(join(places.data, path))) trees.push(load());
    else absent.push(`${set}: ${path}`);
  };
  collection('vaswani', 'retrieval/vaswani-docs.jsonl', () => vaswani(places));
  collection('cosqa', 'retrieval/cosqa-codes.jsonl', () => cosqa(places));
  for (const { set, folder, read } of repositorySets) {
    const directory = join(places.data, folder);
    if (!existsSync(directory)) {
      if (wanted(set)) absent.push(`${set}: ${folder}`);
      continue;
    }
    for (const file of readdirSync(directory).sort()) {
      const name = set === 'commits' ? file.replace(/\.jsonl$/, '') : set;
      if (!file.endsWith('.jsonl') || !(wanted(set) || wanted(name))) continue;
      const { found, missing } = checkouts(
        places,
        name,
        jsonLines<Record<string, unknown>>(join(directory, file)).map(read),
      );
      trees.push(...found);
      absent.push(...missing);
    }
  }
  return { trees, absent };
}

const asStrings = (value: unknown): ReadonlySet<string> => new Set(value as string[]);

const repositorySets: readonly {
  readonly set: string;
  readonly folder: string;
  readonly read: (row: Record<string, unknown>) => Row;
}[] = [
  {
    set: 'code-qa',
    folder: 'code-qa',
    read: (row) => ({
      repo: String(row['repo']),
      commit: String(row['commit']),
      question: { text: String(row['question']), gold: asStrings(row['gold_files']) },
    }),
  },
  {
    set: 'localisation',
    folder: 'localisation',
    read: (row) => ({
      repo: String(row['repo']),
      commit: String(row['base_commit']),
      question: { text: String(row['query']), gold: asStrings(row['gold_files']) },
    }),
  },
  {
    set: 'commits',
    folder: 'commits',
    read: (row) => ({
      repo: String(row['repo']),
      commit: String(row['snapshot']),
      question: { text: String(row['query']), gold: asStrings(row['gold']) },
    }),
  },
];

function vaswani({ data, work }: Places): Tree {
  const root = documents(
    join(work, 'vaswani'),
    jsonLines<{ id: string; text: string }>(join(data, 'retrieval/vaswani-docs.jsonl')).map(
      ({ id, text }) => [`${id}.txt`, text],
    ),
  );
  const gold = new Map<string, Set<string>>();
  for (const line of readFileSync(join(data, 'retrieval/vaswani-qrels.tsv'), 'utf8').trim().split('\n')) {
    const [query = '', document = '', relevance] = line.split('\t');
    if (Number(relevance) > 0) gold.set(query, (gold.get(query) ?? new Set()).add(`${document}.txt`));
  }
  const queries = jsonLines<{ id: string; query: string }>(join(data, 'retrieval/vaswani-queries.jsonl'));
  const questions = queries.flatMap(({ id, query }) => {
    const relevant = gold.get(id);
    return relevant === undefined ? [] : [{ text: query, gold: relevant }];
  });
  return { set: 'vaswani', name: 'vaswani', root, questions };
}

function cosqa({ data, work }: Places): Tree {
  const root = documents(
    join(work, 'cosqa'),
    jsonLines<{ id: number; code: string }>(join(data, 'retrieval/cosqa-codes.jsonl')).map(({ id, code }) => [
      `${id}.py`,
      code,
    ]),
  );
  const questions = jsonLines<{ query: string; gold: number }>(
    join(data, 'retrieval/cosqa-dev-queries.jsonl'),
  ).map(({ query, gold }) => ({ text: query, gold: new Set([`${gold}.py`]) }));
  return { set: 'cosqa', name: 'cosqa', root, questions };
}

function documents(root: string, files: readonly (readonly [name: string, text: string])[]): string {
  if (existsSync(root)) return root;
  mkdirSync(root, { recursive: true });
  for (const [name, text] of files) writeFileSync(join(root, name), text);
  return root;
}

/** One checkout for each commit, with its past and nothing after it. */
function checkouts(places: Places, set: string, rows: readonly Row[]): { found: Tree[]; missing: string[] } {
  const missing = new Set<string>();
  const groups = Map.groupBy(rows, ({ repo, commit }) => `${repo}@${commit}`);
  const found = [...groups.values()].flatMap((group) => {
    const { repo, commit } = group[0]!;
    const git = gitDirectory(places, repo);
    if (git === null) {
      missing.add(`${set}: a git directory of ${repo}`);
      return [];
    }
    const name = `${repo.replaceAll('/', '+')}@${commit.slice(0, 10)}`;
    const root = join(places.work, 'checkouts', name);
    if (!existsSync(root)) {
      execFileSync('git', ['clone', '-q', '--no-checkout', git, root], { stdio: 'pipe' });
      execFileSync('git', ['-C', root, 'checkout', '-q', '--detach', commit], { stdio: 'pipe' });
    }
    return [{ set, name, root, questions: group.map(({ question }) => question) }];
  });
  return { found, missing: [...missing] };
}

function gitDirectory({ repositories }: Places, repo: string): string | null {
  if (repositories === undefined || !existsSync(repositories)) return null;
  const name = repo.slice(repo.lastIndexOf('/') + 1);
  const owned = repo.replaceAll('/', '+');
  const guesses = readdirSync(repositories).filter(
    (entry) => entry === owned || entry.endsWith(`+${name}`) || entry === name,
  );
  const places = guesses.flatMap((entry) => [join(repositories, entry, 'repo'), join(repositories, entry)]);
  return places.find((place) => existsSync(join(place, 'HEAD')) || existsSync(join(place, '.git'))) ?? null;
}
