import { expect, test } from 'vitest';
import { fuzz } from './fuzz.ts';

test('random bytes: checkpoints, a short run', async () => {
  expect(await fuzz('checkpoints', 1, 400)).toBeNull();
});
