/** The words of a tree as bytes: one list of numbers, and the offsets at which the numbers of each file begin. */
import { deserialize, serialize } from 'node:v8';

export interface WordEntry {
  readonly stamp: string;
  /** `any`: the file may hold any word. */
  readonly hashes: Uint32Array | 'any';
}

type Kept = readonly {
  readonly path: string;
  readonly stamp: string;
  readonly from: number;
  readonly to: number;
}[];

export function wordsKept(entries: readonly (readonly [string, WordEntry])[]): Uint8Array {
  const known = entries.flatMap(([path, { stamp, hashes }]) =>
    hashes instanceof Uint32Array ? [{ path, stamp, hashes }] : [],
  );
  const all = new Uint32Array(known.reduce((sum, { hashes }) => sum + hashes.length, 0));
  let at = 0;
  const files = known.map(({ path, stamp, hashes }) => {
    const from = at;
    all.set(hashes, from);
    at += hashes.length;
    return { path, stamp, from, to: at };
  });
  return serialize({ files, all });
}

/** Empty where the bytes say nothing. */
export function keptWords(body: Uint8Array): readonly (readonly [string, WordEntry])[] {
  try {
    const { files, all } = deserialize(body) as { readonly files: Kept; readonly all: Uint32Array };
    return files.map(({ path, stamp, from, to }) => [path, { stamp, hashes: all.subarray(from, to) }]);
  } catch {
    return [];
  }
}
