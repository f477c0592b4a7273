import type { ByteReader } from './bytes.ts';

/** The opcodes that the metering reads or writes. */
export const op = {
  loop: 0x03,
  if: 0x04,
  end: 0x0b,
  call: 0x10,
  callIndirect: 0x11,
  returnCall: 0x12,
  returnCallIndirect: 0x13,
  localGet: 0x20,
  localSet: 0x21,
  localTee: 0x22,
  globalGet: 0x23,
  globalSet: 0x24,
  i32Const: 0x41,
  i64Const: 0x42,
  i32LtS: 0x48,
  i32Sub: 0x6b,
  i32ShrU: 0x76,
  bulk: 0xfc,
} as const;

export const emptyBlock = 0x40;

/** Second opcode after `op.bulk`. */
export const bulkOp = { memoryCopy: 10, memoryFill: 11 } as const;

/** The number of immediate operands of each `0xfc` instruction; 0-7 are the saturating conversions. */
const bulkOperands = [0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1, 2, 1, 2, 1, 1, 1];

/** Moves past the operands of an instruction whose opcode has just been read. */
export function skipImmediates(reader: ByteReader, opcode: number): void {
  const operands = operandsOf(opcode);
  switch (operands) {
    case 'none':
      return;
    case 'number':
      reader.skipNumber();
      return;
    case 'two numbers':
      reader.skipNumber();
      reader.skipNumber();
      return;
    case 'f32':
      reader.take(4);
      return;
    case 'f64':
      reader.take(8);
      return;
    case 'targets':
      for (let rest = reader.u32(); rest >= 0; rest--) reader.skipNumber();
      return;
    case 'types':
      reader.take(reader.u32());
      return;
    case 'bulk': {
      const count = bulkOperands[reader.u32()];
      if (count === undefined) throw new RangeError('unknown instruction of the 0xfc family');
      for (let i = 0; i < count; i++) reader.skipNumber();
      return;
    }
  }
}

type Operands = 'none' | 'number' | 'two numbers' | 'f32' | 'f64' | 'targets' | 'types' | 'bulk';

function operandsOf(opcode: number): Operands {
  // Block types, branch targets, indices of functions, locals, globals and tables, small constants.
  if (opcode >= 0x02 && opcode <= 0x04) return 'number';
  if (opcode === 0x0c || opcode === 0x0d || opcode === 0x10 || opcode === 0x12) return 'number';
  if (opcode >= 0x20 && opcode <= 0x26) return 'number';
  if (opcode === 0x3f || opcode === 0x40 || opcode === 0xd0 || opcode === 0xd2) return 'number';
  if (opcode === 0x41 || opcode === 0x42) return 'number';
  // Indirect calls (type, table), loads and stores (alignment, offset).
  if (opcode === 0x11 || opcode === 0x13 || (opcode >= 0x28 && opcode <= 0x3e)) return 'two numbers';
  if (opcode === 0x43) return 'f32';
  if (opcode === 0x44) return 'f64';
  if (opcode === 0x0e) return 'targets';
  if (opcode === 0x1c) return 'types';
  if (opcode === 0xfc) return 'bulk';
  const plain =
    opcode <= 0x01 ||
    opcode === 0x05 ||
    opcode === 0x0b ||
    opcode === 0x0f ||
    opcode === 0x1a ||
    opcode === 0x1b ||
    (opcode >= 0x45 && opcode <= 0xc4) ||
    opcode === 0xd1;
  if (plain) return 'none';
  // SIMD, atomics and exceptions: the interpreter is compiled without them, so they should never occur.
  throw new RangeError(`unexpected WebAssembly instruction 0x${opcode.toString(16)}`);
}
