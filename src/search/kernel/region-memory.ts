/** A growing memory, allocated in regions, that WebAssembly and JavaScript share. */

const pageBytes = 65_536;
const alignment = 16;

/** A part of the memory. `grow` may move it. */
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

  /** Allocates a region, filled with zeros. */
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

  /** Grows the region to at least `size` and twice its old size, if it is smaller. Returns whether it moved. */
  grow(region: Region, size: number): boolean {
    if (size <= region.size) return false;
    const larger = this.allocate(Math.max(size, region.size * 2));
    this.bytes.copyWithin(larger.at, region.at, region.at + region.size);
    region.at = larger.at;
    region.size = larger.size;
    return true;
  }
}
