/**
 * The merge of blocks beside `git merge-file`, on histories that people made: a base and two sides of one Markdown
 * file, at the merges of public repositories. Half of the repositories, by the hash of their names, were for looking
 * at (`--half looked`); the other half (`--half held`) was run once, after the merge was written.
 * `node bench/merge.ts --half looked|held [--histories 1000] [--each 80] [--show 5] FOLDER`: FOLDER holds git
 * directories as `OWNER+NAME/repo`.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { mergeBlocks } from '../src/bench.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    half: { type: 'string', default: 'looked' },
    histories: { type: 'string', default: '1000' },
    each: { type: 'string', default: '80' },
    show: { type: 'string', default: '0' },
  },
});
const [folder = ''] = positionals;

interface History {
  readonly name: string;
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

function git(directory: string, args: readonly string[], input?: string): Buffer {
  const options = { maxBuffer: 1 << 30, ...(input !== undefined && { input }) };
  const done = spawnSync('git', ['-c', 'safe.directory=*', '--git-dir', directory, ...args], options);
  return done.stdout ?? Buffer.alloc(0);
}

const isLooked = (name: string): boolean => createHash('sha256').update(name).digest()[0]! % 2 === 0;

/** Newest first, no more than `each` of a repository, each file of a merge that both sides changed in two ways. */
function* historiesOf(repository: string, each: number): Generator<History> {
  const directory = join(folder, repository, 'repo');
  const merges = git(directory, [
    'rev-list',
    '--merges',
    '--parents',
    '--max-count=1500',
    'HEAD',
    '--',
    '*.md',
  ]);
  let found = 0;
  for (const line of merges.toString().trim().split('\n')) {
    const [merge, one, other, more] = line.split(' ');
    if (one === undefined || other === undefined || more !== undefined) continue;
    const base = git(directory, ['merge-base', one, other]).toString().trim();
    if (base === '') continue;
    const changes = (side: string): Map<string, readonly [string, string]> => {
      const raw = git(directory, ['diff-tree', '-r', '--diff-filter=M', base, side]);
      const rows = raw
        .toString()
        .split('\n')
        .map((row) => /^:\d+ 100\d+ (\w+) (\w+) M\t(.*\.md)$/i.exec(row));
      return new Map(rows.flatMap((row) => (row === null ? [] : [[row[3]!, [row[1]!, row[2]!] as const]])));
    };
    const theirs = changes(other);
    if (theirs.size === 0) continue;
    const ours = changes(one);
    for (const [path, [was, mine]] of ours) {
      const yours = theirs.get(path)?.[1];
      if (yours === undefined || yours === mine) continue;
      const texts = [was, mine, yours].map((blob) => git(directory, ['cat-file', 'blob', blob]));
      if (texts.some((text) => text.length === 0 || text.length > 400_000 || text.includes(0))) continue;
      const [b, o, t] = texts.map((text) => text.toString('utf8')) as [string, string, string];
      yield { name: `${repository}@${merge!.slice(0, 8)}:${path}`, base: b, ours: o, theirs: t };
      if (++found >= each) return;
    }
  }
}

const work = mkdtempSync(join(tmpdir(), 'sonde-bench-merge-'));
function gitConflicts({ base, ours, theirs }: History): number {
  writeFileSync(join(work, 'base'), base);
  writeFileSync(join(work, 'ours'), ours);
  writeFileSync(join(work, 'theirs'), theirs);
  return (
    spawnSync('git', ['merge-file', '-p', 'ours', 'base', 'theirs'], { cwd: work, maxBuffer: 1 << 30 })
      .status ?? 255
  );
}

const counted = (text: string): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const line of text.split(/\r\n|\n|\r/)) {
    const plain = line.trimEnd();
    if (plain.trim() !== '') counts.set(plain, (counts.get(plain) ?? 0) + 1);
  }
  return counts;
};

/** Lines that one side added and that are missing, and lines that one side took away and that are back. */
function faults({ base, ours, theirs }: History, merged: string): { missing: string[]; back: string[] } {
  const [was, one, other, after] = [base, ours, theirs, merged].map(counted) as [
    Map<string, number>,
    Map<string, number>,
    Map<string, number>,
    Map<string, number>,
  ];
  const missing: string[] = [];
  const back: string[] = [];
  for (const line of new Set([...was.keys(), ...one.keys(), ...other.keys()])) {
    const [b, o, t, m] = [was, one, other, after].map((each) => each.get(line) ?? 0) as [
      number,
      number,
      number,
      number,
    ];
    // Where both changed how often a line stands there is no one right number.
    const wanted = o === b ? t : t === b || o === t ? o : null;
    if (wanted === null) continue;
    if (wanted > b && m < wanted) missing.push(line);
    if (wanted < b && m > wanted) back.push(line);
    if (wanted === b && m < b) missing.push(line);
  }
  return { missing, back };
}

const totals = {
  histories: 0,
  ours: 0,
  git: 0,
  onlyOurs: 0,
  onlyGit: 0,
  missing: 0,
  back: 0,
  orders: 0,
  ms: 0,
};
const shown: string[] = [];
const repositories = readdirSync(folder).filter(
  (name) => existsSync(join(folder, name, 'repo')) && isLooked(name) === (values.half === 'looked'),
);
const used = new Map<string, number>();
for (const repository of repositories.sort()) {
  for (const history of historiesOf(repository, Number(values.each))) {
    if (totals.histories >= Number(values.histories)) break;
    totals.histories += 1;
    used.set(repository, (used.get(repository) ?? 0) + 1);
    const { base, ours, theirs, name } = history;
    const begun = performance.now();
    const result = mergeBlocks({ base, ours, theirs });
    totals.ms += performance.now() - begun;
    const turned = mergeBlocks({ base, ours: theirs, theirs: ours });
    const sides = JSON.stringify(result);
    const exchanged =
      turned.kind === 'merged'
        ? turned
        : {
            ...turned,
            conflicts: turned.conflicts.map((each) => ({
              base: each.base,
              ours: each.theirs,
              theirs: each.ours,
            })),
          };
    if (sides !== JSON.stringify(exchanged)) {
      totals.orders += 1;
      shown.push(`ORDER ${name}`);
    }
    const conflict = gitConflicts(history) > 0;
    if (conflict) totals.git += 1;
    if (result.kind === 'conflict') {
      totals.ours += 1;
      if (!conflict) totals.onlyOurs += 1;
      shown.push(
        `${conflict ? 'BOTH' : 'ONLY HERE'} ${name}\n${JSON.stringify(result.conflicts[0], null, 1).slice(0, 1500)}`,
      );
      continue;
    }
    if (conflict) totals.onlyGit += 1;
    const { missing, back } = faults(history, result.text);
    totals.missing += missing.length;
    totals.back += back.length;
    if (missing.length + back.length > 0)
      shown.push(
        `LINES ${name}: missing ${JSON.stringify(missing.slice(0, 3))}, back ${JSON.stringify(back.slice(0, 3))}`,
      );
  }
}
rmSync(work, { recursive: true });
for (const each of shown.slice(0, Number(values.show))) console.log(each);
console.log([...used].map(([name, n]) => `${name} ${n}`).join(', '));
console.log(
  `${totals.histories} histories of ${used.size} repositories (${values.half}): conflicts ${totals.ours} here, ${totals.git} in git ` +
    `(${((100 * totals.ours) / Math.max(1, totals.git)).toFixed(1)} %; only here ${totals.onlyOurs}, only in git ${totals.onlyGit}); ` +
    `added lines missing ${totals.missing}, deleted ones back ${totals.back}, orders that differ ${totals.orders}; ` +
    `${(totals.ms / Math.max(1, totals.histories)).toFixed(1)} ms each`,
);
