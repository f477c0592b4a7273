/**
 * Cells that overwrite what they were given. world.md: Investigation 7: they can't replace a helper for good.
 * And while such a cell runs, it gains nothing: what counts is what the host was asked, and the host keeps its rules.
 */
import { afterAll, describe, expect, test } from 'vitest';
import type { Value } from './value.ts';
import { createSandbox } from './wasm-sandbox.ts';

const source = `
from sonde_host import EndCell, call_host
__all__ = ["kb_read", "FINAL"]

def kb_read(path, start=0, *, end=None):
    return call_host("kb_read", path=path, start=start, end=end)

def FINAL(answer):
    call_host("final", answer=answer)
    raise EndCell
`;
const sandbox = createSandbox({ isolation: 'thread', helpers: [{ name: 'small_helpers', source }] });
afterAll(() => sandbox.close());

/** Runs a cell, and then one that reads and answers as it should; what the host was asked by each. */
async function attacked(code: string) {
  const asked: string[] = [];
  const note = (name: string) => (args: Readonly<Record<string, Value>>) => {
    asked.push(`${name} ${String(args['path'] ?? args['answer'])}`);
    return 'true text';
  };
  const operations = { kb_read: note('kb_read'), final: note('final') };
  const session = await sandbox.open({ operations, seed: 'attacked', limits: { calls: 5 } });
  const result = await session.execute(code);
  const during = asked.splice(0);
  const next = await session.execute('FINAL(kb_read("b.md"))');
  await session.close();
  return { result, during, next, after: asked };
}

const forged = '(lambda *a, **k: "forged")';
const attacks: Readonly<Record<string, string>> = {
  'a name of the cell': `kb_read = ${forged}`,
  'a name deleted': 'del kb_read, FINAL',
  'a name of the module': `import small_helpers\nsmall_helpers.kb_read = ${forged}`,
  'a name of the module of calls': `import sonde_host\nsonde_host.call_host = sonde_host._call = ${forged}`,
  'the global a helper uses': `kb_read.__globals__["call_host"] = ${forged}`,
  'all globals of a helper': 'kb_read.__globals__.clear()',
  'the way values go': `import sonde_values\nsonde_values.dumps = sonde_values.loads = sonde_values.lower = ${forged}`,
  'the channel itself': `import _sbx\n_sbx.call = _sbx.out = _sbx.execute = ${forged}`,
  'the parts of the driver': `import sonde_driver as d\nd._cell = d._execute = d.dumps = d._sent = d.run = ${forged}`,
  'built-in functions': 'import builtins\nbuiltins.len = builtins.type = builtins.str = None',
  'built-in functions deleted': 'import builtins\nfor name in list(vars(builtins)): delattr(builtins, name)',
  'the streams, and how deep calls may go':
    'import sys\nsys.stdout = sys.stderr = sys.stdin = None\nsys.setrecursionlimit(60)',
  'what puts things back': `import sonde_repair\nsonde_repair.Kept = sonde_repair.Kept.put_back = ${forged}`,
  'modules of its own name': 'import sys\nsys.modules["sonde_host"] = sys.modules["small_helpers"] = sys',
};
const refusedAttacks: Readonly<Record<string, string>> = {
  'the code of a helper': `kb_read.__code__ = ${forged}.__code__`,
  'the code of what a helper calls': `call_host.__code__ = ${forged}.__code__`,
  'the code of the driver': `import sonde_driver\nsonde_driver.run.__code__ = (lambda: None).__code__`,
  'the code of what puts back': `import sonde_repair\nsonde_repair.Kept.put_back.__code__ = (lambda self: None).__code__`,
  'defaults of a helper': 'kb_read.__defaults__ = (7,)',
  'defaults by name': 'kb_read.__kwdefaults__ = {"end": 1}',
  'defaults removed': 'del kb_read.__defaults__',
  'by object': 'object.__setattr__(kb_read, "__defaults__", (7,))',
  'by the type': 'type(kb_read).__code__.__set__(kb_read, (lambda: 0).__code__)',
};

describe('what a cell overwrites', () => {
  test.each(Object.entries(attacks))('%s: is as it was in the next', async (_, code) => {
    const { during, next, after } = await attacked(code);
    expect(during).toEqual([]);
    expect(next).toMatchObject({ kind: 'ok', value: null });
    expect(after).toEqual(['kb_read b.md', 'final true text']);
  });

  test.each(Object.entries(refusedAttacks))('%s: is refused at once', async (_, code) => {
    const { result, next, after } = await attacked(code);
    expect(result).toMatchObject({ kind: 'error', error: { type: 'TypeError' } });
    expect(next).toMatchObject({ kind: 'ok' });
    expect(after).toEqual(['kb_read b.md', 'final true text']);
  });
});

test('the streams, the built-in functions and the recursion limit are those that they were', async () => {
  const session = await sandbox.open({ seed: 'attacked' });
  const look =
    'import builtins, sys\nprint(abs(-1), sys.getrecursionlimit(), len(vars(builtins)))\nids = [id(s) for s in (sys.stdin, sys.stdout, sys.stderr)]\nids';
  const before = await session.execute(look);
  expect(before).toMatchObject({ kind: 'ok', stdout: { text: expect.stringMatching(/^1 1000 /) } });
  const broken = 'sys.stdin = sys.stdout = sys.stderr = None\nbuiltins.abs = None\nsys.setrecursionlimit(50)';
  expect(await session.execute(broken)).toMatchObject({ kind: 'ok' });
  const after = await session.execute(look);
  expect(after).toMatchObject({
    kind: 'ok',
    value: (before as { value?: object }).value,
    stdout: before.stdout,
  });
  await session.close();
});

describe('while it is overwritten', () => {
  test('a forged read or answer never reached the host', async () => {
    const { during } = await attacked(`kb_read = FINAL = ${forged}\nFINAL(kb_read("a.md"))`);
    expect(during).toEqual([]);
  });
  test.each([
    ['an operation that is not offered', 'kb_write', /unknown_operation/],
    ['a name from the prototype', '__proto__', /unknown_operation/],
  ])('%s is refused, however it is asked for', async (_, operation, words) => {
    const raw = `print(_sbx.call(b'["${operation}",{}]').decode())`;
    const patched = `def f(o, **k): return _sbx.call(dumps(["${operation}", k]))\nsonde_host.call_host = f\nprint(f("kb_read"))`;
    for (const code of [raw, patched]) {
      const head = 'import _sbx, sonde_host\nfrom sonde_values import dumps\n';
      const { result, during } = await attacked(head + code);
      expect(result.stdout.text).toMatch(words);
      expect(during).toEqual([]);
    }
  });
  test('calls are counted where nothing in reach can count them', async () => {
    const { result, during } = await attacked(
      `import _sbx, sonde_host\nask = _sbx.call\n_sbx.call = sonde_host._call = ${forged}\n` +
        'for i in range(50): ask(b\'["kb_read",{"path":"a.md"}]\')',
    );
    expect(during).toHaveLength(5);
    expect(result.hits).toMatchObject([{ limit: 'calls', allowed: 5, used: 50 }]);
  });
  test('a result that is made up costs the cell, and the host stays with what it counted', async () => {
    const { result, next } = await attacked(
      'import sonde_driver as d\nd.dumps = lambda r: b\'{"status":"ok","fuel":0,"hits":[],"names":["forged"],"value":null}\'\n' +
        'for _ in range(20000): pass',
    );
    expect(result.fuel).toBeGreaterThan(20_000);
    expect(next.names).not.toContain('forged');
  });
  test.each([
    '{"status":"ok","value":"text"}',
    '{"status":"ok","value":5,"names":{"a":1}}',
    '{"status":"ok","value":[]}',
    '{"status":"error","error":null}',
    '{"status":"error","error":[1],"names":[5,"a"]}',
    '{"status":5}',
    '[]',
    'null',
    '5',
    '"text"',
    '{}}',
  ])('the answer %s of a driver is a result all the same', async (answer) => {
    const { result, next } = await attacked(`import sonde_driver as d\nd.dumps = lambda r: b'${answer}'`);
    expect(['ok', 'error', 'killed']).toContain(result.kind);
    expect(result.names.every((name) => typeof name === 'string')).toBe(true);
    expect(next).toMatchObject({ kind: 'ok', value: null });
  });
});
