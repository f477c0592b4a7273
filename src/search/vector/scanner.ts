import { type Int8Vectors, padDimensions, quantize } from './int8.ts';
import { scanModule } from './scan-module.ts';

/** The part of WebAssembly used here, which Node's types do not declare. */
interface Wasm {
  readonly Memory: new (limits: { initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (
    module: object,
    imports: Record<string, Record<string, unknown>>,
  ) => { readonly exports: { readonly scan: Scan } };
}

type Scan = (query: number, vectors: number, rows: number, dimensions: number, out: number) => void;

/** Computes the cosine of a query with each row of a table. */
export interface Scanner {
  readonly engine: 'wasm' | 'javascript';
  readonly rows: number;
  /** The cosine of each row. The next call reuses the same array. */
  cosines(query: Float32Array): Float32Array;
}

const pageBytes = 65_536;
/** Maximum size of a WebAssembly memory. */
const maxBytes = 65_536 * pageBytes;

/** Opens a scanner. Both engines compute the same numbers, since sums of integers are exact. */
export function openScanner(table: Int8Vectors, engine: 'auto' | 'javascript' = 'auto'): Scanner {
  const wasm = (globalThis as unknown as { WebAssembly?: Wasm }).WebAssembly;
  if (engine === 'auto' && wasm !== undefined && table.rows > 0) {
    const scanner = createWasmScanner(table, wasm);
    if (scanner !== null) return scanner;
  }
  return createJavascriptScanner(table);
}

function createWasmScanner(table: Int8Vectors, wasm: Wasm): Scanner | null {
  const width = padDimensions(table.dimensions);
  const outOffset = width;
  const vectorsOffset = outOffset + Math.ceil(table.rows / 4) * 16;
  const bytes = vectorsOffset + table.data.length;
  if (bytes > maxBytes) return null;
  try {
    const memory = new wasm.Memory({ initial: Math.ceil(bytes / pageBytes) });
    const { scan } = new wasm.Instance(new wasm.Module(scanModule), { m: { m: memory } }).exports;
    new Int8Array(memory.buffer, vectorsOffset).set(table.data);
    const quantizedQuery = new Int8Array(memory.buffer, 0, width);
    const products = new Int32Array(memory.buffer, outOffset, table.rows);
    const cosines = new Float32Array(table.rows);
    return {
      engine: 'wasm',
      rows: table.rows,
      cosines(vector) {
        const scale = quantize(vector, quantizedQuery, 0);
        scan(0, vectorsOffset, table.rows, width, outOffset);
        return scaleProducts(products, table.scales, scale, cosines);
      },
    };
  } catch {
    return null; // No SIMD on this machine, or no memory for it.
  }
}

function createJavascriptScanner({ data, scales, rows, dimensions }: Int8Vectors): Scanner {
  const width = padDimensions(dimensions);
  const quantizedQuery = new Int8Array(width);
  const products = new Int32Array(rows);
  const cosines = new Float32Array(rows);
  return {
    engine: 'javascript',
    rows,
    cosines(vector) {
      const scale = quantize(vector, quantizedQuery, 0);
      for (let row = 0, position = 0; row < rows; row++) {
        let sum = 0;
        for (let d = 0; d < width; d++, position++) sum += quantizedQuery[d]! * data[position]!;
        products[row] = sum;
      }
      return scaleProducts(products, scales, scale, cosines);
    },
  };
}

function scaleProducts(
  products: Int32Array,
  scales: Float32Array,
  scale: number,
  cosines: Float32Array,
): Float32Array {
  for (let row = 0; row < cosines.length; row++) cosines[row] = products[row]! * scales[row]! * scale;
  return cosines;
}
