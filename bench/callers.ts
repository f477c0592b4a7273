/**
 * Calls that a listing holds, beside those that a language server names for the same definition: precision and recall of
 * what is called sure, and of what is called sure or likely; and every place in which they differ. The server errs, too:
 * who is right is to be read. Prints JSON.
 *
 * `node bench/callers.ts CHECKOUT --language python|typescript|c [--count N] [--seed N] [--only REGEX] [-- COMMAND OF THE
 * SERVER]`
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { languageServers, openCodeSources, symbolOf, symbolReader } from '../src/bench.ts';

const cut = process.argv.indexOf('--');
const [own, command] =
  cut < 0 ? [process.argv.slice(2), undefined] : [process.argv.slice(2, cut), process.argv.slice(cut + 1)];
const { positionals, values } = parseArgs({
  args: own,
  allowPositionals: true,
  options: {
    language: { type: 'string', default: 'python' },
    count: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '.' },
  },
});
const [checkout] = positionals;
if (checkout === undefined) {
  console.log('skipped: give a checkout');
  process.exit(0);
}
const languages = {
  python: /\.py$/,
  typescript: /\.[mc]?tsx?$/,
  c: /\.[ch]$/,
} as const;
const language = values.language as keyof typeof languages;
const root = resolve(checkout);
const folder = mkdtempSync(join(tmpdir(), 'sonde-callers-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
mkdirSync(join(folder, 'home'));

const sources = openCodeSources(root, { limitMs: 60_000 });
await sources.fill();
const servers = languageServers({
  root,
  wishes: { [language]: command === undefined ? {} : { command } },
  folder: join(folder, 'own'),
  searchPath: [join(import.meta.dirname, '..', 'node_modules', '.bin'), process.env['PATH'] ?? ''].join(
    delimiter,
  ),
  home: join(folder, 'home'),
  isTrusted: false,
  limits: { askMs: 120_000, firstMs: 240_000, laterMs: 60_000 },
});

let state = Number(values.seed);
const random = (): number => {
  state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
  return state / 0x7fffffff;
};
const aside =
  /(?:^|\/)(?:tests?|testing|__tests__|__tests_dts__|examples?|docs?|fixtures?|vendor|deps|playground)\/|[._](?:test|spec)\.|\.d\.ts$/;
const paths = execFileSync('git', ['-C', root, 'ls-files', '-z'], { encoding: 'utf8', maxBuffer: 1 << 28 })
  .split('\0')
  .filter(
    (path) => languages[language].test(path) && !aside.test(path) && new RegExp(values.only).test(path),
  );
const candidates: string[] = [];
for (const path of paths) {
  const read = await sources.syntax.read(path, readFileSync(join(root, path), 'utf8'));
  if (read.kind !== 'facts') continue;
  for (const definition of read.facts.definitions)
    if (
      /function|method/.test(definition.kind) &&
      !definition.flags.includes('local') &&
      !definition.flags.includes('declaration') &&
      definition.name.length > 2 &&
      !/^(?:constructor|main|__\w+__)$/.test(definition.name)
    )
      candidates.push(symbolOf(read.facts, path, definition));
}
for (let at = candidates.length - 1; at > 0; at -= 1) {
  const other = Math.floor(random() * (at + 1));
  [candidates[at], candidates[other]] = [candidates[other]!, candidates[at]!];
}

const syntax = symbolReader({ ...sources });
const both = symbolReader({ ...sources, servers });
const sum = { truth: 0, sure: 0, sureRight: 0, likely: 0, likelyRight: 0 };
const means = {
  sureP: [] as number[],
  sureR: [] as number[],
  likelyP: [] as number[],
  likelyR: [] as number[],
};
const said: Record<string, number> = {};
let exact = 0;
let asked = 0;
let silent = 0;
let falseComplete = 0;
const differences: object[] = [];
for (const symbol of candidates) {
  if (asked >= Number(values.count)) break;
  const own = await syntax.references({ symbol });
  if (own.kind !== 'listed' || own.symbol !== symbol) continue;
  const told = await both.references({ symbol });
  if (told.kind !== 'listed' || told.why.some((why) => why.includes('gave no answer'))) {
    silent += 1;
    continue;
  }
  asked += 1;
  said[own.completeness] = (said[own.completeness] ?? 0) + 1;
  const keyOf = (row: { path: string; line: number; column: number }) =>
    `${row.path}:${row.line}:${row.column}`;
  const isCall = ({ kind }: { kind: string }) => kind === 'call' || kind === 'decorator';
  const texts = new Map([...told.rows, ...own.rows].map((row) => [keyOf(row), row.text]));
  const truth = new Set(told.rows.filter((row) => isCall(row) && row.provenance?.includes('lsp')).map(keyOf));
  const calls = own.rows.filter(isCall);
  const sure = new Set(calls.filter((row) => row.sure).map(keyOf));
  const likely = new Set(calls.filter((row) => row.how !== 'text').map(keyOf));
  const hits = (set: ReadonlySet<string>) => [...set].filter((key) => truth.has(key)).length;
  sum.truth += truth.size;
  sum.sure += sure.size;
  sum.sureRight += hits(sure);
  sum.likely += likely.size;
  sum.likelyRight += hits(likely);
  if (sure.size > 0) means.sureP.push(hits(sure) / sure.size);
  if (truth.size > 0) means.sureR.push(hits(sure) / truth.size);
  if (likely.size > 0) means.likelyP.push(hits(likely) / likely.size);
  if (truth.size > 0) means.likelyR.push(hits(likely) / truth.size);
  const extra = [...likely].filter((key) => !truth.has(key));
  const missed = [...truth].filter((key) => !likely.has(key));
  if (extra.length === 0 && missed.length === 0) exact += 1;
  const listed = new Set(own.rows.map(keyOf));
  const isFalse = own.completeness === 'complete' && [...truth].some((key) => !listed.has(key));
  if (isFalse) falseComplete += 1;
  if (extra.length + missed.length > 0)
    differences.push({
      symbol,
      completeness: own.completeness,
      extra: extra
        .map((key) => `${sure.has(key) ? 'sure' : 'likely'} ${key} ${texts.get(key)?.slice(0, 100)}`)
        .slice(0, 6),
      extras: extra.length,
      missed: missed
        .map((key) => `${listed.has(key) ? 'text' : 'NONE'} ${key} ${texts.get(key)?.slice(0, 100)}`)
        .slice(0, 6),
      misses: missed.length,
    });
}
await servers.close();
await sources.close();
const share = (part: number, whole: number): number =>
  whole === 0 ? 100 : Math.round((1_000 * part) / whole) / 10;
const mean = (all: readonly number[]): number =>
  share(
    all.reduce((a, b) => a + b, 0),
    all.length,
  );
console.log(
  JSON.stringify(
    {
      checkout: root.split('/').at(-1),
      commit: execFileSync('git', ['-C', root, 'rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
      language,
      files: paths.length,
      definitions: asked,
      silent,
      calls: sum.truth,
      sure: `${share(sum.sureRight, sum.sure)}/${share(sum.sureRight, sum.truth)}`,
      likely: `${share(sum.likelyRight, sum.likely)}/${share(sum.likelyRight, sum.truth)}`,
      meanSure: `${mean(means.sureP)}/${mean(means.sureR)}`,
      meanLikely: `${mean(means.likelyP)}/${mean(means.likelyR)}`,
      exact: share(exact, asked),
      said,
      falseComplete,
      differences,
    },
    null,
    1,
  ),
);
