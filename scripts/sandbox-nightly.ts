/**
 * What is too long for every test run: all hostile programs with a summary by category, long fuzzing, 1,000 sessions
 * in a row and 100 at once.
 *
 * `node scripts/sandbox-nightly.ts [--rounds N] [--seed N] [--data DIR]`
 * N rounds of fuzzing for each target (default 20,000) from a seed (default: of the day); DIR holds
 * hostile-python/. Exit status 1 where anything did not hold.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { fuzz } from '../src/sandbox/fuzz/fuzz.ts';
import { targets } from '../src/sandbox/fuzz/targets.ts';
import { categories, programsOf, readSharedPrograms } from '../src/sandbox/hostile/programs.ts';
import { HostileSuite, type Verdict } from '../src/sandbox/hostile/suite.ts';
import { createSandbox } from '../src/sandbox/index.ts';
import { measureFootprint, runInParallel, runSequentially } from '../src/sandbox/testbed/endurance.ts';

const today = Math.floor(Date.now() / 86_400_000);
const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20000' },
    seed: { type: 'string', default: `${today * 1_000_000}` },
    data: { type: 'string', default: join(import.meta.dirname, '../../shared/data') },
  },
});
/** MB that 100 sessions at once may leave behind, beyond what as many before them have left. */
const mostKept = 100;
let failed = false;

async function hostile(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-hostile-'));
  const file = join(folder, 'canary');
  const canary = `canary-${process.pid}-nightly`;
  writeFileSync(file, canary);
  const suite = new HostileSuite({ file, texts: [canary, 'root:x:0:'] });
  const shared = readSharedPrograms(flags.data) ?? [];
  if (shared.length === 0) console.log(`skipped: no hostile-python in ${flags.data}`);
  const programs = [
    ...categories.flatMap(programsOf),
    ...shared.map((each) => ({ ...each, category: 'shared data' })),
  ];
  const verdicts: Verdict[] = [];
  for (const program of programs) verdicts.push(await suite.run(program));
  await suite.close();
  rmSync(folder, { recursive: true });

  console.log(
    '| category | programs | went well | error | killed, rolled back | session ruined | did not hold |',
  );
  console.log('|---|---|---|---|---|---|---|');
  const row = (name: string, list: readonly Verdict[]) => {
    const count = (test: (verdict: Verdict) => boolean) => list.filter(test).length;
    const status = (wanted: string) => count(({ result }) => result.kind === wanted);
    const ruined = count(({ session }) => session === 'ruined' || session === 'ended');
    const broken = count(({ problems }) => problems.length > 0);
    console.log(
      `| ${name} | ${list.length} | ${['ok', 'error', 'killed'].map(status).join(' | ')} | ${ruined} | ${broken} |`,
    );
  };
  for (const [name, list] of Map.groupBy(verdicts, ({ program }) => program.category)) row(name, list);
  row('all', verdicts);
  for (const { program, problems } of verdicts) {
    for (const problem of problems) console.log(`${program.category}, ${program.name}: ${problem}`);
    failed ||= problems.length > 0;
  }
}

async function fuzzing(): Promise<void> {
  const rounds = Number(flags.rounds);
  for (const target of Object.keys(targets)) {
    const start = performance.now();
    const failure = await fuzz(target, Number(flags.seed), rounds);
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    if (failure) console.log(`fuzz ${target}: failed with --seed ${failure.seed} --rounds 1:`, failure.error);
    else console.log(`fuzz ${target}: ${rounds} rounds, ${seconds} s, nothing found`);
    failed ||= failure !== null;
  }
}

async function endurance(isolation: 'process' | 'thread'): Promise<void> {
  const before = measureFootprint();
  const sandbox = createSandbox({ isolation });
  const show = (when: string, now = measureFootprint()) =>
    console.log(
      `${isolation}, ${when}: ${now.memory_mb} MB, ${now.threads} threads, ${now.descriptors} descriptors, ${now.processes} processes`,
    );
  show('before', before);
  await runSequentially(sandbox, 100);
  const early = measureFootprint();
  show('after 100 sessions in a row', early);
  await runSequentially(sandbox, 900);
  const late = measureFootprint();
  show('after 1,000', late);
  const settled: number[] = [];
  for (const time of ['first', 'second', 'third']) {
    show(`100 at once, ${time} time`, await runInParallel(sandbox, 100));
    await sleep(2000);
    const now = measureFootprint();
    show('after those', now);
    settled.push(now.memory_mb);
  }
  await sandbox.close();
  // Pipes and threads are given back a little after their end was told.
  await sleep(1000);
  const after = measureFootprint();
  show('closed', after);
  const grew = late.memory_mb > early.memory_mb + 100 || late.threads > early.threads + 4;
  const left =
    after.processes !== before.processes ||
    after.descriptors > before.descriptors + 4 ||
    settled.at(-1)! > Math.max(...settled.slice(0, -1)) + mostKept ||
    // In this process V8 keeps the heaps of threads that ended for later ones; a child is told not to.
    (isolation === 'process' && settled[0]! > late.memory_mb + 2 * mostKept);
  if (grew || left) console.log(`${isolation}: something was left behind`);
  failed ||= grew || left;
}

await hostile();
await fuzzing();
if (process.platform === 'linux')
  for (const isolation of ['process', 'thread'] as const) await endurance(isolation);
process.exitCode = failed ? 1 : 0;
