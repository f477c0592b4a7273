/**
 * Whether a listing that is called complete is: definitions of a checkout are renamed in all places that it has of them,
 * and a compiler says what breaks. The checkout is copied first. Prints JSON.
 *
 * `node bench/oracle.ts CHECKOUT --kind typescript|rust|go|c|python|python-tests [--count N] [--seed N] [--only REGEX]
 * [--at-once N] [-- ARGUMENTS OF THE COMPILER]`: complete ones are renamed until N were; partial and unknown ones that
 * were met meanwhile are counted.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openCodeSources, renamePlaces, symbolOf } from '../src/bench.ts';
import { compilerOf } from './oracle/compilers.ts';
import { judgeIn } from './oracle/judge.ts';
import type { Renamed } from './oracle/rename.ts';

const cut = process.argv.indexOf('--');
const [own, given] =
  cut < 0 ? [process.argv.slice(2), []] : [process.argv.slice(2, cut), process.argv.slice(cut + 1)];
const { positionals, values } = parseArgs({
  args: own,
  allowPositionals: true,
  options: {
    kind: { type: 'string', default: 'typescript' },
    count: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '.' },
    'at-once': { type: 'string', default: '25' },
  },
});
const [checkout] = positionals;
if (checkout === undefined) {
  console.log('skipped: give a checkout');
  process.exit(0);
}
const root = mkdtempSync(join(tmpdir(), 'sonde-oracle-'));
process.on('exit', () => rmSync(root, { recursive: true, force: true }));
cpSync(resolve(checkout), root, { recursive: true, verbatimSymlinks: true });

/** Not what a program is made of, or what nobody calls by its name. */
const aside =
  /(?:^|\/)(?:tests?|testing|testdata|__tests__|examples?|docs?|bench\w*|fixtures?|vendor|third_party|deps)\/|[._](?:test|spec)\.|generated|\.d\.ts$/;
const unnamed = /^(?:constructor|__\w+__|main|init|new|default)$/;
const judged = /function|method|class|interface|type|struct|enum|variable|const/;

const compiler = compilerOf(values.kind, given);
const listed = execFileSync('git', ['-C', root, 'ls-files', '-z'], { encoding: 'utf8', maxBuffer: 1 << 28 })
  .split('\0')
  .filter((path) => compiler.files.test(path) && !aside.test(path) && new RegExp(values.only).test(path));
const sources = openCodeSources(root, { limitMs: 60_000 });
await sources.fill();
const candidates: {
  readonly symbol: string;
  readonly name: string;
  readonly path: string;
  readonly line: number;
}[] = [];
for (const path of listed) {
  const read = await sources.syntax.read(path, readFileSync(join(root, path), 'utf8'));
  if (read.kind !== 'facts') continue;
  for (const definition of read.facts.definitions) {
    const { name, kind, flags, line } = definition;
    if (!judged.test(kind) || flags.includes('local') || name.length < 3 || unnamed.test(name)) continue;
    candidates.push({ symbol: symbolOf(read.facts, path, definition), name, path, line });
  }
}
let state = Number(values.seed);
const random = (): number => {
  state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
  return state / 0x7fffffff;
};
for (let at = candidates.length - 1; at > 0; at -= 1) {
  const other = Math.floor(random() * (at + 1));
  [candidates[at], candidates[other]] = [candidates[other]!, candidates[at]!];
}

const met = { complete: 0, partial: 0, unknown: 0, other: 0 };
const complete: Renamed[] = [];
const whys = new Map<string, number>();
for (const { symbol, name, path, line } of candidates) {
  if (complete.length >= Number(values.count)) break;
  const found = await renamePlaces(sources, symbol);
  // Another definition of the name is meant.
  if (found === null || !found.definitions.some((place) => place.path === path && place.line === line)) {
    met.other += 1;
    continue;
  }
  met[found.completeness] += 1;
  for (const why of found.why) {
    const said = why.replace(/\(.*\)|\d+/g, '');
    whys.set(said, (whys.get(said) ?? 0) + 1);
  }
  if (found.completeness === 'complete') complete.push({ ...found, name });
}
await sources.close();

const judge = judgeIn(root, compiler);
const broken = judge.broken(complete, Number(values['at-once']));
console.log(
  JSON.stringify(
    {
      checkout: resolve(checkout).split('/').at(-1),
      commit: execFileSync('git', ['-C', root, 'rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
      kind: values.kind,
      files: listed.length,
      candidates: candidates.length,
      ...met,
      renamed: complete.length,
      withoutUses: complete.filter(({ uses }) => uses.length === 0).length,
      seenByCompiler: judge.seen(complete, Number(values['at-once'])),
      falseComplete: broken.length,
      complaintsBefore: judge.complaintsBefore,
      turns: judge.turns,
      broken,
      whys: Object.fromEntries([...whys].sort(([, a], [, b]) => b - a).slice(0, 8)),
      symbols: complete.map(({ symbol }) => symbol),
    },
    null,
    1,
  ),
);
