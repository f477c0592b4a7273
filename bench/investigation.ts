/**
 * Investigations: exact answers over logs and vaults, by one fixed program for each kind of question; what a question
 * to a model costs beyond the model; many at once; and a wide tree of nested ones under one budget.
 *
 * `node bench/investigation.ts [--data DIR] [--log NAME=FILE …] [--vault DIR …] [--only logs|vaults|found|calls|many|nested]`
 * DIR holds `logs/` with `loghub-oolong-style.jsonl` and the logs it names; by default `../shared/data` or what
 * SONDE_DATA names. Questions over logs that are not there are left out, and counted. Each vault is a folder of
 * Markdown; it is asked as a folder, and once more as a workspace that it was imported into.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { investigate } from '../src/index.ts';
import { fenced, folder, rounded, script } from './investigation/asked.ts';
import { nested } from './investigation/nested.ts';
import { overFound } from './investigation/over-found.ts';
import { overLogs } from './investigation/over-logs.ts';
import { overVaults } from './investigation/over-vaults.ts';

const { values: flags } = parseArgs({
  options: {
    data: { type: 'string' },
    log: { type: 'string', multiple: true, default: [] },
    vault: { type: 'string', multiple: true, default: [] },
    only: { type: 'string' },
  },
});
const data = flags.data ?? process.env['SONDE_DATA'] ?? join(import.meta.dirname, '../../shared/data');
const wanted = (part: string) => flags.only === undefined || flags.only === part;
process.env['SONDE_HOME'] = folder('bench');

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
  const result = await investigate('many questions', {
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
      investigate(`how often? ${n}`, {
        root,
        context: n,
        settings: { model: script(turns), analyst, max_time: '10m' },
      }),
    ),
  );
  clearInterval(watch);
  const right = results.filter(
    ({ stop_reason, answer }) => stop_reason === 'finalized' && JSON.stringify(answer) === '[20,4000,8]',
  );
  const over = results.filter(({ spent }) => spent.tokens > 400_000 || spent.fuel > 40e9 || spent.steps > 20);
  console.log(
    `${many} investigations at once: ${right.length} ended with the right answer in ${((performance.now() - started) / 1000).toFixed(1)} s`,
  );
  console.log(
    `  most memory, with the sandbox: ${rounded(peak)} MB (wanted: under 1,500); over their pool: ${over.length}\n`,
  );
}

if (wanted('logs')) await overLogs(data, flags.log);
if (wanted('vaults')) await overVaults(flags.vault);
if (wanted('found')) await overFound(flags.vault);
if (wanted('calls')) await subCalls();
if (wanted('many')) await manyAtOnce();
if (wanted('nested')) await nested();
