import { describe, expect, test } from 'vitest';
import { scriptedSandbox } from './scripted.ts';

describe('a scripted sandbox', () => {
  test('answers every cell with one value', async () => {
    const sandbox = scriptedSandbox({ printed: 'hello\n' });
    const session = await sandbox.open();
    expect(await session.execute('anything')).toMatchObject({
      kind: 'ok',
      stdout: { text: 'hello\n', bytes: 6 },
    });
    expect(sandbox.cells).toEqual(['anything']);
  });
  test('takes a list, and says when it has run out', async () => {
    const session = await scriptedSandbox([{ printed: '1' }]).open();
    await session.execute('a');
    await expect(session.execute('b')).rejects.toThrow('the script has no cell 2');
  });
  test('takes a function that sets names and asks the host', async () => {
    const sandbox = scriptedSandbox(async ({ names, ask, number }) => {
      names.set(`answer${number}`, await ask('echo', { x: number }));
      return {};
    });
    const session = await sandbox.open({ operations: { echo: ({ x }) => x ?? null } });
    expect((await session.execute('')).names).toEqual(['answer1']);
    const restored = await sandbox.restore(await session.checkpoint());
    expect((await restored.read('answer1'))?.value).toBe(1);
    expect(await restored.variables()).toMatchObject([{ name: 'answer1', type: 'number' }]);
    expect(sandbox.open_sessions).toBe(2);
    await sandbox.close();
    expect(sandbox.open_sessions).toBe(0);
    await expect(session.execute('')).rejects.toMatchObject({ code: 'sandbox_ended' });
  });
});
