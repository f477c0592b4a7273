/**
 * How `sonde verify` judges citations whose truth is known: precision and recall of "valid", by what was done to
 * the corrupted ones.
 *
 * `node bench/citations.ts DATA REPOSITORIES`
 * DATA holds `citations/*.jsonl`: {id, repo, commit, path, start, end, quote, valid, mutation}. REPOSITORIES holds
 * a repository for each `owner/name`, as `name`; each row is read at its commit.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verify } from '../src/index.ts';

interface Row {
  readonly id: string;
  readonly repo: string;
  readonly commit: string;
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly quote: string;
  readonly valid: boolean;
  readonly mutation: string;
}

const [data, repositories] = process.argv.slice(2);
if (data === undefined || repositories === undefined || !existsSync(join(data, 'citations'))) {
  console.log('skipped: give a folder with citations/*.jsonl and a folder of repositories');
  process.exit(0);
}

const rows = globSync(join(data, 'citations', '*.jsonl')).flatMap((path) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Row),
);

const table = new Map<string, Map<string, number>>();
let [right, wrong, missed] = [0, 0, 0];
const started = performance.now();
for (const [repo, claims] of Map.groupBy(rows, (row) => row.repo)) {
  const root = join(repositories, repo.slice(repo.indexOf('/') + 1));
  if (!existsSync(root)) {
    console.log(`skipped: ${repo} is not in ${repositories}`);
    continue;
  }
  const results = await verify(claims, { root });
  for (const [index, { status, reason }] of results.entries()) {
    const row = claims[index]!;
    const counts = table.get(row.mutation) ?? new Map<string, number>();
    table.set(row.mutation, counts.set(status, (counts.get(status) ?? 0) + 1));
    if (status === 'valid' && row.valid) right += 1;
    else if (status === 'valid') wrong += 1;
    else if (row.valid) missed += 1;
    if ((status === 'valid') !== row.valid) console.log(`${row.id}: ${status} (${reason ?? 'no reason'})`);
  }
}
console.log('| done to it | found |\n|---|---|');
for (const [mutation, counts] of table)
  console.log(`| ${mutation} | ${[...counts].map(([status, count]) => `${count} ${status}`).join(', ')} |`);
const share = (part: number, rest: number) => ((100 * part) / Math.max(1, part + rest)).toFixed(1);
console.log(
  `\n"valid": precision ${share(right, wrong)} %, recall ${share(right, missed)} %, ${rows.length} rows`,
);
console.log(`${Math.round((performance.now() - started) / 100) / 10} s`);
