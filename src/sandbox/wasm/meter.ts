import { ByteReader, ByteWriter } from './bytes.ts';
import { findChargedEntries } from './call-graph.ts';
import { bulkOp, emptyBlock, op, skipImmediates } from './instructions.ts';
import {
  describeModule,
  encodeConstant,
  encodeExports,
  encodeGlobals,
  encodeMemory,
  exportKind,
  type ModuleInfo,
  readSections,
  replaceSection,
  type Section,
  sectionId,
  valueType,
  writeSections,
} from './module.ts';

/** The export under which the host reads and refills the fuel counter: a mutable i32. */
export const fuelExport = '__fuel';
/** Prefix of the exports under which the host saves and restores the module's own mutable globals. */
export const globalExport = '__global_';

export interface MeterOptions {
  /** The exported function to call when the counter is below zero. It is not metered itself. */
  readonly slowPath: string;
  /** Further exported functions that must not be metered: the host calls them from the slow path. */
  readonly exempt: readonly string[];
  /** The maximum memory of the module, in pages of 64 KiB. */
  readonly maximumPages: number;
  /** False leaves the counter out, to measure what it costs. */
  readonly metered?: boolean;
}

export interface MeteredModule {
  readonly bytes: Uint8Array;
  /** The numbers of inserted charges, by kind of location. */
  readonly charges: { readonly entries: number; readonly loops: number; readonly bulk: number };
}

/**
 * Rewrites a module so that it counts what it executes, in a global that the module's own code can't access.
 *
 * One unit is charged at every loop header and at the entry of the functions chosen by `findChargedEntries`;
 * `memory.copy` and `memory.fill` are charged one unit for 64 bytes. The count depends on nothing but the path
 * taken, so that it is equal in every process. All mutable globals are exported for checkpoints, and custom sections
 * (names, producers) are dropped.
 */
export function meter(module: Uint8Array, options: MeterOptions): MeteredModule {
  let sections = readSections(module).filter((section) => section.id !== sectionId.custom);
  const info = describeModule(sections);
  const exports = [...info.exports];
  info.globals.forEach((global, index) => {
    if (global.mutable) exports.push({ name: `${globalExport}${index}`, kind: exportKind.global, index });
  });
  const charges = { entries: 0, loops: 0, bulk: 0 };
  if (options.metered !== false) {
    const fuel = info.globals.length;
    const globals = [
      ...info.globals,
      { type: valueType.i32, mutable: true, initial: encodeConstant(valueType.i32, 0) },
    ];
    exports.push({ name: fuelExport, kind: exportKind.global, index: fuel });
    sections = replaceSection(sections, sectionId.global, encodeGlobals(globals));
    sections = replaceCode(sections, meterBodies(info, fuel, options, charges));
  }
  sections = replaceSection(sections, sectionId.export, encodeExports(exports));
  const { minimum } = info.memoryPages;
  const memory = encodeMemory(minimum, Math.max(minimum, options.maximumPages));
  sections = replaceSection(sections, sectionId.memory, memory);
  return { bytes: writeSections(sections), charges };
}

interface MeteredBody {
  readonly bytes: Uint8Array;
  /** Offsets of the charges' `if` within the body, for the branch hints. */
  readonly branches: readonly number[];
}

function meterBodies(
  info: ModuleInfo,
  fuel: number,
  options: MeterOptions,
  charges: { entries: number; loops: number; bulk: number },
): MeteredBody[] {
  const indexOf = (name: string) => {
    const entry = info.exports.find((e) => e.name === name && e.kind === exportKind.function);
    if (!entry) throw new RangeError(`the module exports no function ${name}`);
    return entry.index;
  };
  const slowPath = indexOf(options.slowPath);
  const exempt = new Set([slowPath, ...options.exempt.map(indexOf)]);
  const entries = findChargedEntries(info);
  return info.bodies.map((body, i) => {
    const index = info.importedFunctions + i;
    if (exempt.has(index)) return { bytes: body, branches: [] };
    const parameters = info.parameterCounts[info.functionTypes[i]!]!;
    return meterBody(body, parameters, { fuel, slowPath, entry: entries.has(index), charges });
  });
}

interface BodyOptions {
  /** Index of the global that is the counter. */
  readonly fuel: number;
  readonly slowPath: number;
  readonly entry: boolean;
  readonly charges: { entries: number; loops: number; bulk: number };
}

function meterBody(body: Uint8Array, parameters: number, options: BodyOptions): MeteredBody {
  const reader = new ByteReader(body);
  const groups = reader.u32();
  const declarations = reader.offset;
  let locals = parameters;
  for (let i = 0; i < groups; i++) {
    locals += reader.u32();
    reader.u8();
  }
  // One more local, which holds the counter's new value until it is tested.
  const scratch = locals;
  const writer = new ByteWriter(body.length * 2);
  writer
    .u32(groups + 1)
    .raw(body.subarray(declarations, reader.offset))
    .u32(1)
    .u8(valueType.i32);

  const branches: number[] = [];
  const charge = () => {
    writer.u8(op.globalGet).u32(options.fuel).u8(op.i32Const, 1, op.i32Sub);
    writer.u8(op.localTee).u32(scratch).u8(op.globalSet).u32(options.fuel);
    writer.u8(op.localGet).u32(scratch).u8(op.i32Const, 0, op.i32LtS);
    branches.push(writer.length);
    writer.u8(op.if, emptyBlock, op.call).u32(options.slowPath).u8(op.end);
  };
  if (options.entry) {
    charge();
    options.charges.entries++;
  }
  let copied = reader.offset;
  while (!reader.done) {
    const start = reader.offset;
    const opcode = reader.u8();
    if (opcode === op.bulk && isBulkMove(new ByteReader(body, reader.offset).u32())) {
      // The length is on top of the stack: take it, charge it, put it back.
      writer.raw(body.subarray(copied, start)).u8(op.localTee).u32(scratch);
      writer.u8(op.globalGet).u32(options.fuel).u8(op.localGet).u32(scratch);
      writer.u8(op.i32Const, 6, op.i32ShrU, op.i32Sub, op.globalSet).u32(options.fuel);
      copied = start;
      options.charges.bulk++;
    }
    skipImmediates(reader, opcode);
    if (opcode === op.loop) {
      writer.raw(body.subarray(copied, reader.offset));
      copied = reader.offset;
      charge();
      options.charges.loops++;
    }
  }
  writer.raw(body.subarray(copied));
  return { bytes: writer.bytes, branches };
}

function isBulkMove(operation: number): boolean {
  return operation === bulkOp.memoryCopy || operation === bulkOp.memoryFill;
}

/** Replaces the code section, and adds the standard custom section that hints which branches are rarely taken. */
function replaceCode(sections: readonly Section[], bodies: readonly MeteredBody[]): Section[] {
  const code = new ByteWriter(bodies.reduce((sum, body) => sum + body.bytes.length + 5, 16));
  code.u32(bodies.length);
  for (const { bytes } of bodies) code.u32(bytes.length).raw(bytes);
  const imported = describeModule(sections).importedFunctions;
  const hinted = bodies.flatMap(({ branches }, i) =>
    branches.length > 0 ? [{ index: imported + i, branches }] : [],
  );
  const hints = new ByteWriter(1 << 16).name('metadata.code.branch_hint').u32(hinted.length);
  for (const { index, branches } of hinted) {
    hints.u32(index).u32(branches.length);
    for (const offset of branches) hints.u32(offset).u32(1).u8(0);
  }
  const result = replaceSection(sections, sectionId.code, code.bytes);
  const place = result.findIndex((section) => section.id === sectionId.code);
  result.splice(place, 0, { id: sectionId.custom, data: hints.bytes });
  return result;
}
