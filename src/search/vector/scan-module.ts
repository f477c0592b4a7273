/**
 * A WebAssembly module, assembled by hand, with one function: the integer dot products of an int8 vector with many.
 * `scan(query, vectors, rows, dimensions, out)`: `query`, `vectors` and `out` are addresses in the imported memory;
 * `rows` is at least 1; `dimensions` is a multiple of 16; `out` receives one i32 per row. SIMD computes 16 dimensions
 * per step.
 */

const i32 = 0x7f;
const v128 = 0x7b;
const localGet = 0x20;
const localSet = 0x21;
const localTee = 0x22;
const i32Add = 0x6a;
const end = 0x0b;
const noResult = 0x40;

const v128Load = [0xfd, 0x00, 0x00, 0x00]; // v128.load, no alignment promised, offset 0
const lowProducts = [0xfd, 0x9c, 0x01]; // i16x8.extmul_low_i8x16_s: at most 16,129, fits in 16 bits
const highProducts = [0xfd, 0x9d, 0x01]; // i16x8.extmul_high_i8x16_s
const pairSums = [0xfd, 0x7e]; // i32x4.extadd_pairwise_i16x8_s
const addLanes = [0xfd, 0xae, 0x01]; // i32x4.add
const extractLane = (k: number): number[] => [0xfd, 0x1b, k]; // i32x4.extract_lane
const zero = [0xfd, 0x0c, ...new Array<number>(16).fill(0)]; // v128.const

const query = 0;
const vectors = 1;
const rows = 2;
const dimensions = 3;
const out = 4;
const queryPosition = 5; // in the query
const queryEnd = 6;
const sum = 7;
const queryLanes = 8;
const vectorLanes = 9;

const body = [
  ...[2, 2, i32, 3, v128], // locals: two i32, three v128
  ...[localGet, query, localGet, dimensions, i32Add, localSet, queryEnd],
  ...[0x03, noResult], // loop: a row
  ...[...zero, localSet, sum],
  ...[localGet, query, localSet, queryPosition],
  ...[0x03, noResult], // loop: 16 dimensions
  ...[localGet, sum],
  ...[localGet, queryPosition, ...v128Load, localTee, queryLanes],
  ...[localGet, vectors, ...v128Load, localTee, vectorLanes],
  ...[...lowProducts, ...pairSums, ...addLanes],
  ...[localGet, queryLanes, localGet, vectorLanes, ...highProducts, ...pairSums, ...addLanes],
  ...[localSet, sum],
  ...[localGet, vectors, 0x41, 16, i32Add, localSet, vectors],
  ...[localGet, queryPosition, 0x41, 16, i32Add, localTee, queryPosition],
  ...[localGet, queryEnd, 0x49, 0x0d, 0], // i32.lt_u, br_if: next 16
  end,
  ...[localGet, out],
  ...[localGet, sum, ...extractLane(0), localGet, sum, ...extractLane(1), i32Add],
  ...[localGet, sum, ...extractLane(2), i32Add, localGet, sum, ...extractLane(3), i32Add],
  ...[0x36, 2, 0], // i32.store
  ...[localGet, out, 0x41, 4, i32Add, localSet, out],
  ...[localGet, rows, 0x41, 1, 0x6b, localTee, rows, 0x0d, 0], // rows - 1, br_if: next row
  end,
  end,
];

const encodeText = (value: string): number[] => [value.length, ...Buffer.from(value)];
/** Unsigned LEB128. */
function encodeLeb(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...encodeLeb(value >>> 7)];
}
const section = (id: number, content: readonly number[]): number[] => [
  id,
  ...encodeLeb(content.length),
  ...content,
];

export const scanModule: Uint8Array<ArrayBuffer> = Uint8Array.from([
  ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0], // magic, version
  ...section(1, [1, 0x60, 5, i32, i32, i32, i32, i32, 0]), // type 0: five i32, no result
  ...section(2, [1, ...encodeText('m'), ...encodeText('m'), 2, 0, 1]), // import memory m.m, at least a page
  ...section(3, [1, 0]), // function 0 has type 0
  ...section(7, [1, ...encodeText('scan'), 0, 0]), // export it
  ...section(10, [1, ...encodeLeb(body.length), ...body]),
]);
