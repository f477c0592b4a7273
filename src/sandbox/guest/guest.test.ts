import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { createSandbox } from '../wasm-sandbox.ts';

/** The guest's own tests run where the guest does: in the interpreter that is shipped. */
const sandbox = createSandbox({ isolation: 'thread' });
afterAll(() => sandbox.close());

describe.each(['test_values', 'test_variables', 'test_repair', 'test_driver'])('%s.py', (file) => {
  const source = readFileSync(new URL(`./${file}.py`, import.meta.url), 'utf8');
  const names = [...source.matchAll(/^def (test_\w+)/gm)].map(([, name]) => name!);

  test.each(names)('%s', async (name) => {
    const session = await sandbox.open({ seed: name });
    const loaded = await session.execute(source);
    expect(loaded).toMatchObject({ kind: 'ok' });
    const result = await session.execute(`${name}()`);
    expect(result.kind === 'error' ? result.error.traceback : result.kind).toBe('ok');
    await session.close();
  });
});
