import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { categories, type HostileProgram, programsOf, readSharedPrograms } from './programs.ts';
import { HostileSuite, type Verdict } from './suite.ts';

const dataFolder = process.env['SONDE_DATA'] ?? join(import.meta.dirname, '../../../../shared/data');
const canary = `canary-${process.pid}-8f3a`;
const folder = mkdtempSync(join(tmpdir(), 'sonde-hostile-'));
const file = join(folder, 'canary.txt');
let suite: HostileSuite;

beforeAll(() => {
  writeFileSync(file, `${canary}-file`);
  process.env['SONDE_CANARY'] = `${canary}-environment`;
  suite = new HostileSuite({ file, texts: [canary, 'root:x:0:'] });
});
afterAll(async () => {
  delete process.env['SONDE_CANARY'];
  await suite.close();
  rmSync(folder, { recursive: true });
});

async function check(programs: readonly HostileProgram[]): Promise<Map<string, Verdict>> {
  const verdicts = new Map<string, Verdict>();
  const rest = [...programs];
  const runRest = async () => {
    for (let next = rest.shift(); next; next = rest.shift()) verdicts.set(next.name, await suite.run(next));
  };
  // Two at a time: one waits for its worker while the other computes.
  await Promise.all([runRest(), runRest()]);
  const problems = [...verdicts].flatMap(([name, verdict]) =>
    verdict.problems.map((problem) => `${name}: ${problem}`),
  );
  expect(problems).toEqual([]);
  return verdicts;
}

// world.md: Sandbox 3.
describe('hostile programs', () => {
  test.each(categories)('%s', async (category) => {
    await check(programsOf(category));
  });

  test('there are at least 200 in at least 10 categories', () => {
    expect(categories.length).toBeGreaterThanOrEqual(10);
    expect(categories.flatMap(programsOf).length).toBeGreaterThanOrEqual(200);
  });

  const shared = readSharedPrograms(dataFolder);
  test.skipIf(shared === null)('those of the shared data folder (skipped where it is absent)', async () => {
    const verdicts = await check(shared!);
    for (const [name, { result, answer, asked }] of verdicts) {
      if (shared!.find((program) => program.name === name)?.category === 'forge') expect(asked).toEqual([]);
      if (/FINAL\('a'\)/.test(shared!.find((program) => program.name === name)!.code))
        expect(answer).toBe('a');
      expect(result.names).toContain('keep');
    }
  });
});
