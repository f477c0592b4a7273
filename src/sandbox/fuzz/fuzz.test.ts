import { describe, expect, test } from 'vitest';
import { createSandbox } from '../wasm-sandbox.ts';
import { fuzz } from './fuzz.ts';
import { targets } from './targets.ts';

describe('random bytes', () => {
  // Checkpoints take as long as all others together: fuzz.long.process.test.ts.
  test.each(Object.keys(targets).filter((target) => target !== 'checkpoints'))(
    '%s: a short run',
    async (target) => {
      expect(await fuzz(target, 1, 400)).toBeNull();
    },
  );

  test('the back-channel, from inside', async () => {
    const sandbox = createSandbox({ isolation: 'thread', limits: { calls: 5000, fuel: 200_000_000 } });
    try {
      const session = await sandbox.open({ seed: 'fuzz', operations: { echo: ({ x }) => x ?? null } });
      const result = await session.execute(`
import _sbx, json, random
good = b'["echo",{"x":[1,{"$":"tuple","v":[2]}]}]'
for i in range(2000):
    request = bytearray(good if i % 2 else random.randbytes(random.randrange(60)))
    for _ in range(random.randrange(4)):
        if request: request[random.randrange(len(request))] = random.randrange(256)
    answer = json.loads(_sbx.call(bytes(request)))
    assert "value" in answer or "error" in answer, answer
print("fine")`);
      expect(result.stdout.text).toBe('fine\n');
      expect(result.calls).toBe(2000);
    } finally {
      await sandbox.close();
    }
  });
});
