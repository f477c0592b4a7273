/**
 * Investigations: exact answers to questions of aggregation over a log, by one fixed program for each kind; what a
 * question to a model costs beyond the model; and many at once.
 *
 * `node bench/investigation.ts [--data DIR] [--only logs|calls|many]`
 * DIR holds `logs/` with `loghub-oolong-style.jsonl` and the logs it names; by default `../shared/data` or what
 * SONDE_DATA names. Questions over logs that are not there are left out, and counted.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { type InvestigationResult, type LoggedEvent, runInvestigation } from '../src/index.ts';

const { values: flags } = parseArgs({ options: { data: { type: 'string' }, only: { type: 'string' } } });
const data = flags.data ?? process.env['SONDE_DATA'] ?? join(import.meta.dirname, '../../shared/data');
const wanted = (part: string) => flags.only === undefined || flags.only === part;
process.env['SONDE_HOME'] = mkdtempSync(join(tmpdir(), 'sonde-bench-'));

const fenced = (code: string) => `\`\`\`python\n${code}\n\`\`\``;
const folder = (name: string) => mkdtempSync(join(tmpdir(), `sonde-${name}-`));

function script(lines: readonly unknown[]): string {
  const path = join(folder('script'), 'script.jsonl');
  writeFileSync(path, lines.map((line) => JSON.stringify(line)).join('\n'));
  return `scripted:${path}`;
}

interface Question {
  readonly id: string;
  readonly context_file: string;
  readonly kind: string;
  readonly question: string;
  readonly answer: unknown;
  readonly answer_type: string;
}

const part = (name: string) => readFileSync(join(import.meta.dirname, 'investigation', `${name}.py`), 'utf8');
const rounded = (value: number) => Math.round(value).toLocaleString('en-US');

/** A template holds for a line whose end it matches: <*> stands for anything. */
function isRight({ answer, answer_type }: Question, given: unknown): boolean {
  if (answer_type === 'NUMERIC') return Number(given) === Number(answer);
  const text = String(given)
    .replace(/^UNVERIFIED:[^\n]*\n+/, '')
    .replaceAll(/ ?\[unsupported\]/g, '')
    .trim();
  if (answer_type !== 'TEMPLATE_MATCH') return text.toLowerCase() === String(answer).trim().toLowerCase();
  const parts = String(answer)
    .split('<*>')
    .map((one) => one.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`${parts.join('.*')}\\s*$`).test(text);
}

async function overLogs(): Promise<void> {
  const file = join(data, 'logs', 'loghub-oolong-style.jsonl');
  if (!existsSync(file)) return console.log(`skipped: ${file} is not there\n`);
  const questions = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Question);
  const there = (one: Question) => existsSync(join(data, 'logs', basename(one.context_file)));
  const asked = questions.filter(there);
  console.log(
    `Aggregation over logs: ${asked.length} questions; ${questions.length - asked.length} over logs that are not here\n`,
  );
  console.log('kind       exact   ms each   fuel each    bytes handled   bytes back   prompt bytes');
  for (const kind of [...new Set(asked.map((one) => one.kind))].sort()) {
    const of = asked.filter((one) => one.kind === kind);
    const sums = { exact: 0, ms: 0, fuel: 0, handled: 0, back: 0, prompts: 0 };
    for (const one of of) {
      const root = folder('log');
      const path = basename(one.context_file);
      cpSync(join(data, 'logs', path), join(root, path));
      const started = performance.now();
      const events: LoggedEvent[] = [];
      const result: InvestigationResult = await runInvestigation(one.question, {
        root,
        context: { path, question: one.question },
        settings: { model: script([fenced(`${part('log')}\n${part(kind)}`)]) },
        onEvent: (event) => events.push(event),
      });
      sums.ms += performance.now() - started;
      const right = isRight(one, result.answer);
      if (!right)
        console.log(
          `  ${one.id} ${one.question.slice(0, 90)}: ${String(result.answer).slice(0, 80)}, not ${String(one.answer)}`,
        );
      sums.exact += right ? 1 : 0;
      sums.fuel += result.spent.fuel;
      sums.back += Buffer.byteLength(JSON.stringify(result));
      const last = events.at(-1)?.event;
      if (last?.kind === 'run_finished') {
        sums.handled += last.investigation?.bytes.handled ?? 0;
        sums.prompts += last.investigation?.bytes.prompts ?? 0;
      }
    }
    const each = (sum: number) => rounded(sum / of.length);
    console.log(
      `${kind.padEnd(10)} ${`${sums.exact}/${of.length}`.padEnd(7)} ${each(sums.ms).padStart(7)} ${each(sums.fuel).padStart(11)} ${each(sums.handled).padStart(16)} ${each(sums.back).padStart(12)} ${each(sums.prompts).padStart(14)}`,
    );
  }
  console.log();
}

function smallFolder(): string {
  const root = folder('tree');
  for (let n = 0; n < 20; n += 1)
    writeFileSync(join(root, `note-${n}.md`), `# Note ${n}\n\n${`Line about subject ${n}.\n`.repeat(200)}`);
  return root;
}

const calls = 1000;
const callMs = 50;
const side = 16;

async function subCalls(): Promise<void> {
  const ideal = Math.ceil(calls / side) * callMs;
  const planner = script([
    fenced(
      `import time\nstarted = time.monotonic()\na = llm_query_batched(["q"] * ${calls})\nFINAL([round((time.monotonic() - started) * 1000), sum(isinstance(x, str) for x in a)])`,
    ),
  ]);
  const analyst = script(Array.from({ length: calls }, () => ({ text: 'an answer', delay_ms: callMs })));
  const result = await runInvestigation('many questions', {
    root: smallFolder(),
    context: 1,
    settings: { model: planner, analyst, max_time: '10m', max_tokens: 10_000_000 },
  });
  const [ms = 0, answered = 0] = result.answer as number[];
  console.log(
    `${calls} questions of ${callMs} ms to a model, ${side} side by side: ${answered} answered in ${rounded(ms)} ms, ideal ${rounded(ideal)} ms`,
  );
  console.log(`  overhead a question: ${((ms - ideal) / calls).toFixed(2)} ms (wanted: under 2)\n`);
}

/** Of this process and all below it, in MB. */
function memory(): number {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one)))
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // Gone meanwhile.
    }
  const isOurs = (pid: number): boolean =>
    pid === process.pid || (parents.has(pid) && isOurs(parents.get(pid) ?? 0));
  let kilobytes = 0;
  for (const pid of [process.pid, ...[...parents.keys()].filter((one) => one !== process.pid && isOurs(one))])
    try {
      kilobytes += Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
    } catch {
      // Gone meanwhile.
    }
  return kilobytes / 1024;
}

const many = 50;

async function manyAtOnce(): Promise<void> {
  const root = smallFolder();
  const analyst = script(Array.from({ length: 100 }, () => ({ text: 'an answer', delay_ms: 20 })));
  const turns = [
    'hits = kb_search("subject line", wide=True)',
    'texts = [kb_read(path) for path in sorted({h.path for h in hits})]\nwords = [w for t in texts for w in t.split()]',
    'import collections\ncounts = collections.Counter(words)\nnotes = llm_query_batched(["q"] * 8)',
    'FINAL([len(texts), counts["Line"], len(notes)])',
  ].map(fenced);
  let peak = 0;
  const watch = setInterval(() => (peak = Math.max(peak, memory())), 200);
  const started = performance.now();
  const results = await Promise.all(
    Array.from({ length: many }, (_, n) =>
      runInvestigation(`how often? ${n}`, {
        root,
        context: n,
        settings: { model: script(turns), analyst, max_time: '10m' },
      }),
    ),
  );
  clearInterval(watch);
  const right = results.filter(
    ({ status, answer }) => status === 'final' && JSON.stringify(answer) === '[20,4000,8]',
  );
  const over = results.filter(({ spent }) => spent.tokens > 400_000 || spent.fuel > 40e9 || spent.steps > 20);
  console.log(
    `${many} investigations at once: ${right.length} ended with the right answer in ${((performance.now() - started) / 1000).toFixed(1)} s`,
  );
  console.log(
    `  most memory, with the sandbox: ${rounded(peak)} MB (wanted: under 1,500); over their pool: ${over.length}\n`,
  );
}

if (wanted('logs')) await overLogs();
if (wanted('calls')) await subCalls();
if (wanted('many')) await manyAtOnce();
