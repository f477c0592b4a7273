import { FileReader } from '../lexical/file-reader.ts';
import type { Corpus } from '../lexical/index.ts';
import type { WalkLimits } from '../walk-limits.ts';

/** What an embedding model gets of a chunk, in characters; models cut off more. */
const longestText = 8_000;

/** Identifies a file's content at a path. */
export function fileKey(corpus: Corpus, file: number): string {
  const { crc, size } = corpus.stamp(file);
  return `${corpus.path(file)}\0${crc}\0${size}`;
}

/** Reads the chunks of indexed files again, as texts for an embedding model. */
export class ChunkTexts {
  readonly #reader: FileReader;

  constructor(root: string, limits: WalkLimits) {
    this.#reader = new FileReader(root, limits);
  }

  /** Null where the file is no longer what was indexed: the next refresh will see to it. */
  of(corpus: Corpus, file: number): string[] | null {
    const path = corpus.path(file);
    const read = this.#reader.read(path);
    const { crc, size } = corpus.stamp(file);
    if (read.kind !== 'text' || read.stamp.crc !== crc || read.stamp.size !== size) return null;
    const lines = Buffer.from(this.#reader.bytes.subarray(0, read.length)).toString('utf8').split('\n');
    const texts: string[] = [];
    for (let chunk = corpus.firstChunks[file]!; chunk < corpus.firstChunks[file + 1]!; chunk++) {
      const own = lines.slice(corpus.firstLines[chunk]! - 1, corpus.lastLines[chunk]!);
      texts.push(`${path}\n${own.join('\n')}`.slice(0, longestText));
    }
    return texts;
  }
}
