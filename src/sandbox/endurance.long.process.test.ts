import { describe, expect, test } from 'vitest';
import { measureFootprint, runInParallel, runSequentially } from './testbed/endurance.ts';
import { createSandbox } from './wasm-sandbox.ts';

/** The full numbers, 1,000 and 100, are run by scripts/sandbox-nightly.ts. */
describe.skipIf(process.platform !== 'linux')('many sessions (counted on Linux only)', () => {
  test.each(['process', 'thread'] as const)('leave nothing behind: %s', async (isolation) => {
    const before = measureFootprint();
    const sandbox = createSandbox({ isolation });
    await runSequentially(sandbox, 20);
    const early = measureFootprint();
    await runSequentially(sandbox, 60);
    const late = measureFootprint();
    expect(late.threads).toBeLessThanOrEqual(early.threads + 4);
    expect(late.descriptors).toBeLessThanOrEqual(early.descriptors + 4);
    expect(late.processes).toBe(early.processes);
    expect(late.memory_mb).toBeLessThan(early.memory_mb + 150);
    await runInParallel(sandbox, 12);
    await sandbox.close();
    const after = measureFootprint();
    expect(after.processes).toBe(before.processes);
    expect(after.descriptors).toBeLessThanOrEqual(before.descriptors + 4);
  });
});
