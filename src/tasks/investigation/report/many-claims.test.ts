import { afterAll, expect, test } from 'vitest';
import { bench, code, runTrial, testMaterial } from '../investigation.contract.ts';

const open = bench();
afterAll(() => open.close());

test('an answer with more claims than 4 KB hold gives the worst, and how many there are of each verdict', async () => {
  const pages = testMaterial({
    'a.md': Array.from({ length: 60 }, (_, n) => `The berth ${n} is ${n} m long.`).join('\n'),
  });
  const program = [
    'a = kb_read("a.md")',
    'said = [f"Berth {n} is {n + 900} m long." for n in range(30)]',
    'said += [f"The berth {n} is {n} m long {a.cite(n + 1, n + 1)}." for n in range(6)]',
    'FINAL(" ".join(said))',
  ].join('\n');
  const { investigation, result } = await runTrial(open, {
    script: [code(program), code(program)],
    testMaterial: pages,
  });
  const { claims = [], claim_counts } = investigation.result;
  expect(Buffer.byteLength(JSON.stringify(investigation.result))).toBeLessThanOrEqual(4_096);
  expect(claims.length).toBeGreaterThan(0);
  const counts = Object.values(claim_counts ?? {});
  expect(counts.reduce((sum, one) => sum + one, 0)).toBe(36);
  expect(claims.length).toBeLessThan(36);
  expect(result.status).toBe('partial');
});
