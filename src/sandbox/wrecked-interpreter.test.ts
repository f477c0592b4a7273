/** Cells after which no other could run: the session goes on by itself, with the names that it had. */
import { afterAll, expect, test } from 'vitest';
import { createSandbox } from './wasm-sandbox.ts';

const sandbox = createSandbox({ isolation: 'thread' });
afterAll(() => sandbox.close());

const next = 'import colorsys, csv\nclass Kind: pass\n[x, [n for n in range(3)], len("abc"), eval("1 + 1")]';

test.each(
  Object.entries({
    'an audit hook that fails': 'import sys\nsys.addaudithook(lambda *a: 1/0)',
    'finders taken away': 'import sys\nsys.meta_path.clear(); sys.path_hooks.clear(); sys.path.clear()',
    'finders replaced': 'import sys\nsys.meta_path = sys.path = None',
    'a finder that fails': 'import sys\nsys.meta_path.insert(0, 5)',
    'built-in names emptied': "globals()['__builtins__'] = {}",
    'built-in names deleted': "del globals()['__builtins__']",
    'all names cleared': 'globals().clear()',
    'all modules forgotten': 'import sys\nsys.modules.clear()',
    'the modules replaced': 'import sys\nsys.modules = {}',
    'a trace that fails': 'import sys\nsys.settrace(lambda *a: 1/0)',
    'a profile that fails': 'import sys\nsys.setprofile(lambda *a: 1/0)',
    'imports taken apart': 'import importlib._bootstrap as b\nb._find_and_load = b._gcd_import = None',
    'the import function replaced': 'import builtins\nbuiltins.__import__ = builtins.__build_class__ = None',
    'the driver emptied': 'import sonde_driver as d\nfor name in list(vars(d)): delattr(d, name)',
    'what the driver keeps replaced': 'import sonde_driver as d\nd._lists = d._modules = d._base = 5',
  }),
)('%s', async (_name, code) => {
  const session = await sandbox.open({ seed: 'wrecked' });
  await session.execute('x = 41');
  await session.execute(code);
  for (let cell = 0; cell < 2; cell += 1)
    expect(await session.execute(next)).toMatchObject({
      kind: 'ok',
      value: { value: [41, [0, 1, 2], 3, 2] },
    });
  expect((await session.variables()).map(({ name }) => name)).toContain('x');
  await session.close();
});

test('a cell that cleared all names is told that nothing of it stands', async () => {
  const session = await sandbox.open({ seed: 'wrecked' });
  await session.execute('x = 41');
  expect(await session.execute('y = 1\nglobals().clear()')).toMatchObject({
    kind: 'killed',
    reason: { kind: 'abort', detail: 'no other cell could have run after it' },
    rolled_back: true,
    names: ['x'],
  });
  await session.close();
});

test('a full session is no wreck: names can still be deleted', async () => {
  const session = await sandbox.open({ seed: 'full' });
  await session.execute('kept = 1\nhoard = []');
  expect(await session.execute('while True: hoard.append(bytes(1_000_000))')).toMatchObject({
    kind: 'error',
    error: { type: 'MemoryError' },
  });
  expect(await session.execute('hoard.clear()\nkept')).toMatchObject({ kind: 'ok', value: { value: 1 } });
  await session.close();
});

test.each(['sqlite3', 'zlib', 'gzip', 'zoneinfo', 'asyncio', 'unittest', 'bz2', 'subprocess', 'ctypes.util'])(
  'the part %s of the standard library is said to be missing',
  async (name) => {
    const session = await sandbox.open({ seed: 'missing' });
    const result = await session.execute(`import ${name}`);
    expect(result).toMatchObject({
      kind: 'error',
      error: {
        type: 'ModuleNotFoundError',
        message: expect.stringContaining('This part of the standard library is not in the sandbox'),
        traceback: expect.stringContaining('no sqlite3, zlib'),
      },
    });
    await session.close();
  },
);

test('what is no part of the standard library is not said to be one', async () => {
  const session = await sandbox.open({ seed: 'missing' });
  for (const name of ['numpy', 'sqllite3', 'asnycio'])
    expect(await session.execute(`import ${name}`)).toMatchObject({
      error: { message: `No module named '${name}'` },
    });
  await session.close();
});
