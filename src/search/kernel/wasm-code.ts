/**
 * Builds WebAssembly functions from expressions, over one imported memory. Parameters and results are 32-bit integers,
 * and so are locals unless they are declared as longs, doubles or vectors.
 * Used for inner loops that must be fast from the first byte, in every thread; JavaScript would first have to warm up.
 */

/** The names of locals and functions, and the labels of the enclosing blocks, innermost last. */
export interface Scope {
  readonly locals: readonly string[];
  readonly labels: readonly string[];
  readonly functions: readonly string[];
}

/** A piece of code: appends its bytes to `out`. */
export type Code = (out: number[], scope: Scope) => void;
/** A constant, the name of a local, or an expression. */
export type Operand = number | string | Code;

/** Writes unsigned LEB128. */
export function writeLeb(out: number[], value: number): void {
  let rest = value;
  for (; rest > 127; rest >>>= 7) out.push((rest & 127) | 128);
  out.push(rest);
}
function writeSignedLeb(out: number[], value: bigint): void {
  let rest = value;
  for (; rest < -64n || rest > 63n; rest >>= 7n) out.push(Number(rest & 127n) | 128);
  out.push(Number(rest & 127n));
}

function indexOf(names: readonly string[], name: string): number {
  const place = names.lastIndexOf(name);
  if (place < 0) throw new Error(`${name} is not declared`);
  return place;
}

/** Emits an operand: a constant, a local or an expression. */
export function emit(operand: Operand, out: number[], scope: Scope): void {
  if (typeof operand === 'number') {
    out.push(0x41);
    writeSignedLeb(out, BigInt(operand | 0));
  } else if (typeof operand === 'string') {
    out.push(0x20);
    writeLeb(out, indexOf(scope.locals, operand));
  } else operand(out, scope);
}

const operation =
  (...opcode: readonly number[]) =>
  (...operands: readonly Operand[]): Code =>
  (out, scope) => {
    for (const operand of operands) emit(operand, out, scope);
    out.push(...opcode);
  };
type Unary = (a: Operand) => Code;
type Binary = (a: Operand, b: Operand) => Code;

export const isZero: Unary = operation(0x45);
export const equal: Binary = operation(0x46);
export const different: Binary = operation(0x47);
export const less: Binary = operation(0x49); // i32.lt_u
export const greater: Binary = operation(0x4b); // i32.gt_u
export const plus: Binary = operation(0x6a);
export const minus: Binary = operation(0x6b);
export const times: Binary = operation(0x6c);
export const and: Binary = operation(0x71);
export const or: Binary = operation(0x72);
export const xor: Binary = operation(0x73);
export const shiftLeft: Binary = operation(0x74);
export const shiftRight: Binary = operation(0x76); // i32.shr_u
export const trailingZeros: Unary = operation(0x68);
export const countOnes: Unary = operation(0x69);

const createLoad =
  (opcode: number) =>
  (address: Operand, offset = 0): Code =>
  (out, scope) => {
    emit(address, out, scope);
    out.push(opcode, 0);
    writeLeb(out, offset);
  };
const createStore =
  (opcode: number) =>
  (address: Operand, operand: Operand, offset = 0): Code =>
  (out, scope) => {
    emit(address, out, scope);
    emit(operand, out, scope);
    out.push(opcode, 0);
    writeLeb(out, offset);
  };
export const load = createLoad(0x28);
export const load8 = createLoad(0x2d);
export const load16 = createLoad(0x2f);
export const store = createStore(0x36);
export const store8 = createStore(0x3a);
export const store16 = createStore(0x3b);

/** A constant of 64 bits. */
export const long =
  (constant: bigint): Code =>
  (out) => {
    out.push(0x42);
    writeSignedLeb(out, BigInt.asIntN(64, constant));
  };
export const longTimes: Binary = operation(0x7e);
export const longXor: Binary = operation(0x85);
export const longShiftRight: Binary = operation(0x88);
export const lowWord: Unary = operation(0xa7);

// Floats of 64 bits, stored with 32 or 64 bits.
export const doublePlus: Binary = operation(0xa0);
export const doubleTimes: Binary = operation(0xa2);
export const doubleDividedBy: Binary = operation(0xa3);
export const doubleGreater: Binary = operation(0x64);
export const toDouble: Unary = operation(0xb8); // from an unsigned word
export const bitsToDouble: Unary = operation(0xbe, 0xbb); // from the bits of a 32-bit float
export const loadDouble = createLoad(0x2b);
const fromFloat: Unary = operation(0xbb);
const toFloat: Unary = operation(0xb6);
export const loadFloat = (address: Operand): Code => fromFloat(createLoad(0x2a)(address));
export const storeDouble = createStore(0x39);
export const storeFloat = (address: Operand, operand: Operand): Code =>
  createStore(0x38)(address, toFloat(operand));

/** A vector of 16 equal bytes. */
export const everyByte =
  (byte: number): Code =>
  (out) => {
    out.push(0xfd, 0x0c, ...new Array<number>(16).fill(byte));
  };
export const bytesEqual: Binary = operation(0xfd, 0x23);
export const bytesNegative: Unary = (a) => operation(0xfd, 0x25)(a, everyByte(0)); // i8x16.lt_s
export const bytesLess: Binary = operation(0xfd, 0x26); // i8x16.lt_u
export const vectorAnd: Binary = operation(0xfd, 0x4e);
export const vectorOr: Binary = operation(0xfd, 0x50);
export const bytesMinus: Binary = operation(0xfd, 0x71);
/** The highest bit of each byte. */
export const byteMask: Unary = operation(0xfd, 0x64);
export const firstLong: Unary = operation(0xfd, 0x1d, 0);
export const secondLong: Unary = operation(0xfd, 0x1d, 1);
export const loadVector: Unary = operation(0xfd, 0x00, 0, 0);

export const set =
  (name: string, to: Operand): Code =>
  (out, scope) => {
    emit(to, out, scope);
    out.push(0x21);
    writeLeb(out, indexOf(scope.locals, name));
  };
export const add = (name: string, by: Operand): Code => set(name, plus(name, by));
/** `a` if `condition` is not 0, else `b`; both are evaluated. */
export const select = (condition: Operand, a: Operand, b: Operand): Code => operation(0x1b)(a, b, condition);

function emitBody(body: readonly Code[], label: string, out: number[], scope: Scope): void {
  const inner = { ...scope, labels: [...scope.labels, label] };
  for (const part of body) part(out, inner);
}
const createBlock =
  (opcode: number) =>
  (label: string, ...body: readonly Code[]): Code =>
  (out, scope) => {
    out.push(opcode, 0x40);
    emitBody(body, label, out, scope);
    out.push(0x0b);
  };
/** A branch to its label jumps to its end. */
export const block = createBlock(0x02);
/** A branch to its label jumps to its start. */
export const loop = createBlock(0x03);
const labelDepth = (scope: Scope, label: string) => scope.labels.length - 1 - indexOf(scope.labels, label);
export const branch =
  (label: string): Code =>
  (out, scope) => {
    out.push(0x0c);
    writeLeb(out, labelDepth(scope, label));
  };
export const branchIf =
  (label: string, condition: Operand): Code =>
  (out, scope) => {
    emit(condition, out, scope);
    out.push(0x0d);
    writeLeb(out, labelDepth(scope, label));
  };
export const when =
  (condition: Operand, then: readonly Code[], otherwise: readonly Code[] = []): Code =>
  (out, scope) => {
    emit(condition, out, scope);
    out.push(0x04, 0x40);
    emitBody(then, '', out, scope);
    if (otherwise.length > 0) {
      out.push(0x05);
      emitBody(otherwise, '', out, scope);
    }
    out.push(0x0b);
  };
/** Evaluates an expression and discards its result. */
export const drop: Unary = operation(0x1a);
/** Calls a function, imported or of this module. */
export const call =
  (name: string, ...operands: readonly Operand[]): Code =>
  (out, scope) => {
    for (const operand of operands) emit(operand, out, scope);
    out.push(0x10);
    writeLeb(out, indexOf(scope.functions, name));
  };
