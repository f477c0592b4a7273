import { ByteReader, ByteWriter } from './bytes.ts';
import { op, skipImmediates } from './instructions.ts';

/** The numbers of the sections in the binary format. */
export const sectionId = {
  custom: 0,
  type: 1,
  import: 2,
  function: 3,
  memory: 5,
  global: 6,
  export: 7,
  start: 8,
  element: 9,
  code: 10,
  data: 11,
  dataCount: 12,
} as const;

/** Section numbers in the order that the format requires. Custom sections may be anywhere. */
const sectionOrder = [1, 2, 3, 4, 5, 13, 6, 7, 8, 9, 12, 10, 11];

export const valueType = { i32: 0x7f, i64: 0x7e } as const;
export const exportKind = { function: 0, table: 1, memory: 2, global: 3 } as const;

export interface Section {
  readonly id: number;
  readonly data: Uint8Array;
}

export interface GlobalVariable {
  readonly type: number;
  readonly mutable: boolean;
  /** The constant expression of the initial value, with its closing `end`. */
  readonly initial: Uint8Array;
}

export interface ExportEntry {
  readonly name: string;
  readonly kind: number;
  readonly index: number;
}

export interface ModuleInfo {
  /** Number of parameters of each function type. */
  readonly parameterCounts: readonly number[];
  /** Imported functions come first in the index space. */
  readonly importedFunctions: number;
  /** The type index of each function defined in the module. */
  readonly functionTypes: readonly number[];
  readonly memoryPages: { readonly minimum: number; readonly maximum: number | null };
  readonly globals: readonly GlobalVariable[];
  readonly exports: readonly ExportEntry[];
  /** One body for each function defined in the module: local declarations, then instructions. */
  readonly bodies: readonly Uint8Array[];
}

const header = new Uint8Array([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]);

export function readSections(bytes: Uint8Array): Section[] {
  if (!header.every((byte, i) => bytes[i] === byte)) throw new RangeError('not a WebAssembly 1.0 module');
  const reader = new ByteReader(bytes, header.length);
  const sections: Section[] = [];
  while (!reader.done) {
    const id = reader.u8();
    sections.push({ id, data: reader.take(reader.u32()) });
  }
  return sections;
}

export function writeSections(sections: readonly Section[]): Uint8Array {
  const writer = new ByteWriter(sections.reduce((sum, section) => sum + section.data.length + 8, 16));
  writer.raw(header);
  for (const { id, data } of sections) writer.u8(id).u32(data.length).raw(data);
  return writer.bytes;
}

/** Replaces a section, or inserts it where the format requires it. */
export function replaceSection(sections: readonly Section[], id: number, data: Uint8Array): Section[] {
  const rest = sections.filter((section) => section.id !== id);
  const rank = sectionOrder.indexOf(id);
  const index = rest.findIndex((section) => section.id !== 0 && sectionOrder.indexOf(section.id) > rank);
  rest.splice(index < 0 ? rest.length : index, 0, { id, data });
  return rest;
}

export function describeModule(sections: readonly Section[]): ModuleInfo {
  const reader = (id: number) =>
    new ByteReader(sections.find((section) => section.id === id)?.data ?? new Uint8Array([0]));
  const list = <T>(from: ByteReader, read: () => T): T[] => Array.from({ length: from.u32() }, read);

  const types = reader(sectionId.type);
  const parameterCounts = list(types, () => {
    if (types.u8() !== 0x60) throw new RangeError('unknown kind of function type');
    const parameters = types.take(types.u32()).length;
    types.take(types.u32());
    return parameters;
  });

  const imports = reader(sectionId.import);
  const importedFunctions = list(imports, () => {
    const name = `${imports.name()}.${imports.name()}`;
    if (imports.u8() !== exportKind.function) throw new RangeError(`import ${name} is not a function`);
    imports.skipNumber();
  }).length;

  const functions = reader(sectionId.function);
  const memory = reader(sectionId.memory);
  memory.u32();
  const hasMaximum = (memory.u8() & 1) === 1;
  const minimum = memory.u32();

  const globals = reader(sectionId.global);
  const exports = reader(sectionId.export);
  const code = reader(sectionId.code);
  return {
    parameterCounts,
    importedFunctions,
    functionTypes: list(functions, () => functions.u32()),
    memoryPages: { minimum, maximum: hasMaximum ? memory.u32() : null },
    globals: list(globals, () => readGlobal(globals)),
    exports: list(exports, () => ({ name: exports.name(), kind: exports.u8(), index: exports.u32() })),
    bodies: list(code, () => code.take(code.u32())),
  };
}

function readGlobal(reader: ByteReader): GlobalVariable {
  const type = reader.u8();
  const mutable = reader.u8() === 1;
  const start = reader.offset;
  for (let code = reader.u8(); code !== op.end; code = reader.u8()) skipImmediates(reader, code);
  return { type, mutable, initial: reader.bytes.subarray(start, reader.offset) };
}

export function encodeGlobals(globals: readonly GlobalVariable[]): Uint8Array {
  const writer = new ByteWriter().u32(globals.length);
  for (const { type, mutable, initial } of globals) writer.u8(type, mutable ? 1 : 0).raw(initial);
  return writer.bytes;
}

export function encodeExports(exports: readonly ExportEntry[]): Uint8Array {
  const writer = new ByteWriter().u32(exports.length);
  for (const { name, kind, index } of exports) writer.name(name).u8(kind).u32(index);
  return writer.bytes;
}

export function encodeMemory(minimum: number, maximum: number): Uint8Array {
  return new ByteWriter().u32(1).u8(1).u32(minimum).u32(maximum).bytes;
}

/** `i32.const value; end`, or the same for i64. */
export function encodeConstant(type: number, value: number | bigint): Uint8Array {
  const code = type === valueType.i32 ? op.i32Const : op.i64Const;
  return new ByteWriter().u8(code).s64(value).u8(op.end).bytes;
}
