/**
 * What a command loads, as Node's own coverage counts it: files of ours and of packages. A command that loads more than
 * this has begun to load what it doesn't use: `import()` it where it is used, or enter the room by a second door.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { newHome, type Surroundings, sonde } from '../testbed/run-sonde.ts';
import { smallTree } from '../testbed/small-tree.ts';

const home = newHome();
const tree = smallTree();
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

const ceilings: readonly (readonly [name: string, args: readonly string[], most: number, input?: string])[] =
  [
    ['ask', ['ask', 'Where is a parcel delivered?', tree, '--json'], 445],
    ['search', ['search', 'deliver', tree], 201],
    ['world search', ['world', 'search', 'budget'], 261],
    ['incident --replay', ['incident', '--replay', incident], 479],
    ['chat', ['chat'], 451],
    ['chat, with a turn', ['chat'], 1124, 'What is a budget?\n'],
  ];

function filesOf([name, args, , input]: (typeof ceilings)[number]): Promise<readonly string[]> {
  const files = counted.get(name) ?? loaded(args, input === undefined ? {} : { input });
  counted.set(name, files);
  return files;
}

it.each(ceilings.map((row) => ({ name: row[0], row })))('$name', async ({ row }) => {
  const [, , max] = row;
  const files = await filesOf(row);
  expect(files.length).toBeLessThanOrEqual(max);
  // Something was counted at all.
  expect(files.length).toBeGreaterThan(max * 0.8);
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
