import { expect, test } from 'vitest';
import { bake } from './bake.ts';
import { globalExport } from './meter.ts';
import { sectionId } from './module.ts';

const pageBytes = 65_536;
const named = (name: string, ...what: number[]) => [name.length, ...Buffer.from(name), ...what];
const exported = [3, ...named('memory', 2, 0), ...named(`${globalExport}0`, 3, 0), ...named('step', 0, 0)];
/** Adds one to the word at 0, and gives it. */
const step = [
  ...[0, 0x41, 0, 0x41, 0, 0x28, 2, 0],
  ...[0x41, 1, 0x6a, 0x36, 2, 0, 0x41, 0, 0x28, 2, 0, 0x0b],
];
const counter = Uint8Array.from([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[sectionId.type, 5, 1, 0x60, 0, 1, 0x7f],
  ...[sectionId.function, 2, 1, 0],
  ...[sectionId.memory, 3, 1, 0, 1],
  ...[sectionId.global, 6, 1, 0x7f, 1, 0x41, 5, 0x0b],
  ...[sectionId.export, exported.length, ...exported],
  ...[sectionId.code, step.length + 2, 1, step.length, ...step],
]);

interface Counter {
  readonly memory: WebAssembly.Memory;
  step(): number;
}
const started = (module: Uint8Array) =>
  new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(module))).exports as WebAssembly.Exports &
    Counter;
const bytesOf = ({ memory }: Counter) => new Uint8Array(memory.buffer);
const globalOf = (exports: WebAssembly.Exports) => exports[`${globalExport}0`] as WebAssembly.Global;

test.each([
  ['nowhere', []],
  ['at its first byte', [0]],
  ['at its last byte', [pageBytes - 1]],
  ['at both ends, and beside gaps between', [0, 1, 63, 64, 200, 30_000, 30_063, 30_130, pageBytes - 1]],
])('a memory that holds something %s', (_, places) => {
  const live = started(counter);
  for (const place of places) bytesOf(live)[place] = 1 + (place % 255);
  globalOf(live).value = 9;
  const again = started(bake(counter, live));
  expect(Buffer.compare(bytesOf(again), bytesOf(live))).toBe(0);
  expect(globalOf(again).value).toBe(9);
});

test('what has run goes on, in a memory that has grown', () => {
  const live = started(counter);
  live.step();
  live.memory.grow(2);
  bytesOf(live)[3 * pageBytes - 1] = 7;
  const again = started(bake(counter, live));
  expect([again.step(), live.step()]).toEqual([2, 2]);
  expect(bytesOf(again).length).toBe(3 * pageBytes);
  expect(bytesOf(again).at(-1)).toBe(7);
});
