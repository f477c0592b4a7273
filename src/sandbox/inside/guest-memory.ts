/**
 * Access of the host to the guest's memory. Offsets and lengths come from the guest and may be hostile: a RangeError is
 * raised for any access outside, before anything is read or written.
 */
export interface GuestMemory {
  view(): DataView;
  /** A view of `length` bytes, valid until the guest runs again. */
  bytes(offset: number, length: number): Uint8Array;
}

export function guestMemory(memory: WebAssembly.Memory): GuestMemory {
  let buffer = memory.buffer;
  let view = new DataView(buffer);
  let all = new Uint8Array(buffer);
  // Growing the memory detaches the old buffer.
  const refresh = () => {
    if (memory.buffer === buffer) return;
    buffer = memory.buffer;
    view = new DataView(buffer);
    all = new Uint8Array(buffer);
  };
  return {
    view: () => {
      refresh();
      return view;
    },
    bytes: (offset, length) => {
      refresh();
      // WebAssembly passes addresses as signed 32-bit numbers.
      const start = offset >>> 0;
      const end = start + (length >>> 0);
      if (end > all.length) throw new RangeError('outside of the memory');
      return all.subarray(start, end);
    },
  };
}
