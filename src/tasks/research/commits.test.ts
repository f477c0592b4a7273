import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { extractive } from '../../model/index.ts';
import { openStore } from '../../store/index.ts';
import { countCommits } from '../../store/runs/counted-commits.contract.ts';
import { files, question, withoutWaiting } from './research.contract.ts';
import { researchRun } from './run.ts';
import { scriptedMaterial } from './scripted.ts';

/** 51 where each record, event and reservation was a transaction of its own. */
const maxCommits = 12;

it(`one question without a model is kept in at most ${maxCommits} commits`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-commits-'));
  const counted = countCommits();
  try {
    const store = openStore(join(folder, 'sonde.db'));
    const before = counted.count();
    const { result } = await researchRun.start(
      { question, root: '/material' },
      {
        store,
        models: { planner: extractive, analyst: extractive },
        material: scriptedMaterial({ files }),
        ...withoutWaiting,
      },
    );
    const made = counted.count() - before;
    await store.close();
    expect(result.spent.steps).toBeGreaterThan(3);
    expect(made).toBeLessThanOrEqual(maxCommits);
  } finally {
    counted.restore();
    rmSync(folder, { recursive: true });
  }
});
