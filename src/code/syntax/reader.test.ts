import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createParser } from './grammar.ts';
import { syntaxReader } from './reader.ts';

const reader = syntaxReader({ maxBytes: 3 * 1024 * 1024, cpuLimitMs: 300 });
afterAll(() => reader.close());

const plain = 'def f():\n    return 1\n';

describe('limits', () => {
  it('reads no file over its bytes', async () => {
    const small = syntaxReader({ maxBytes: 10 });
    expect(await small.read('a.py', plain)).toMatchObject({ kind: 'none', why: 'over_limit' });
    await small.close();
  });

  it('says which files have no grammar', async () => {
    for (const path of ['a.swift', 'a.md', 'Makefile', '.py', 'py'])
      expect(await reader.read(path, plain)).toMatchObject({ kind: 'none', why: 'other' });
  });

  it.each<[path: string, unit: string, times: number]>([
    ['a.js', '[', 1_1_000],
    ['a.py', '(', 75_000],
    ['a.c', '{', 125_000],
    ['a.ts', '`${', 12_000],
    ['a.rs', '((', 50_000],
    ['a.sh', '$(', 25_000],
    ['a.php', '<?php {', 25_000],
    ['a.go', 'a.', 75_000],
    ['a.py', 'x = y = ', 25_000],
    ['a.c', 'if (a) ', 25_000],
    ['a.ts', 'a<', 50_000],
    ['a.java', '@A(', 25_000],
    ['a.rb', 'x ', 75_000],
    ['a.cpp', '\u0000\u0001\ufffd', 50_000],
  ])('ends with %s of %j, and reads the next file', async (path, unit, times) => {
    const file = await reader.read(path, unit.repeat(times));
    if (file.kind === 'facts') expect(file.facts.errors.length).toBeGreaterThan(0);
    else expect(file.why).toBe('failed');
    const next = await reader.read('next.py', `${plain}# ${path} ${times}\n`);
    expect(next).toMatchObject({ kind: 'facts', facts: { errors: [] } });
  });

  it('waits no longer than it is told to, and reads on', async () => {
    const one = syntaxReader();
    const text = plain.repeat(2_000);
    expect(await one.read('a.py', text, undefined, () => 0)).toMatchObject({ kind: 'none', why: 'unread' });
    const whole = await one.read('a.py', text);
    expect(whole).toMatchObject({ kind: 'facts', facts: { errors: [] } });
    expect(await one.read('a.py', text, undefined, () => 0)).toBe(whole);
    await one.close();
  });

  it('does not begin again with what took too long', async () => {
    const hasty = syntaxReader({ cpuLimitMs: 0 });
    const text = plain.repeat(20_000);
    const file = await hasty.read('a.py', text);
    expect(file).toMatchObject({ kind: 'none', why: 'failed' });
    expect(await hasty.read('a.py', text)).toBe(file);
    await hasty.close();
  });

  it('goes on after a thread that was given up', async () => {
    const impatient = syntaxReader({ timeoutMs: 0 });
    expect(await impatient.read('a.py', plain)).toMatchObject({ kind: 'none', why: 'failed' });
    await impatient.close();
    const patient = syntaxReader();
    expect(await patient.read('a.py', plain)).toMatchObject({ kind: 'facts' });
    await patient.close();
    expect(await patient.read('a.py', `${plain}\n`)).toMatchObject({ kind: 'facts' });
    await patient.close();
  });
});

it('reads the same text once', async () => {
  const first = await reader.read('one.py', `${plain}# once\n`);
  expect(await reader.read('two.py', `${plain}# once\n`)).toBe(first);
  expect(await reader.read('one.py', `${plain}# twice\n`)).not.toBe(first);
});

it('says where a text could not be read', async () => {
  expect(await reader.read('a.py', 'def f(:\n  pass\nx = 1\n')).toMatchObject({
    kind: 'facts',
    facts: { errors: [expect.any(Number)] },
  });
});

describe('a grammar', () => {
  const bytes = () => {
    const manifest = createRequire(import.meta.url).resolve('@vscode/tree-sitter-wasm/package.json');
    return new Uint8Array(readFileSync(join(dirname(manifest), 'wasm/tree-sitter-go.wasm')));
  };

  it('is taken where it reads its language', async () => {
    (await createParser(bytes(), 'package p\n')).delete();
  });

  it('is refused where it cannot', async () => {
    await expect(createParser(bytes(), 'class A {}\n')).rejects.toThrow('cannot read a plain line');
  });

  it('is refused where it needs what is not there', async () => {
    const asked = bytes();
    // A name that it imports becomes another of the same length.
    const at = Buffer.from(asked).indexOf('__memory_base');
    asked.set(Buffer.from('__memory_bass'), at);
    await expect(createParser(asked, 'package p\n')).rejects.toThrow('it imports __memory_bass');
  });

  it('is refused where it is cut', async () => {
    await expect(createParser(bytes().slice(0, 5_000), 'package p\n')).rejects.toThrow();
  });
});
