/**
 * Counts in which share of the files of an ordinary repository each word occurs, and writes
 * `src/tasks/research/lines/word-shares.json`, by which a run without a model tells the topic of a repository from ordinary words.
 *
 * `node bench/learn-words.ts REPOSITORIES [--without NAME,…] > src/tasks/research/lines/word-shares.json`
 * REPOSITORIES holds a git directory for each, as `owner+name/repo`. Of each at most 300 files are read, chosen by their
 * hashes, of those that hold code or its documentation; smaller repositories are passed over, as are the ones named. Each share
 * stands once, with the stems of its words.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { lineWords } from '../src/bench.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { without: { type: 'string', default: '' } },
});
const [folder] = positionals;
if (folder === undefined || !existsSync(folder)) {
  console.log('skipped: give a folder of repositories');
  process.exit(0);
}
const without = new Set(values.without.split(','));
const minFiles = 30;
const maxFiles = 300;
/** Bytes of a file that are read. */
const maxBytes = 60_000;
/** Rarer words are as good as unknown. */
const leastShare = 0.004;
/** The shares of one line of the table lie within this factor. */
const factor = 1.3;
const text =
  /\.(?:ts|tsx|js|mjs|jsx|py|go|rs|java|rb|c|h|cc|cpp|md|rst|txt|sh|ya?ml|toml|json|php|cs|kt|scala|ex|lua|sql)$/;
const leftOut =
  /(?:^|\/)(?:node_modules|vendor|dist|third_party|testdata|fixtures|locales?|__snapshots__|package-lock)/;

const shares = new Map<string, number>();
let counted = 0;
for (const name of readdirSync(folder).sort()) {
  const repository = join(folder, name, 'repo');
  if (without.has(name) || !existsSync(repository)) continue;
  const files = filesOf(repository);
  if (files.length < minFiles) continue;
  counted += 1;
  for (const bytes of contentsOf(repository, files)) {
    for (const word of new Set(lineWords(bytes.subarray(0, maxBytes).toString('latin1'))))
      if (/^[a-z]{3,20}$/.test(word)) shares.set(word, (shares.get(word) ?? 0) + 1 / files.length);
  }
}

const levels = Map.groupBy(
  [...shares].filter(([, share]) => share / counted >= leastShare),
  ([, share]) => Math.round(Math.log(share / counted / leastShare) / Math.log(factor)),
);
const table = [...levels]
  .sort(([a], [b]) => b - a)
  .map(([level, words]): [string, string] => [
    (leastShare * factor ** level).toPrecision(2),
    words
      .map(([word]) => word)
      .sort()
      .join(' '),
  ]);
console.error(`${counted} repositories`);
console.log(JSON.stringify(Object.fromEntries(table), null, 2));

/** Reads all files by one process. Before each content, git prints a line with its size. */
function* contentsOf(repository: string, hashes: readonly string[]): Generator<Buffer> {
  const all = execFileSync('git', ['-C', repository, 'cat-file', '--batch'], {
    input: `${hashes.join('\n')}\n`,
    maxBuffer: 1 << 30,
  });
  for (let at = 0; at < all.length; ) {
    const end = all.indexOf(10, at);
    const [, type, size] = all.toString('latin1', at, end).split(' ');
    at = end + 1;
    if (type !== 'blob') continue;
    yield all.subarray(at, at + Number(size));
    at += Number(size) + 1;
  }
}

function filesOf(repository: string): readonly string[] {
  return execFileSync('git', ['-C', repository, 'ls-tree', '-r', 'HEAD'], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
    .split('\n')
    .flatMap((line) => {
      const [head = '', path = ''] = line.split('\t');
      const [, type, hash = ''] = head.split(' ');
      return type === 'blob' && text.test(path) && !leftOut.test(path) ? [hash] : [];
    })
    .sort()
    .slice(0, maxFiles);
}
