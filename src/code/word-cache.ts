/** Serializes the words of a tree: one list of hashes, the range of each file in it, and the listing of the files. */
import { deserialize, serialize } from 'node:v8';
import type { KnownListing } from './tree-listing.ts';

export interface WordEntry {
  readonly stamp: string;
  /** `any`: the file may hold any word. */
  readonly hashes: Uint32Array | 'any';
}

type FileRanges = readonly {
  readonly path: string;
  readonly stamp: string;
  readonly from: number;
  readonly to: number;
}[];

export function serializeWords(
  entries: readonly (readonly [string, WordEntry])[],
  listing: KnownListing | null,
): Uint8Array {
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
  return serialize({ files, all, listing });
}

export interface StoredWords {
  readonly entries: readonly (readonly [string, WordEntry])[];
  readonly listing: KnownListing | null;
}

/** Empty if the bytes can't be read. */
export function deserializeWords(body: Uint8Array): StoredWords {
  try {
    const { files, all, listing } = deserialize(body) as {
      readonly files: FileRanges;
      readonly all: Uint32Array;
      readonly listing: KnownListing | null;
    };
    return {
      entries: files.map(({ path, stamp, from, to }) => [path, { stamp, hashes: all.subarray(from, to) }]),
      listing,
    };
  } catch {
    return { entries: [], listing: null };
  }
}
