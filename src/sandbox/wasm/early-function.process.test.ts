import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addCompilationHint } from './compilation-hint.ts';
import { readSections, sectionId, writeSections } from './module.ts';

/** One import and three functions, the second of which is the largest. */
const small = [0x00, 0x0b];
const large = [0x00, 0x41, 0x01, 0x1a, 0x41, 0x01, 0x1a, 0x0b];
const code = [3, small.length, ...small, large.length, ...large, small.length, ...small];
const module = Uint8Array.from([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[sectionId.type, 4, 1, 0x60, 0, 0],
  ...[sectionId.import, 7, 1, 1, 0x61, 1, 0x62, 0, 0],
  ...[sectionId.function, 4, 3, 0, 0, 0],
  ...[5, 4, 1, 1, 1, 1],
  ...[sectionId.code, code.length, ...code],
]);
const hinted = writeSections(addCompilationHint(readSections(module)));

test('the hint names the largest function, stands before the code, and there is one of it', () => {
  expect(WebAssembly.validate(Uint8Array.from(hinted))).toBe(true);
  const again = addCompilationHint(readSections(hinted));
  expect(again.map(({ id }) => id)).toEqual([1, 2, 3, 5, 0, 10]);
  const name = 'metadata.code.compilation_priority';
  const expected = [name.length, ...Buffer.from(name), 1, 2, 0, 2, 0, 0];
  expect([...again.find(({ id }) => id === sectionId.custom)!.data]).toEqual(expected);
});

/** What V8 says of the hints in a module while it reads it. */
function saidOf(wasm: Uint8Array): string {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-hint-'));
  try {
    writeFileSync(join(folder, 'hinted.wasm'), wasm);
    const flags = [
      '--experimental-wasm-compilation-hints',
      '--trace-wasm-compiler',
      '--trace-wasm-compilation-hints',
    ];
    const program = 'new WebAssembly.Module(require("fs").readFileSync("hinted.wasm"))';
    return execFileSync(process.execPath, [...flags, '-e', program], { cwd: folder, encoding: 'utf8' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('V8 takes it is meant, and would say where it does not', () => {
  expect(saidOf(hinted)).not.toContain('error');
  const name = 'metadata.code.compilation_priority';
  const broken = Uint8Array.from(hinted);
  // The length of what is said of the function.
  broken[Buffer.from(hinted).indexOf(name) + name.length + 3] = 9;
  expect(saidOf(broken)).toContain('error');
});
