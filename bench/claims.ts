/**
 * How well a checker tells claims that their lines carry from those that they do not: true ones out of what others
 * published with lines beside them and out of answers played by hand, and the same with one thing made wrong.
 *
 * `node bench/claims.ts SETS/tune [--checker NAME=FILE]… [--floor CHECKOUT] [--kind code] [--verbose]`
 * SETS/tune holds `*.jsonl`, of rows as in `claims/set.ts`:
 * {id, source, kind: code|notes|logs|incidents, wording, claim, lines: [{path, start, end, text}], truth,
 * mutation?, change?, original?, file?, fileStart?}; `--alone` lays the cited lines without the file around them. Halves are split by source; the other one, SETS/held, is for the last run only.
 * FILE is a module with `check({claim, lines})`, which returns the verdict: without one, the checker of this project
 * (`claims/checker.ts`). Two floors run beside it; `--floor CHECKOUT` adds the gate of an older commit, from a work tree of
 * it (`git worktree add CHECKOUT 9b0012d`, with node_modules), in a process of its own.
 *
 * A reader is played without the key: `--ask 200` prints claims and lines of what was left unclear, shuffled;
 * `--reader ANSWERS.jsonl`, of {id, verdict}, judges those rows again, where code was neither for nor against.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { check as ours } from './claims/checker.ts';
import { standsAnywhere, wordOverlap } from './claims/floors.ts';
import { type Check, readSet, shuffled, type Verdict } from './claims/set.ts';
import { type Judged, tableOf } from './claims/table.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    checker: { type: 'string', multiple: true, default: [] },
    floor: { type: 'string' },
    kind: { type: 'string' },
    ask: { type: 'string' },
    reader: { type: 'string' },
    seed: { type: 'string', default: '1' },
    alone: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});
const folder = positionals[0];
const rows = (folder === undefined ? [] : readSet(folder)).filter(
  ({ kind }) => values.kind === undefined || kind === values.kind,
);
if (rows.length === 0) {
  console.log('skipped: give a folder with *.jsonl of claims, as bench/claims.ts says');
  process.exit(0);
}

const checkers = new Map<string, Check>();
if (values.checker.length === 0) checkers.set('the checker, code alone', ours);
for (const given of values.checker) {
  const [name = '', file = ''] = given.split('=', 2);
  const module = (await import(pathToFileURL(resolve(file)).href)) as { readonly check: Check };
  checkers.set(name, module.check);
}
checkers.set('floor: words shared with the lines', wordOverlap);
checkers.set('floor: figures, names and quotations stand anywhere', standsAnywhere);

const read = new Map<string, Verdict>();
if (values.reader !== undefined && existsSync(values.reader))
  for (const line of readFileSync(values.reader, 'utf8').split('\n'))
    if (line.trim() !== '') {
      const { id, verdict } = JSON.parse(line) as { readonly id: string; readonly verdict: Verdict };
      read.set(id, verdict);
    }

let isFirst = true;
const report: string[] = [];
for (const [name, check] of checkers) {
  const judged: Judged[] = [];
  const started = performance.now();
  for (const row of rows) {
    const { claim, lines, file, fileStart } = row;
    const beside =
      file === undefined || values.alone ? {} : { file, ...(fileStart !== undefined && { fileStart }) };
    judged.push({ row, verdict: await check({ claim, lines, ...beside }) });
  }
  const took = (performance.now() - started) / rows.length;
  if (isFirst && values.ask !== undefined) {
    const open = shuffled(
      judged.flatMap(({ row, verdict }) => (verdict === 'unclear' ? [row] : [])),
      Number(values.seed),
    ).slice(0, Number(values.ask));
    for (const { id, claim, lines } of open) console.log(JSON.stringify({ id, claim, lines }));
    process.exit(0);
  }
  if (isFirst && values.verbose)
    for (const { row, verdict } of judged)
      if (row.truth ? verdict === 'contradicted' || verdict === 'not shown' : verdict === 'shown')
        report.push(`${verdict} [${row.id}, ${row.truth ? 'true' : row.mutation}] ${row.claim}`);
  report.push(tableOf(`${name}, ${rows.length} claims, ${took.toFixed(1)} ms each`, judged));
  if (isFirst && read.size > 0) {
    const again = judged
      .filter(({ row }) => read.has(row.id))
      .map(({ row, verdict }) => ({ row, verdict: verdict === 'unclear' ? read.get(row.id)! : verdict }));
    report.push(tableOf(`${name}, with a reader, ${again.length} claims`, again));
  }
  isFirst = false;
}
if (values.floor !== undefined) {
  const verdicts = verdictsAt(values.floor);
  const judged = rows.map((row): Judged => ({ row, verdict: verdicts.get(row.id) ?? 'unclear' }));
  report.push(tableOf(`floor: the gate of ${values.floor}, ${rows.length} claims`, judged));
}
console.log(report.join('\n'));

function verdictsAt(checkout: string): ReadonlyMap<string, Verdict> {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, 'claims-gate.ts'), checkout],
    { input: rows.map((row) => JSON.stringify(row)).join('\n'), encoding: 'utf8', maxBuffer: 1 << 28 },
  );
  if (status !== 0) throw new Error(`The gate of ${checkout} ended with ${status}: ${stderr}`);
  return new Map(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly id: string; readonly verdict: Verdict })
      .map(({ id, verdict }) => [id, verdict]),
  );
}
