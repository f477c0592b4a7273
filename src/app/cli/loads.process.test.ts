/**
 * What a command loads, as Node's own coverage counts it: files of ours and of packages. A command that loads more than
 * this has begun to load what it doesn't use: `import()` it where it is used, or enter the room by a second door.
 * Which files those are is recorded, so that a failure names the new ones. Where fewer are loaded than before, lower the
 * ceiling and record again: `RECORD_LOADS=1 npx vitest run src/app/cli/loads.process.test.ts`.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { newHome, type Surroundings, sonde } from '../testbed/run-sonde.ts';
import { createSmallTree } from '../testbed/small-tree.ts';

const root = new URL('../../../', import.meta.url).href;
const home = newHome();
const tree = createSmallTree();
const folder = mkdtempSync(join(tmpdir(), 'sonde-loads-'));
const incident = join(folder, 'incident');

beforeAll(async () => {
  const notes = join(folder, 'notes');
  mkdirSync(notes);
  writeFileSync(join(notes, 'Budget.md'), '# Budget\nThe pool is shared.\n');
  await sonde(['world', 'import', notes], { home });
  mkdirSync(incident);
  const alert = { title: 'Shop is slow', severity: 'critical', commonLabels: { alertname: 'Slow' } };
  writeFileSync(join(incident, 'alert.json'), JSON.stringify(alert));
});

/** Each command is counted once. */
const counted = new Map<string, Promise<readonly string[]>>();

async function loaded(args: readonly string[], around: Surroundings = {}): Promise<readonly string[]> {
  const coverage = mkdtempSync(join(folder, 'coverage-'));
  const env = { NODE_V8_COVERAGE: coverage, SONDE_MODEL: 'extractive' };
  const { stderr } = await sonde(args, { home, env, ...around });
  expect(stderr).not.toMatch(/^sonde: /m);
  const urls = readdirSync(coverage).flatMap((file) => {
    const { result } = JSON.parse(readFileSync(join(coverage, file), 'utf8')) as {
      result: { url: string }[];
    };
    return result.map(({ url }) => url);
  });
  return [...new Set(urls.filter((url) => url.startsWith('file:')))];
}

const ceilings: readonly (readonly [name: string, args: readonly string[], max: number, input?: string])[] = [
  ['ask', ['ask', 'Where is a parcel delivered?', tree, '--json'], 437],
  ['search', ['search', 'deliver', tree], 185],
  ['world search', ['world', 'search', 'budget'], 209],
  ['incident --replay', ['incident', '--replay', incident], 528],
  ['chat', ['chat'], 332],
  ['chat, with a turn', ['chat'], 693, 'What is a budget?\n'],
];

function filesOf([name, args, , input]: (typeof ceilings)[number]): Promise<readonly string[]> {
  const files = counted.get(name) ?? loaded(args, input === undefined ? {} : { input });
  counted.set(name, files);
  return files;
}

const recorded = fileURLToPath(new URL('./testbed/loads.json', import.meta.url));

/** Files by command. Of packages it is known how many, since their files change names with each version. */
type Loads = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Our files one by one, and packages with the number of their files. */
function countByPart(files: readonly string[]): Readonly<Record<string, number>> {
  const parts = files.map(
    (url) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? url.slice(root.length),
  );
  const counts = Map.groupBy(parts.toSorted(), (part) => part);
  return Object.fromEntries([...counts].map(([part, { length }]) => [part, length]));
}

function readLoads(): Loads {
  return JSON.parse(readFileSync(recorded, 'utf8')) as Loads;
}

/** What is loaded now and was not when it was recorded. */
function newParts(name: string, files: readonly string[]): readonly string[] {
  const before = readLoads()[name] ?? {};
  return Object.entries(countByPart(files))
    .filter(([part, count]) => count > (before[part] ?? 0))
    .map(([part, count]) =>
      part.includes('.ts') || part.includes('.mjs')
        ? part
        : `${part}: ${count} files, ${before[part] ?? 0} before`,
    );
}

beforeAll(async () => {
  if (process.env['RECORD_LOADS'] === undefined) return;
  const loads: Record<string, Loads[string]> = {};
  for (const row of ceilings) loads[row[0]] = countByPart(await filesOf(row));
  writeFileSync(recorded, `${JSON.stringify(loads, null, 2)}\n`);
});

it.each(ceilings.map((row) => ({ name: row[0], row })))('$name', async ({ name, row }) => {
  const [, , max] = row;
  const files = await filesOf(row);
  const message = `${name} loads ${files.length} files, ${max} are the ceiling. New:\n${newParts(name, files).join('\n')}`;
  expect(files.length, message).toBeLessThanOrEqual(max);
  // Something was counted at all.
  expect(files.length).toBeGreaterThan(max * 0.8);
});

it('what is recorded has as many files as the ceilings say', () => {
  const counts = Object.entries(readLoads()).map(([name, parts]) => [
    name,
    Object.values(parts).reduce((sum, count) => sum + count, 0),
  ]);
  expect(counts).toEqual(ceilings.map(([name, , max]) => [name, max]));
});

it('nothing but a turn of a conversation loads LangGraph', async () => {
  for (const row of ceilings) {
    const [name, , , input] = row;
    const files = await filesOf(row);
    expect([name, files.some((url) => url.includes('node_modules/@langchain/'))]).toEqual([
      name,
      input !== undefined,
    ]);
  }
});
