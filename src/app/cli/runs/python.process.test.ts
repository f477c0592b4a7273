/** `sonde python`, as a process of its own: what goes in and what comes out. */
import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';

const program = `
import { pythonCommand } from ${JSON.stringify(new URL('./python.ts', import.meta.url).href)};
await pythonCommand().parseAsync(process.argv.slice(1), { from: 'user' });`;

async function python(args: readonly string[], input: string) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, '--', ...args]);
  child.stdin.end(input);
  const exit = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { stdout, stderr, status: await exit };
}

const lines = (cells: readonly (string | object)[]) =>
  cells.map((cell) => (typeof cell === 'string' ? cell : JSON.stringify(cell))).join('\n');

describe('--jsonl', () => {
  test('exactly one line out for each line in, also for killed cells and bad lines', async () => {
    const cells = [
      { code: 'x = {"a": (1, 2)}\nprint("hi")\nx' },
      { code: '1/0' },
      { code: 'y = 1\nimport os\nos._exit(3)' },
      'not json',
      '',
      '{"code": 5}',
      { code: 'try:\n  while True: pass\nexcept BaseException:\n  while True: pass' },
      { code: 'print("\\x1b[2J\\u202e")\n"y" in globals(), sorted(x)' },
    ];
    const { stdout, status } = await python(['--jsonl', '--fuel', '5000000'], lines(cells));
    expect(status).toBe(0);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not get through
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    const results = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(results.map(({ status }) => status)).toEqual([
      'ok',
      'error',
      'killed',
      'invalid',
      'invalid',
      'invalid',
      'killed',
      'ok',
    ]);
    expect(results[0]).toMatchObject({ stdout: 'hi\n', stderr: '', value: { a: [1, 2] }, names: ['x'] });
    expect(results[0].fuel).toBeGreaterThan(0);
    expect(results[0].wall_ms).toBeGreaterThanOrEqual(0);
    expect(results[1].stderr).toContain('ZeroDivisionError');
    expect(results[2]).toMatchObject({ reason: { kind: 'exit', code: 3 }, names: ['x'] });
    expect(results[7].value).toEqual([false, ['a']]);
  });

  test('fuel is the same in every process and in both isolations', async () => {
    const cells = lines([
      { code: 'import random\nd = {random.random(): i for i in range(999)}' },
      { code: 'sorted(d)[0]' },
    ]);
    const runs = await Promise.all([python(['--jsonl'], cells), python(['--jsonl', '--in-process'], cells)]);
    const [first, second] = runs.map(({ stdout }) =>
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => {
          const { fuel, value } = JSON.parse(line);
          return { fuel, value };
        }),
    );
    expect(second).toEqual(first);
  });

  test('a limit that is no number names itself', async () => {
    expect((await python(['--jsonl', '--fuel', 'much'], '')).stderr).toContain('--fuel is "much"');
  });
});

describe('a file and a console', () => {
  test('a file: its output, escapes taken out, and its status', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'sonde-python-')), 'a.py');
    writeFileSync(file, 'print("one\\x1b[2J")\nraise ValueError("two")\n');
    const { stdout, stderr, status } = await python([file], '');
    expect([stdout, status]).toEqual(['one[2J\n', 1]);
    expect(stderr).toContain('ValueError: two');
  });

  test('a console: values, blocks, lines that are only half there', async () => {
    const { stdout, status } = await python([], 'a = [\n1,\n2]\na\ndef f(x):\n  return x * 2\n\nf(21)\n');
    expect([stdout, status]).toEqual(['[1, 2]\n42\n', 0]);
  });
});
