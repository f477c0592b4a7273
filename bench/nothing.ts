/**
 * Whether a question that the material can't answer is told so, without a model: questions of another domain, near
 * misses of real names, and answerable ones beside them, written from the documentation alone.
 *
 * `node bench/nothing.ts SETS/tune REPOSITORIES [--verbose]`
 * SETS/tune holds `*.jsonl`: {id, repo, name, commit, kind: other|near|answerable, question}. REPOSITORIES holds a
 * folder for each name, at its commit. Refused is `not_found` (exit 5).
 */
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask } from '../src/index.ts';
import { wilson } from './claims/table.ts';

interface Question {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly question: string;
}

const [sets, repositories] = process.argv.slice(2).filter((one) => !one.startsWith('--'));
if (sets === undefined || repositories === undefined || !existsSync(sets)) {
  console.log('skipped: give a folder with *.jsonl of questions and a folder of repositories');
  process.exit(0);
}
const questions = globSync(join(sets, '*.jsonl'))
  .sort()
  .flatMap((path) => readFileSync(path, 'utf8').split('\n'))
  .filter((line) => line.trim() !== '')
  .map((line) => JSON.parse(line) as Question);

const home = mkdtempSync(join(tmpdir(), 'sonde-bench-'));
process.env['SONDE_HOME'] = home;
const judged: (Question & { readonly status: string })[] = [];
for (const [name, some] of Map.groupBy(questions, (one) => one.name)) {
  const root = join(repositories, name);
  if (!existsSync(root)) {
    console.log(`skipped: ${name} is not in ${repositories}`);
    continue;
  }
  for (const one of some) {
    const { status } = await ask(one.question, { root, settings: { model: 'extractive' } });
    judged.push({ ...one, status });
    if (process.argv.includes('--verbose') && (status === 'not_found') === (one.kind === 'answerable'))
      console.log(`${status} [${name}, ${one.kind}] ${one.question}`);
  }
}
rmSync(home, { recursive: true, force: true });

const cell = (some: readonly { readonly status: string }[], isRefused: boolean): string => {
  const part = some.filter(({ status }) => (status === 'not_found') === isRefused).length;
  const [low, high] = wilson(part, some.length);
  return some.length === 0
    ? ''
    : `${part} of ${some.length}, ${((100 * part) / some.length).toFixed(1)} % (${low.toFixed(0)}-${high.toFixed(0)})`;
};
const lineOf = (name: string, some: readonly (typeof judged)[number][]): string => {
  const of = (kind: string) => some.filter((one) => one.kind === kind);
  return `| ${name} | ${cell(of('other'), false)} | ${cell(of('near'), false)} | ${cell(of('answerable'), true)} |`;
};
console.log('| | another domain: answered | near miss: answered | answerable: refused |\n|---|--:|--:|--:|');
for (const [name, some] of Map.groupBy(judged, (one) => one.name)) console.log(lineOf(name, some));
console.log(lineOf('**all**', judged));
