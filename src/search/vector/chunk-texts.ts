import { crc32 } from 'node:zlib';
import { FileReader } from '../lexical/build/file-reader.ts';
import type { Corpus } from '../lexical/index.ts';
import type { WalkLimits } from '../walk/walk-limits.ts';

/** Maximum characters of a chunk that an embedding model gets. The model may use fewer. */
const maxTextLength = 8_000;

/** A key for the content of a file at its path. */
export function fileKey(corpus: Corpus, file: number): string {
  const { crc, size } = corpus.stamp(file);
  return `${corpus.path(file)}\0${crc}\0${size}`;
}

/** The text of a file or document. Size and checksum show whether it is the text that was indexed. */
interface Content {
  readonly text: string;
  readonly size: number;
  readonly crc: number;
}

/** Reads the content of a path; null if there is none any more. */
export type Contents = (path: string) => Content | null;

export function fileContents(root: string, limits: WalkLimits): Contents {
  const reader = new FileReader(root, limits);
  return (path) => {
    const fileContent = reader.read(path);
    if (fileContent.kind !== 'text') return null;
    const text = Buffer.from(fileContent.bytes.subarray(0, fileContent.length)).toString('utf8');
    return { text, size: fileContent.stamp.size, crc: fileContent.stamp.crc };
  };
}

export function documentContents(read: (path: string) => string | null): Contents {
  return (path) => {
    const text = read(path);
    return text === null ? null : { text, size: Buffer.byteLength(text), crc: crc32(text) };
  };
}

/** Reads the chunks of indexed files as texts for an embedding model. */
export class ChunkTexts {
  readonly #contents: Contents;
  readonly #hide: (text: string) => string;

  constructor(contents: Contents, hide: (text: string) => string = (text) => text) {
    this.#contents = contents;
    this.#hide = hide;
  }

  /** The texts of the chunks of a file. Null if it has changed since it was indexed: the next refresh embeds it. */
  read(corpus: Corpus, file: number): string[] | null {
    const path = corpus.path(file);
    const content = this.#contents(path);
    const { crc, size } = corpus.stamp(file);
    if (content === null || content.crc !== crc || content.size !== size) return null;
    const lines = this.#hide(content.text).split('\n');
    const texts: string[] = [];
    for (let chunk = corpus.firstChunks[file]!; chunk < corpus.firstChunks[file + 1]!; chunk++) {
      const chunkLines = lines.slice(corpus.firstLines[chunk]! - 1, corpus.lastLines[chunk]!);
      texts.push(`${path}\n${chunkLines.join('\n')}`.slice(0, maxTextLength));
    }
    return texts;
  }
}
