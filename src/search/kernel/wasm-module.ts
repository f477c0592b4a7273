import { type Code, emit, type Operand, writeLeb } from './wasm-code.ts';

/** Builds a WebAssembly module from functions written as expressions. */

export interface ImportedFunction {
  readonly name: string;
  readonly parameters: number;
}

export interface DefinedFunction {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly locals: readonly string[];
  readonly longs?: readonly string[];
  readonly doubles?: readonly string[];
  readonly vectors?: readonly string[];
  readonly body: readonly Code[];
  readonly result: Operand;
}

const i32 = 0x7f;
const i64 = 0x7e;
const f64 = 0x7c;
const v128 = 0x7b;

function writeSized(out: number[], content: readonly number[]): void {
  writeLeb(out, content.length);
  for (const byte of content) out.push(byte);
}

function writeSection<T>(
  out: number[],
  id: number,
  items: readonly T[],
  write: (to: number[], item: T) => void,
): void {
  const content: number[] = [];
  writeLeb(content, items.length);
  for (const item of items) write(content, item);
  out.push(id);
  writeSized(out, content);
}

function writeName(out: number[], name: string): void {
  writeSized(out, [...Buffer.from(name)]);
}

function encodeBody(defined: DefinedFunction, functions: readonly string[]): number[] {
  const { parameters, locals, longs = [], doubles = [], vectors = [], body, result } = defined;
  const scope = {
    locals: [...parameters, ...locals, ...longs, ...doubles, ...vectors],
    labels: [],
    functions,
  };
  const out: number[] = [];
  writeLeb(out, 4);
  for (const [names, type] of [
    [locals, i32],
    [longs, i64],
    [doubles, f64],
    [vectors, v128],
  ] as const) {
    writeLeb(out, names.length);
    out.push(type);
  }
  for (const part of body) part(out, scope);
  emit(result, out, scope);
  out.push(0x0b);
  return out;
}

/** The module imports `memory` and the functions from a module named `of`. */
export function buildModule(
  imported: readonly ImportedFunction[],
  defined: readonly DefinedFunction[],
): Uint8Array<ArrayBuffer> {
  const functions = [...imported, ...defined].map(({ name }) => name);
  const types = [...imported.map(({ parameters }) => parameters), ...defined.map((f) => f.parameters.length)];
  const out = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0]; // magic, version
  writeSection(out, 1, types, (to, count) => {
    to.push(0x60);
    writeSized(to, new Array<number>(count).fill(i32));
    to.push(1, i32);
  });
  writeSection(out, 2, ['memory', ...imported.map(({ name }) => name)], (to, name) => {
    writeName(to, 'of');
    writeName(to, name);
    if (name === 'memory') to.push(2, 0, 1);
    else {
      to.push(0);
      writeLeb(to, functions.indexOf(name));
    }
  });
  writeSection(out, 3, defined, (to, { name }) => writeLeb(to, functions.indexOf(name)));
  writeSection(out, 7, defined, (to, { name }) => {
    writeName(to, name);
    to.push(0);
    writeLeb(to, functions.indexOf(name));
  });
  writeSection(out, 10, defined, (to, definedFunction) =>
    writeSized(to, encodeBody(definedFunction, functions)),
  );
  return Uint8Array.from(out);
}
