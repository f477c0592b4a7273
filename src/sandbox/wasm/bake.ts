import { ByteWriter } from './bytes.ts';
import { addCompilationHint } from './compilation-hint.ts';
import { op } from './instructions.ts';
import { globalExport } from './meter.ts';
import {
  describeModule,
  encodeConstant,
  encodeGlobals,
  encodeMemory,
  type GlobalVariable,
  readSections,
  replaceSection,
  sectionId,
  writeSections,
} from './module.ts';

const pageBytes = 65_536;
/** Runs of zeros shorter than this, in bytes, do not split a data segment: a segment of its own costs about as much. */
const gapBytes = 64;
/** V8 refuses a module with 100,000 data segments. */
const maxSegments = 90_000;

/**
 * Makes a module that starts in the state of a running instance: the instance's memory becomes data segments, and the
 * globals get their current values. The start function is dropped, since it has already run.
 */
export function bake(module: Uint8Array, exports: WebAssembly.Exports): Uint8Array {
  const memory = exports['memory'];
  if (!(memory instanceof WebAssembly.Memory)) throw new RangeError('the module exports no memory');
  let sections = readSections(module).filter(
    ({ id }) => id !== sectionId.dataCount && id !== sectionId.start,
  );
  const info = describeModule(sections);
  const globals = info.globals.map((global, index) =>
    withCurrentValue(global, exports[`${globalExport}${index}`]),
  );
  const pages = memory.buffer.byteLength / pageBytes;
  const maximum = Math.max(pages, info.memoryPages.maximum ?? pages);
  sections = replaceSection(sections, sectionId.global, encodeGlobals(globals));
  sections = replaceSection(sections, sectionId.memory, encodeMemory(pages, maximum));
  sections = replaceSection(sections, sectionId.data, encodeData(memory.buffer));
  return writeSections(addCompilationHint(sections));
}

function withCurrentValue(global: GlobalVariable, live: unknown): GlobalVariable {
  if (!(live instanceof WebAssembly.Global)) return global;
  return { ...global, initial: encodeConstant(global.type, live.value as number | bigint) };
}

function encodeData(buffer: ArrayBuffer): Uint8Array {
  const runs = findNonZeroRuns(new Uint32Array(buffer));
  const writer = new ByteWriter(1 << 22).u32(runs.length);
  for (const [start, end] of runs) {
    writer.u8(0, op.i32Const).s64(start).u8(op.end);
    writer.u32(end - start).raw(new Uint8Array(buffer, start, end - start));
  }
  return writer.bytes;
}

/** Byte ranges that are not zero, in ascending order. */
function findNonZeroRuns(words: Uint32Array): (readonly [start: number, end: number])[] {
  const gap = gapBytes / 4;
  const runs: (readonly [number, number])[] = [];
  let start = -1;
  let last = -1;
  for (let i = 0; i < words.length; i++) {
    if (words[i] === 0) continue;
    if (start >= 0 && i - last > gap) {
      runs.push([start * 4, last * 4 + 4]);
      start = -1;
    }
    if (start < 0) start = i;
    last = i;
  }
  if (start >= 0) runs.push([start * 4, last * 4 + 4]);
  if (runs.length > maxSegments) throw new RangeError(`the memory image has ${runs.length} runs`);
  return runs;
}
