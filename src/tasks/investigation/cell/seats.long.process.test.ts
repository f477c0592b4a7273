import { expect, it } from 'vitest';
import { bench, code, runTrial } from '../investigation.contract.ts';
import { maxOpen } from './seats.ts';

it('more investigations than there are places all keep their names', async () => {
  const b = bench();
  try {
    const results = await Promise.all(
      Array.from({ length: maxOpen + 8 }, (_, n) =>
        runTrial(b, {
          context: n,
          script: [
            code('mine = [context]'),
            code('mine.append(llm_query("x"))'),
            code('mine.append(len(mine))'),
            code('FINAL(mine)'),
          ],
        }),
      ),
    );
    expect(results.map(({ investigation }) => investigation.result.answer)).toEqual(
      results.map((_, n) => [n, 'an analyst', 2]),
    );
  } finally {
    await b.close();
  }
});
