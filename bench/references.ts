/**
 * What asking for the uses of a name costs, beside `rg -w` for the same name in the same run, turn by turn; and what the
 * outline of a file costs once its grammar is loaded. Prints JSON; times in milliseconds.
 *
 * `node bench/references.ts CHECKOUT [--count N] [--seed N] [--outlines N]`: N definitions, and N files of up to 500 KB.
 * The checkout is not changed.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { rgPath } from '@vscode/ripgrep';
import { openCodeSources, symbolOf, symbolReader } from '../src/bench.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    outlines: { type: 'string', default: '150' },
  },
});
const [checkout] = positionals;
if (checkout === undefined) {
  console.log('skipped: give a checkout');
  process.exit(0);
}
const root = resolve(checkout);
const folder = mkdtempSync(join(tmpdir(), 'sonde-references-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

let state = Number(values.seed);
function shuffled<One>(all: readonly One[]): One[] {
  const found = [...all];
  for (let at = found.length - 1; at > 0; at -= 1) {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    const other = Math.floor((state / 0x7fffffff) * (at + 1));
    [found[at], found[other]] = [found[other]!, found[at]!];
  }
  return found;
}

const round = (value: number): number => Math.round(value * 10) / 10;
function spread(times: readonly number[]) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return { p50: at(0.5), p95: at(0.95), max: at(1) };
}

async function timed<Answer>(work: () => Promise<Answer>) {
  const processor = process.cpuUsage();
  const began = performance.now();
  const answer = await work();
  const took = performance.now() - began;
  const { user, system } = process.cpuUsage(processor);
  return { answer, took, processor: (user + system) / 1_000 };
}

function floor(name: string): number {
  const began = performance.now();
  spawnSync(rgPath, ['-w', '--no-messages', '-F', name, root], { stdio: 'ignore' });
  return performance.now() - began;
}

// Files, and definitions that somebody may ask for.
const first = openCodeSources(root, { folder });
await first.fill();
const { paths } = await first.words.listFiles();
const read = shuffled(
  paths.filter((path) => /\.(?:[mc]?[jt]sx?|py|go|rs|java|c|cc|cpp|h|cs|rb)$/.test(path)),
);
const names: { readonly symbol: string; readonly name: string }[] = [];
for (const path of read.slice(0, Number(values.count) * 4)) {
  const file = await first.syntax.read(path, readFileSync(join(root, path), 'utf8'));
  if (file.kind !== 'facts') continue;
  const own = file.facts.definitions.filter(
    ({ kind, flags, name }) =>
      /function|method|class|interface|struct/.test(kind) && !flags.includes('local') && name.length > 2,
  );
  for (const definition of shuffled(own).slice(0, 2))
    names.push({ symbol: symbolOf(file.facts, path, definition), name: definition.name });
}
const asked = shuffled(names).slice(0, Number(values.count));

interface Pass {
  readonly took: number[];
  readonly processor: number[];
  readonly floors: number[];
  readonly said: Record<string, number>;
  /** Cut at the limit, and how many of these are not called partial or unknown. */
  cut: number;
  cutComplete: number;
}

async function pass(open: () => ReturnType<typeof openCodeSources>, isNew: boolean): Promise<Pass> {
  const made: Pass = { took: [], processor: [], floors: [], said: {}, cut: 0, cutComplete: 0 };
  let sources = open();
  for (const { symbol, name } of asked) {
    if (isNew) {
      await sources.close();
      sources = open();
    }
    made.floors.push(floor(name));
    const { answer, took, processor } = await timed(() =>
      symbolReader({ ...sources }).references({ symbol }),
    );
    made.took.push(took);
    made.processor.push(processor);
    const said = answer.kind === 'listed' ? answer.completeness : answer.kind;
    made.said[said] = (made.said[said] ?? 0) + 1;
    if (answer.kind === 'listed' && answer.why.some((why) => /cut at its limit|in the time/.test(why))) {
      made.cut += 1;
      if (answer.completeness === 'complete') made.cutComplete += 1;
    }
  }
  await sources.close();
  return made;
}

const shown = ({ took, processor, floors, said, cut, cutComplete }: Pass) => ({
  ms: spread(took),
  processor: spread(processor),
  rg: spread(floors),
  besideRg: round(spread(took).p50 / spread(floors).p50),
  said,
  cut,
  cutComplete,
});

const nothing = await pass(() => openCodeSources(root), true);
// Fills what is kept on disk.
await pass(() => first, false);
const cold = await pass(() => openCodeSources(root, { folder }), true);
const kept = openCodeSources(root, { folder });
await pass(() => ({ ...kept, close: async () => {} }), false);
const warm = await pass(() => kept, false);

const reader = openCodeSources(root);
const outlines: { readonly took: number; readonly bytes: number }[] = [];
const loaded = new Set<string>();
for (const path of read) {
  if (outlines.length >= Number(values.outlines)) break;
  const { size } = statSync(join(root, path));
  if (size > 500_000) continue;
  const { took } = await timed(() => symbolReader({ ...reader }).outline({ path }));
  const ending = path.slice(path.lastIndexOf('.'));
  if (loaded.has(ending)) outlines.push({ took, bytes: size });
  loaded.add(ending);
}
await reader.close();

console.log(
  JSON.stringify(
    {
      checkout: root.split('/').at(-1),
      files: paths.length,
      asked: asked.length,
      load: loadavg().map(round),
      nothingOnDisk: shown(nothing),
      cold: shown(cold),
      warm: shown(warm),
      outline: {
        files: outlines.length,
        ms: spread(outlines.map(({ took }) => took)),
        largest: Math.max(0, ...outlines.map(({ bytes }) => bytes)),
      },
    },
    null,
    1,
  ),
);
