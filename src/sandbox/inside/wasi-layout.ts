/** Numbers and byte layouts of WASI preview 1, as far as they are used here. */
import type { Entry } from './virtual-files.ts';

export const errno = {
  success: 0,
  badDescriptor: 8,
  fault: 21,
  invalid: 28,
  tooManyFiles: 33,
  notFound: 44,
  noSystemCall: 52,
  notDirectory: 54,
  readOnly: 69,
  notSeekable: 70,
  notCapable: 76,
} as const;

export const fileType = { characterDevice: 2, directory: 3, regular: 4 } as const;
export const openFlag = { create: 1, directory: 2, exclusive: 4, truncate: 8 } as const;
export const writeRight = 64n;
/** A number computed from a path, the same in every process. */
export function inodeOf(path: string): number {
  let hash = 7;
  for (const character of path) hash = (hash * 31 + character.codePointAt(0)!) >>> 0;
  return hash + 10;
}

export function directoryEntry(index: number, name: string, kind: Entry['kind']): Uint8Array {
  const text = new TextEncoder().encode(name);
  const entry = new Uint8Array(24 + text.length);
  const view = new DataView(entry.buffer);
  view.setBigUint64(0, BigInt(index + 1), true);
  view.setBigUint64(8, BigInt(inodeOf(name)), true);
  view.setUint32(16, text.length, true);
  view.setUint8(20, kind === 'directory' ? fileType.directory : fileType.regular);
  entry.set(text, 24);
  return entry;
}
