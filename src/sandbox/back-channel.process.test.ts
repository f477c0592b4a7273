/** world.md: Sandbox: what each of its lines asks of this room, in both kinds of isolation. */
import { execFileSync } from 'node:child_process';
import { openSync, readFileSync, readSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { SondeError } from '../core/index.ts';
import { engineProgramText } from './engine-code.ts';
import { engineFiles } from './files.ts';
import type { Operations } from './sandbox.ts';
import { listDescendants } from './testbed/endurance.ts';
import { createSandbox } from './wasm-sandbox.ts';

/** Operations as an agent has them, each behind a capability, and what a caller with some of these is given. */
const behind: Readonly<Record<string, string>> = {
  read: 'PagesRead',
  write: 'PagesWrite',
  recall: 'MemoryRead',
};
function tableFor(capabilities: readonly string[], asked: string[]): Operations {
  const offered = Object.entries(behind).filter(([, needed]) => capabilities.includes(needed));
  const answer = (name: string) => () => {
    asked.push(name);
    return `${name} done`;
  };
  return Object.fromEntries(offered.map(([name]) => [name, answer(name)]));
}

const tryAll = `
import json, _sbx
for name in ["read", "write", "recall", "READ", "read ", "__proto__", "constructor", "toString", "hasOwnProperty"]:
    raw = json.loads(_sbx.call(json.dumps([name, {}]).encode()))
    try: said = call_host(name)
    except HostError as e: said = e.code
    print(name, said, raw.get("value", raw.get("code")))
`;
const none = 'unknown_operation';
const told = (name: string, said: string) => `${name} ${said} ${said}`;
const othersTold = ['READ', 'read ', '__proto__', 'constructor', 'toString', 'hasOwnProperty'].map((name) =>
  told(name, none),
);

describe.each(['process', 'thread'] as const)('%s', (isolation) => {
  // One worker is used again and again: what one session may do must not be left for the next.
  const sandbox = createSandbox({ isolation, warm: 1 });
  afterAll(() => sandbox.close());

  // world.md: Sandbox 1 and 2.
  test('each session is a fresh one, lives until it is closed, and nothing of it is left', async () => {
    const session = await sandbox.open();
    await session.execute('kept = 1');
    expect(await session.execute('kept')).toMatchObject({ kind: 'ok', value: { value: 1 } });
    await session.close();
    await expect(session.execute('kept')).rejects.toMatchObject({ code: 'sandbox_ended' });
    const next = await sandbox.open();
    expect(await next.execute('kept')).toMatchObject({ kind: 'error', error: { type: 'NameError' } });
    await next.close();
  });

  // world.md: Sandbox 4 and 5.
  test('endless loops and growth end by a limit, errors are text, and names are kept through all of it', async () => {
    const session = await sandbox.open({ limits: { fuel: 10_000_000, memory_bytes: 64 * 2 ** 20 } });
    const cells = [
      'kept = [1]',
      '1/0',
      'while True: pass',
      'x = []\nwhile True: x.append(bytes(10**6))',
      'kept',
    ];
    const results = [];
    for (const cell of cells) results.push(await session.execute(cell));
    expect(results.map(({ kind }) => kind)).toEqual(['ok', 'error', 'error', 'error', 'ok']);
    expect(results[1]).toMatchObject({ error: { traceback: expect.stringContaining('ZeroDivisionError') } });
    expect(results[2]?.hits).toMatchObject([{ limit: 'fuel' }]);
    expect(results[3]?.hits).toMatchObject([{ limit: 'memory_bytes' }]);
    expect(results[4]).toMatchObject({ value: { value: [1] } });
    await session.close();
  });

  // world.md: Sandbox 6.
  test.each([
    { capabilities: [], said: [none, none, none] },
    { capabilities: ['PagesRead'], said: ['read done', none, none] },
    { capabilities: ['PagesRead', 'MemoryRead'], said: ['read done', none, 'recall done'] },
    {
      capabilities: ['PagesRead', 'PagesWrite', 'MemoryRead'],
      said: ['read done', 'write done', 'recall done'],
    },
  ])(
    'a caller with $capabilities reaches what these offer and nothing else',
    async ({ capabilities, said }) => {
      const asked: string[] = [];
      const session = await sandbox.open({ operations: tableFor(capabilities, asked) });
      const { stdout } = await session.execute(tryAll);
      const names = Object.keys(behind);
      expect(stdout.text.trim().split('\n')).toEqual([
        ...names.map((name, i) => told(name, said[i]!)),
        ...othersTold,
      ]);
      expect(asked).toEqual(names.filter((_, i) => said[i] !== none).flatMap((name) => [name, name]));
      await session.close();
    },
  );

  test('sessions side by side keep apart what their callers may do', async () => {
    const [reader, writer] = [[] as string[], [] as string[]];
    const [one, other] = await Promise.all([
      sandbox.open({ operations: tableFor(['PagesRead'], reader) }),
      sandbox.open({ operations: tableFor(['PagesWrite'], writer) }),
    ]);
    await Promise.all([one, other].map((session) => session.execute(tryAll)));
    expect([reader, writer]).toEqual([
      ['read', 'read'],
      ['write', 'write'],
    ]);
    await Promise.all([one.close(), other.close()]);
  });

  test('a checkpoint carries no rights: whoever restores it gives its own', async () => {
    const [first, second] = [[] as string[], [] as string[]];
    const session = await sandbox.open({ operations: tableFor(['PagesWrite'], first) });
    await session.execute('import _sbx\nold, ask = call_host, _sbx.call\nold("write")');
    const saved = await session.checkpoint();
    await session.close();
    const restored = await sandbox.restore(saved, { operations: tableFor(['PagesRead'], second) });
    const result = await restored.execute(
      'try: old("write")\nexcept HostError as e: print(e.code)\nprint(ask(b\'["write",{}]\').decode())',
    );
    expect(result.stdout.text).toMatch(/^unknown_operation\n.*unknown_operation/);
    expect([first, second]).toEqual([['write'], []]);
    await restored.close();
  });

  test('an operation that refuses is heard by its code, and its own words only where they are meant to be', async () => {
    const operations: Operations = {
      write: () => {
        throw new SondeError('capability_denied' as never, { message: 'PagesWrite is missing' });
      },
      leak: () => {
        throw new Error('key=sk-secret');
      },
    };
    const session = await sandbox.open({ operations });
    const { stdout } = await session.execute(
      'for name in "write", "leak":\n  try: call_host(name)\n  except HostError as e: print(e.code, e)',
    );
    expect(stdout.text).toMatch(/^capability_denied PagesWrite is missing\ninternal /);
    expect(stdout.text).not.toContain('sk-secret');
    await session.close();
  });
});

describe('the sandbox holds nothing of an agent', () => {
  // world.md: Sandbox 7: what runs beside the guest is these modules and nothing else.
  test('its programs are made of the engine alone, and load nothing of Node but reading, pipes and threads', () => {
    for (const entry of ['inside/worker', 'inside/worker-process']) {
      const text = engineProgramText(entry, engineFiles);
      const loaded = [...text.matchAll(/require\(['"]([^'"]+)['"]\)|getBuiltinModule\(['"]([^'"]+)['"]\)/g)];
      const names = new Set(loaded.map(([, required, builtin]) => required ?? builtin));
      const allowed = ['node:crypto', 'node:fs', 'node:v8', 'node:worker_threads', 'node:zlib'];
      expect([...names].filter((name) => !allowed.includes(name!))).toEqual([]);
      expect(text).not.toMatch(/\b(?:import\(|eval\(|new Function|fetch\(|process\.env)/);
    }
  });

  test.skipIf(process.platform !== 'linux')(
    'no byte of what the host holds is in the memory of its process, but for what an operation answered (Linux only)',
    async () => {
      // Made when the test runs, so that no file that is read holds them.
      const [held, answered] = ['held', 'answered'].map(
        (word) => `${word}-${process.pid}-${Math.random()}`,
      ) as [string, string];
      process.env['SONDE_TEST_HELD'] = held;
      const before = listDescendants(process.pid);
      const sandbox = createSandbox({ warm: 1 });
      try {
        const state = { conversation: held };
        const session = await sandbox.open({
          operations: { read: () => (state.conversation === held ? answered : null) },
        });
        await session.execute('text = call_host("read")');
        const inner = listDescendants(process.pid).filter((pid) => !before.includes(pid));
        const found = inner.map((pid) => [occurs(pid, held), occurs(pid, answered)]);
        expect(found.every(([first]) => !first)).toBe(true);
        // The search would have found it.
        expect(found.some(([, second]) => second)).toBe(true);
        await session.close();
      } finally {
        delete process.env['SONDE_TEST_HELD'];
        await sandbox.close();
      }
    },
  );
});

describe('who uses no sandbox starts none', () => {
  // world.md: Sandbox 8.
  test('making one starts no process, no thread and builds nothing; closing it neither', async () => {
    const program = `
      import { createSandbox } from ${JSON.stringify(new URL('./wasm-sandbox.ts', import.meta.url).href)};
      import { readdirSync } from 'node:fs';
      const threads = () => process.platform === 'linux' ? readdirSync('/proc/self/task').length : 0;
      const before = threads();
      const made = [createSandbox({ isolation: 'process', cacheDirectory: '/nonexistent/x' }),
        createSandbox({ isolation: 'thread', cacheDirectory: '/nonexistent/x' })];
      // Nothing that was put off comes later.
      for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
      const after = threads();
      for (const each of made) await each.close();
      console.log(JSON.stringify({ grew: after - before, handles: process.getActiveResourcesInfo().filter((name) => /Process|Worker|MessagePort/.test(name)) }));
    `;
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
    });
    expect(JSON.parse(printed)).toEqual({ grew: 0, handles: [] });
  });
});

/** Whether a text is anywhere in what a process can write to. */
function occurs(pid: number, text: string): boolean {
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  const wanted = [Buffer.from(text), Buffer.from(text, 'utf16le')];
  const piece = Buffer.alloc(1 << 24);
  const ranges = readFileSync(`/proc/${pid}/maps`, 'utf8').matchAll(/^([0-9a-f]+)-([0-9a-f]+) rw/gm);
  for (const [, from = '', to = ''] of ranges) {
    for (let at = Number.parseInt(from, 16); at < Number.parseInt(to, 16); at += piece.length - 256) {
      const length = Math.min(piece.length, Number.parseInt(to, 16) - at);
      const read = readQuietly(memory, piece, length, at);
      if (wanted.some((bytes) => piece.subarray(0, read).includes(bytes))) return true;
    }
  }
  return false;
}

/** Parts of a memory that was reserved only can't be read. */
function readQuietly(file: number, into: Buffer, length: number, at: number): number {
  try {
    return readSync(file, into, 0, length, at);
  } catch {
    return 0;
  }
}
