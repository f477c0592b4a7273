import { ByteReader } from '../wasm/bytes.ts';
import { readSections, sectionId } from '../wasm/module.ts';

/** Copies bytes into memory that threads share. */
export function shareBytes(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

/** The memory that a snapshot starts with, laid out flat and shared by all workers. */
export function baseMemory(snapshot: Uint8Array): Uint8Array {
  const sections = readSections(snapshot);
  const section = (id: number) => {
    const found = sections.find((candidate) => candidate.id === id);
    if (!found) throw new RangeError('the snapshot has no memory in it');
    return new ByteReader(found.data);
  };
  const memory = section(sectionId.memory);
  memory.take(2);
  const flat = new Uint8Array(new SharedArrayBuffer(memory.u32() * 65_536));
  const data = section(sectionId.data);
  for (let segments = data.u32(); segments > 0; segments--) {
    data.take(2);
    const offset = Number(data.s64());
    data.take(1);
    flat.set(data.take(data.u32()), offset);
  }
  return flat;
}
