/**
 * What a warm search costs beside ripgrep's count of one word: the whole command, start-up included, same tree, same run,
 * turn by turn, so that both meet the same load. Medians, and their ratio.
 *
 * `node bench/search-speed.ts TREE [WORD] [--runs N]`: TREE is a folder; it is indexed once beforehand, and not changed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { rgPath } from '@vscode/ripgrep';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '10' } },
});
const [given, word = 'redirect'] = positionals;
if (given === undefined || !existsSync(given)) {
  console.log('skipped: give a folder to search');
  process.exit(0);
}
const tree = resolve(given);
const home = mkdtempSync(join(tmpdir(), 'sonde-search-speed-'));
const environment = { ...process.env, SONDE_HOME: home };
const sonde = [join(import.meta.dirname, '..', 'bin', 'sonde.mjs'), 'search', word, tree];

/** Milliseconds. */
function timed(command: string, args: readonly string[]): number {
  const started = performance.now();
  const { status, error } = spawnSync(command, args, { env: environment, stdio: 'ignore' });
  const took = performance.now() - started;
  if (error !== undefined || status === null || status > 1)
    throw new Error(`${command} ended with ${status}`);
  return took;
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;

try {
  const first = timed(process.execPath, sonde);
  // What was written a moment ago is looked at again: let the clock move on.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  timed(process.execPath, sonde);
  const rounds = Array.from({ length: Number(values.runs) }, () => ({
    ours: timed(process.execPath, sonde),
    theirs: timed(rgPath, ['-c', word, tree]),
  }));
  const ours = median(rounds.map((round) => round.ours));
  const theirs = median(rounds.map((round) => round.theirs));
  const ratio = median(rounds.map((round) => round.ours / round.theirs));
  console.log(
    `first ${first.toFixed(0)} ms; warm ${ours.toFixed(0)} ms, rg -c ${theirs.toFixed(0)} ms, ratio ${ratio.toFixed(2)} (median of ${rounds.length})`,
  );
} finally {
  rmSync(home, { recursive: true, force: true });
}
