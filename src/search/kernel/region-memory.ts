/** One growing memory that is given out in regions, for what WebAssembly and JavaScript work on together. */

const pageBytes = 65_536;
const alignment = 16;

/** A piece of the memory. It moves when it grows. */
export interface Region {
  at: number;
  /** In bytes. */
  size: number;
}

export class RegionMemory {
  readonly memory: WebAssembly.Memory;
  bytes: Uint8Array<ArrayBuffer>;
  halves: Uint16Array<ArrayBuffer>;
  words: Int32Array<ArrayBuffer>;
  #free: number;

  /** `free`: where allocation begins. `expected`: bytes that will be allocated. */
  constructor(free: number, expected: number) {
    this.memory = new WebAssembly.Memory({ initial: Math.ceil((free + expected) / pageBytes) });
    this.#free = free;
    this.bytes = new Uint8Array(this.memory.buffer);
    this.halves = new Uint16Array(this.memory.buffer);
    this.words = new Int32Array(this.memory.buffer);
  }

  /** A new region, all zero. */
  allocate(size: number): Region {
    const at = this.#free;
    this.#free = Math.ceil((at + size) / alignment) * alignment;
    const missing = this.#free - this.bytes.length;
    if (missing > 0) {
      this.memory.grow(Math.ceil(Math.max(missing, this.bytes.length / 8) / pageBytes));
      this.bytes = new Uint8Array(this.memory.buffer);
      this.halves = new Uint16Array(this.memory.buffer);
      this.words = new Int32Array(this.memory.buffer);
    }
    return { at, size };
  }

  /** Makes the region at least twice as large, with what is in it; returns whether it moved. */
  grow(region: Region, size: number): boolean {
    if (size <= region.size) return false;
    const larger = this.allocate(Math.max(size, region.size * 2));
    this.bytes.copyWithin(larger.at, region.at, region.at + region.size);
    region.at = larger.at;
    region.size = larger.size;
    return true;
  }
}
