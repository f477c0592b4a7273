import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Limits } from './limits.ts';
import type { CellResult, Operations, Sandbox, Session } from './sandbox.ts';
import { Special, type Value } from './value.ts';

/** The contract tests of sandboxes that run Python. `make` creates the sandbox, which is closed afterwards. */
export function sandboxContract(name: string, make: () => Sandbox): void {
  describe(name, () => {
    let sandbox: Sandbox;
    beforeAll(() => {
      sandbox = make();
    });
    afterAll(() => sandbox.close());

    const withSession = async <T>(
      use: (session: Session) => Promise<T>,
      operations: Operations = {},
      limits: Partial<Limits> = {},
    ): Promise<T> => {
      const session = await sandbox.open({ operations, limits, seed: 'contract' });
      try {
        return await use(session);
      } finally {
        await session.close();
      }
    };
    const run = (cells: readonly string[], operations?: Operations, limits?: Partial<Limits>) =>
      withSession(
        async (session) => {
          const results: CellResult[] = [];
          for (const cell of cells) results.push(await session.execute(cell));
          return results;
        },
        operations,
        limits,
      );
    const last = async (cells: readonly string[], operations?: Operations, limits?: Partial<Limits>) =>
      (await run(cells, operations, limits)).at(-1)!;
    const runAndPrint = async (...cells: string[]) => (await last(cells)).stdout.text;

    describe('cells', () => {
      test('names persist, and vanish with the session', async () => {
        expect(await runAndPrint('x = 41', 'x += 1\nprint(x)')).toBe('42\n');
        expect(await last(['print(x)'])).toMatchObject({ kind: 'error', error: { type: 'NameError' } });
      });
      test('functions, classes and modules persist', async () => {
        expect(
          await runAndPrint(
            'import math as m\nclass A:\n  def __init__(self): self.v = m.pi\ndef f(a): return round(a.v, 2)',
            'print(f(A()))',
          ),
        ).toBe('3.14\n');
      });
      test('a cell with the clock readings of an earlier one gives the same result', async () => {
        const code = [
          'import time',
          'a = [time.time() for _ in range(50)]',
          'b = [time.monotonic() for _ in range(50)]',
          'while time.time() < a[0] + 0.03: pass',
          'print(a, b, time.time())',
        ].join('\n');
        const first = await last([code]);
        expect(first.clock).not.toBeNull();
        const again = await withSession((session) => session.execute(code, { clock: first.clock! }));
        expect(again.stdout.text).toBe(first.stdout.text);
        expect(again.fuel).toBe(first.fuel);
        expect(again.clock).toEqual(first.clock);
        expect((await last([code])).stdout.text).not.toBe(first.stdout.text);
      });
      test('a session says what it runs on', async () => {
        const image = await withSession(async (session) => session.image);
        expect(Object.values(image)).toEqual([0, 1, 2].map(() => expect.stringMatching(/^[0-9a-f]{64}$/)));
      });
      test('the value of a last expression', async () => {
        expect(await last(['a = 2\na ** 10'])).toMatchObject({
          value: { type: 'int', repr: '1024', value: 1024 },
        });
        expect(await last(['a = 2'])).toMatchObject({ kind: 'ok', value: null });
        expect(await last(['None'])).toMatchObject({ kind: 'ok', value: null });
      });
      test('a value that cannot be sent is described', async () => {
        const { value } = (await last(['class A: pass\n[A()]'])) as {
          value: { repr: string; problem: string };
        };
        expect(value.repr).toContain('A object');
        expect(value.problem).toContain('value[0]: a value of type A');
      });
      test('the streams are separate', async () => {
        const result = await last(['import sys\nprint("a")\nprint("b", file=sys.stderr)']);
        expect([result.stdout.text, result.stderr.text]).toEqual(['a\n', 'b\n']);
      });
      test('names made by the cells, in order, underscores among them', async () => {
        expect((await last(['b = 1\n_a = 2\n__c = 3', 'import re as d'])).names).toEqual([
          'b',
          '_a',
          '__c',
          'd',
        ]);
      });
    });

    describe('errors of the guest', () => {
      test('keep what was assigned before, and what was printed', async () => {
        const [failed, after] = await run(['y = 1\nprint("before")\n1/0\ny = 2', 'y']);
        expect(failed).toMatchObject({ kind: 'error', error: { type: 'ZeroDivisionError' } });
        expect(failed?.stdout.text).toBe('before\n');
        expect(after).toMatchObject({ value: { value: 1 } });
      });
      test('a traceback has the frames of the guest only, with their lines', async () => {
        const result = await last(['def f():\n    return [][1]', 'f()']);
        expect(result).toMatchObject({ kind: 'error' });
        const { traceback } = (result as { error: { traceback: string } }).error;
        expect(traceback).toContain('File "<cell 1>", line 2, in f\n    return [][1]');
        expect(traceback).toContain('File "<cell 2>", line 1, in <module>');
        expect(traceback).not.toContain('sonde_');
      });
      test.each([
        ['a syntax error', 'x = (', 'SyntaxError'],
        ['an exit', 'raise SystemExit(0)', 'SystemExit'],
        ['a long message', 'raise Exception("e" * 10_000_000)', 'Exception'],
        ['a group', 'raise ExceptionGroup("g", [ValueError(1), KeyError(2)])', 'ExceptionGroup'],
      ])('%s', async (_, code, type) => {
        const result = await last(['keep = 1', code]);
        expect(result).toMatchObject({ kind: 'error', error: { type }, names: ['keep'] });
        expect((result as { error: { traceback: string } }).error.traceback.length).toBeLessThan(9000);
      });
    });

    describe('the way out', () => {
      const operations: Operations = {
        echo: (args) => args['x'] ?? null,
        slow: async () => {
          await new Promise((resolve) => setTimeout(resolve, 60));
          return 'late';
        },
        broken: () => {
          throw new Error('token=hunter2');
        },
        large: () => 'x'.repeat(70_000),
      };
      const ask = (code: string, limits?: Partial<Limits>) => last([code], operations, limits);

      test('answers synchronously what the host answers asynchronously', async () => {
        expect((await ask('print(call_host("slow") + "r")')).stdout.text).toBe('later\n');
      });
      test.each([
        'None',
        'True',
        '0',
        '-5',
        '2**53',
        '-2**200',
        '1.5',
        '"\\ud800 \\x00 ü"',
        'b"\\x00\\xff"',
        '[]',
        '{}',
        '(1, (2,))',
        '{1, 2}',
        'frozenset({3})',
        '{1: "a", (2,): None}',
        '{"$": 1}',
        '{"__proto__": 1}',
        '{"constructor": {"$": [1]}}',
        'float("inf")',
        '-0.0',
        'bytearray(3)',
      ])('%s comes back as it went', async (value) => {
        const code = `v = ${value}\nw = call_host("echo", x=v)\nprint(w == v, repr(w) == repr(v).replace("bytearray(", "").replace("00')", "00'"))`;
        expect((await ask(code)).stdout.text).toBe('True True\n');
      });
      test('times, decimals and NaN come back as they went', async () => {
        const code = `import datetime as d, decimal
tz = d.timezone(d.timedelta(hours=2))
vs = [d.datetime(2026,1,2,3,4,5,6,tz), d.date(2026,1,2), d.time(1,2), d.timedelta(-1,2,3), decimal.Decimal("1.10")]
print([call_host("echo", x=v) == v for v in vs], call_host("echo", x=float("nan")))`;
        expect((await ask(code)).stdout.text).toBe('[True, True, True, True, True] nan\n');
      });
      test.each([
        ['a = []; a.append(a)', 'TransportError', 'contains itself'],
        ['a = {"k": [object()]}', 'TransportError', "value['x']['k'][0]: a value of type object"],
        ['a = 1\nfor _ in range(100): a = [a]', 'TransportError', 'nested more than 64 deep'],
        ['a = "x" * 2_000_000', 'ValueError', 'too large'],
      ])('%s is refused with a clear error', async (make, type, words) => {
        const result = await ask(`${make}\ncall_host("echo", x=a)`);
        expect(result).toMatchObject({
          kind: 'error',
          error: { type, message: expect.stringContaining(words) },
        });
      });
      test.each([
        ['an unknown operation', 'call_host("nope")', 'unknown_operation'],
        ['a name from the prototype', 'call_host("constructor")', 'unknown_operation'],
        ['a broken operation', 'call_host("broken")', 'internal'],
        ['too large an answer', 'call_host("large")', 'answer_too_large'],
      ])('%s is an error the guest can catch', async (_, code, expected) => {
        const caught = `try: ${code}\nexcept HostError as e: print(e.code, e)`;
        const { stdout } = await ask(caught, { answer_bytes: 65_536 });
        expect(stdout.text).toMatch(new RegExp(`^${expected} `));
        expect(stdout.text).not.toContain('hunter2');
      });
      test('the number of calls is limited', async () => {
        const code =
          'n = 0\ntry:\n  while True: call_host("echo", x=1); n += 1\nexcept HostError as e: print(n, e.code)';
        const result = await ask(code, { calls: 7 });
        expect(result.stdout.text).toBe('7 too_many_calls\n');
        expect(result.hits).toEqual([{ kind: 'limit', limit: 'calls', allowed: 7, used: 8 }]);
      });
      // The total wait is longer than the guest's time limit.
      test('waiting for the host is not the time of the guest', async () => {
        const result = await ask('for _ in range(5): call_host("slow")', { wall_ms: 250 });
        expect(result).toMatchObject({ kind: 'ok', hits: [] });
        expect(result.host_ms).toBeGreaterThan(290);
      });
    });

    describe('limits', () => {
      test('fuel: a loop is interrupted, and names are kept', async () => {
        const [stopped, after] = await run(
          ['n = 1\nwhile True: n += 1', 'n > 1000'],
          {},
          { fuel: 20_000_000 },
        );
        expect(stopped).toMatchObject({ kind: 'error', error: { type: 'KeyboardInterrupt' } });
        expect(stopped?.hits).toMatchObject([{ limit: 'fuel', allowed: 20_000_000 }]);
        expect(after).toMatchObject({ value: { value: true } });
      });
      test('fuel: a cell that ignores the interrupt is killed, and rolled back', async () => {
        const stubborn = 'keep = 2\nwhile True:\n  try:\n    while True: pass\n  except BaseException: pass';
        const [, killed, after] = await run(['keep = 1', stubborn, 'keep'], {}, { fuel: 5_000_000 });
        expect(killed).toMatchObject({ kind: 'killed', rolled_back: true, names: ['keep'] });
        expect(killed).toMatchObject({ reason: { kind: 'limit', limit: 'fuel', allowed: 5_000_000 } });
        expect(after).toMatchObject({ value: { value: 1 } });
      });
      test('fuel is equal for equal cells', async () => {
        const cells = [
          'd = {str(i): i for i in range(2000)}',
          'import json\njson.dumps(d)',
          'import random\nrandom.random()',
        ];
        const [first, second] = await Promise.all([run(cells), run(cells)]);
        expect(first.map(({ fuel }) => fuel)).toEqual(second.map(({ fuel }) => fuel));
      });
      test('the wall clock interrupts', async () => {
        const result = await last(['while True: pass'], {}, { wall_ms: 50, fuel: 10 ** 12 });
        expect(result.hits).toMatchObject([{ limit: 'wall_ms', allowed: 50 }]);
      });
      test('memory: refused, and the session lives', async () => {
        const limits = { memory_bytes: 48 * 2 ** 20 };
        const [grown, after] = await run(
          ['x = 1', 'l = []\nwhile True: l.append(bytearray(10**6))', 'x'].slice(1),
          {},
          limits,
        );
        expect(grown).toMatchObject({ kind: 'error', error: { type: 'MemoryError' } });
        expect(grown?.hits).toMatchObject([{ limit: 'memory_bytes', allowed: limits.memory_bytes }]);
        expect(grown?.memory_bytes).toBeLessThanOrEqual(limits.memory_bytes);
        expect(after?.kind).toBe('error');
      });
      test('output: head, tail and the true length', async () => {
        const result = await last(['print("head", "x" * 100_000, "tail")'], {}, { output_bytes: 1000 });
        expect(result.stdout.bytes).toBe(100_011);
        expect(result.stdout.truncated).toBe(true);
        expect(result.stdout.text).toMatch(
          /^head x+\n\[\.\.\. 99011 of 100011 bytes left out \.\.\.\]\nx+ tail\n$/,
        );
        expect(result.hits).toEqual([{ kind: 'limit', limit: 'output_bytes', allowed: 1000, used: 100_011 }]);
      });
      test('recursion', async () => {
        const result = await last(['def f(): return f()\nf()']);
        expect(result).toMatchObject({ kind: 'error', error: { type: 'RecursionError' } });
      });
      test('a limit out of its range names itself', async () => {
        await expect(sandbox.open({ limits: { fuel: 1 } })).rejects.toMatchObject({ code: 'bad_argument' });
        await expect(sandbox.open({ limits: { fule: 1 } as never })).rejects.toThrow(
          'no sandbox limit named fule',
        );
      });
    });

    describe('a killed cell', () => {
      test.each([
        ['os._exit', 'import os\nos._exit(3)', { kind: 'exit', code: 3 }],
        ['abort', 'import os\nos.abort()', { kind: 'abort' }],
        ['a fatal signal', 'import signal\nsignal.raise_signal(9)', { kind: 'abort' }],
      ])('%s costs that cell', async (_, code, reason) => {
        const [, killed, after] = await run([
          'l = [1]',
          `l.append(2)\nm = 3\n${code}`,
          'l, "m" in globals()',
        ]);
        expect(killed).toMatchObject({ kind: 'killed', rolled_back: true, reason });
        const value = (after as { value: { value: Special } }).value.value;
        expect(value.content).toEqual([[1], false]);
      });
      test('can be one after many, some heavy', async () => {
        await withSession(async (session) => {
          await session.execute('log = []');
          for (let i = 0; i < 12; i++)
            await session.execute(`log.append(${i})\nsum(range(${i % 4 === 3 ? 400_000 : 10}))`);
          await session.execute('log.append("lost")\nimport os\nos._exit(0)');
          await session.execute('log.append(12)');
          await session.execute('import os\nos._exit(0)');
          expect((await session.execute('log')) as object).toMatchObject({
            value: { value: Array.from({ length: 13 }, (_, i) => i) },
          });
        });
      });
      test('by the caller', async () => {
        const [begun, asked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        await withSession(
          async (session) => {
            await session.execute('x = 1');
            const stop = new AbortController();
            const cell = session.execute('x = 2\ncall_host("begun")\nwhile True: pass', {
              signal: stop.signal,
              limits: { fuel: 10 ** 12 },
            });
            await begun.promise;
            stop.abort();
            expect(await cell).toMatchObject({ kind: 'killed', reason: { kind: 'cancelled' } });
            const waiting = new AbortController();
            const call = session.execute('x = 3\ncall_host("never")', { signal: waiting.signal });
            await asked.promise;
            waiting.abort();
            expect(await call).toMatchObject({ kind: 'killed', reason: { kind: 'cancelled' } });
            expect(await session.execute('x')).toMatchObject({ value: { value: 1 } });
          },
          {
            begun: () => {
              begun.resolve();
              return null;
            },
            never: () => {
              asked.resolve();
              return new Promise<Value>(() => {});
            },
          },
        );
      });
      test('by the caller, while an operation begins or ends: its answer does not reach the cell', async () => {
        const aborts: boolean[] = [];
        const stops = new Map<string, AbortController>();
        const stopCell = (name: string) => {
          stops.get(name)!.abort();
          return name;
        };
        await withSession(
          async (session) => {
            for (const name of ['at_once', 'late', 'listening']) {
              const stop = new AbortController();
              stops.set(name, stop);
              const cell = session.execute(`x = call_host("${name}")`, { signal: stop.signal });
              expect([name, await cell]).toMatchObject([
                name,
                { kind: 'killed', reason: { kind: 'cancelled' } },
              ]);
            }
            expect(aborts).toEqual([true]);
            expect(await session.execute('"x" in globals()')).toMatchObject({ value: { value: false } });
          },
          {
            at_once: () => Promise.resolve(stopCell('at_once')),
            late: async () => {
              await Promise.resolve();
              return stopCell('late');
            },
            listening: async (_, { signal }) => {
              signal.addEventListener('abort', () => aborts.push(signal.aborted));
              return stopCell('listening');
            },
          },
        );
      });
    });

    describe('looking in', () => {
      test('variables: name, type, size, preview', async () => {
        await withSession(async (session) => {
          await session.execute(
            'a = [1, 2]\nb = "x" * 1000\nclass R:\n  def __repr__(self): raise RuntimeError("boom")\nr = R()',
          );
          expect(await session.variables()).toMatchObject([
            { name: 'a', type: 'list', size: 2, preview: '[1, 2]' },
            { name: 'b', type: 'str', size: 1000 },
            { name: 'R', type: 'type' },
            { name: 'r', type: 'R', size: null, preview: '<repr failed: RuntimeError: boom>' },
          ]);
        });
      });
      test('a repr that never ends costs the previews only', async () => {
        await withSession(async (session) => {
          await session.execute('class R:\n  def __repr__(self):\n    while True: pass\nr = R()');
          expect(await session.variables()).toMatchObject([
            { name: 'R' },
            { name: 'r', type: 'R', preview: '' },
          ]);
        });
      });
      test('SHOW_VARS shows what the guest made, not the helpers', async () => {
        expect(await last(['a = 1', 'SHOW_VARS()'])).toMatchObject({
          value: { value: [{ name: 'a', type: 'int', size: null, preview: '1' }] },
        });
      });
      test('SHOW_VARS leaves out what imports and loops left behind', async () => {
        const code =
          'import re\nfrom collections import Counter\nc = Counter("aab")\nfor k, v in c.items(): pass\nv = 1';
        expect(await last([code, '[row["name"] for row in SHOW_VARS()]'])).toMatchObject({
          value: { value: ['c', 'v'] },
        });
      });
      test('the value of a name', async () => {
        await withSession(async (session) => {
          await session.execute('a = {"k": (1, b"x")}');
          expect((await session.read('a'))?.value).toEqual({
            k: new Special('tuple', [1, new Uint8Array([120])]),
          });
          expect(await session.read('nope')).toBeNull();
        });
      });
      test('helpers are put back before every cell', async () => {
        const result = await last([
          'call_host = None\ndel SHOW_VARS\nimport builtins\nbuiltins.len = None',
          'len(SHOW_VARS()), call_host',
        ]);
        expect(result.kind).toBe('ok');
      });
    });

    describe('randomness', () => {
      const draw = 'import os, random\nprint(os.urandom(6).hex(), random.random())';
      test.each([
        ['x', 'df44f97ba99d 0.6674031409795007\n'],
        ['y', '51c6bac0f79c 0.12098532694313258\n'],
      ])('follows from the seed %s and nothing else', async (seed, expected) => {
        const session = await sandbox.open({ seed });
        expect((await session.execute(draw)).stdout.text).toBe(expected);
        await session.close();
      });
      test('differs where no seed is given', async () => {
        const [a, b] = await Promise.all([sandbox.open(), sandbox.open()]);
        const drawn = await Promise.all([a, b].map((session) => session.execute(draw)));
        expect(drawn[0]?.stdout.text).not.toBe(drawn[1]?.stdout.text);
        await Promise.all([a.close(), b.close()]);
      });
    });

    describe('checkpoints', () => {
      test('continue with names, objects, modules and randomness', async () => {
        const make =
          'import collections, random\nclass P:\n  def __init__(self, v): self.v = v\np = P([1]); q = p.v\nd = collections.deque([1, 2])\ng = (i for i in range(9)); next(g)';
        const use =
          'q.append(2); d.append(3)\nprint(p.v, list(d), next(g), random.random(), __import__("os").urandom(4).hex())';
        await withSession(async (session) => {
          await session.execute(make);
          const saved = await session.checkpoint();
          const here = await session.execute(use);
          const other = await sandbox.restore(saved);
          const there = await other.execute(use);
          expect(there.stdout.text).toBe(here.stdout.text);
          expect(there.fuel).toBe(here.fuel);
          expect(here.stdout.text).toMatch(/^\[1, 2\] \[1, 2, 3\] 1 /);
          expect(await other.execute('import os\nos._exit(1)')).toMatchObject({
            kind: 'killed',
            names: expect.arrayContaining(['p', 'q', 'd']),
          });
          expect((await other.execute('print(p.v)')).stdout.text).toBe('[1, 2]\n');
          await other.close();
        });
      });
      test.each([
        ['nothing', () => new Uint8Array(0)],
        ['something else', () => Buffer.from('{"names": []}'.repeat(100))],
        ['a damaged one', (good: Uint8Array) => Buffer.from(good).fill(1, 900, 901)],
        ['half of one', (good: Uint8Array) => good.subarray(0, good.length >> 1)],
      ])('%s is refused', async (_, corrupt) => {
        await withSession(async (session) => {
          await session.execute('x = list(range(1000))');
          const bad = corrupt(await session.checkpoint());
          await expect(sandbox.restore(bad)).rejects.toMatchObject({ code: 'bad_argument' });
        });
      });
    });

    describe('ends', () => {
      test('a closed session answers with an error, at once', async () => {
        const session = await sandbox.open();
        await session.close();
        await session.close();
        await expect(session.execute('1')).rejects.toMatchObject({ code: 'sandbox_ended' });
      });
      test('closing ends a cell that runs', async () => {
        const begun = Promise.withResolvers<void>();
        const operations: Operations = {
          begun: () => {
            begun.resolve();
            return null;
          },
        };
        const session = await sandbox.open({ operations, limits: { fuel: 10 ** 12, wall_ms: 600_000 } });
        const cell = session.execute('call_host("begun")\nwhile True: pass');
        await begun.promise;
        await session.close();
        expect(await cell).toMatchObject({ kind: 'killed', reason: { kind: 'cancelled' } });
      });
      test('sessions do not see each other', async () => {
        const [a, b] = await Promise.all([sandbox.open(), sandbox.open()]);
        await a.execute('secret = "s3cret"; import json; json.mine = 1');
        expect(await b.execute('import json\n"secret" in globals(), hasattr(json, "mine")')).toMatchObject({
          value: { repr: '(False, False)' },
        });
        await Promise.all([a.close(), b.close()]);
      });
      test('nothing of a session is left for the next on its worker', async () => {
        for (let i = 0; i < 3; i++) {
          const results = await run(['x = 1', 'while True: pass', 'x'], {}, { fuel: 1_000_000 });
          expect(results.map(({ kind }) => kind)).toEqual(['ok', 'error', 'ok']);
          expect(results[0]?.names).toEqual(['x']);
        }
      });
      test('cells of one session wait for each other', async () => {
        await withSession(async (session) => {
          const results = await Promise.all(
            ['x = 1', 'x += 1', 'x *= 5', 'x'].map((code) => session.execute(code)),
          );
          expect(results.at(-1)).toMatchObject({ value: { value: 10 } });
        });
      });
    });
  });
}
