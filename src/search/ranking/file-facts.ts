import type { Corpus } from '../lexical/index.ts';
import { fileKind, fileKinds } from './file-kind.ts';
import { PathEndings } from './mentions.ts';

/**
 * What a tree is made of, told from the tree itself. `prose`: next to no code. `collection`: many files of
 * one chunk each, such as snippets or records. `repository`: all else.
 */
export type Material = 'prose' | 'collection' | 'repository';

/** Below this share of code a tree is prose. */
const leastCode = 0.1;
/** Files looked at to tell the material, spread over the tree. */
const sample = 1_000;
/** Most chunks a file has on average in a collection, and the fewest files it has. */
const chunksOfPiece = 1.5;
const fewestPieces = 100;

/** What ranking knows of the files of one state of the index. Each part is computed when first asked for. */
export class FileFacts {
  readonly #corpus: Corpus;
  readonly #knownKinds: Map<string, number>;
  #kinds: Uint8Array | undefined;
  #material: Material | undefined;
  #endings: PathEndings | undefined;
  #numbers: ReadonlyMap<string, number> | undefined;

  /**
   * `knownKinds`: by path, kept from one state of the index to the next. `stored`: by file number, told when
   * this state was indexed.
   */
  constructor(corpus: Corpus, knownKinds: Map<string, number> = new Map(), stored: Uint8Array | null = null) {
    this.#corpus = corpus;
    this.#knownKinds = knownKinds;
    this.#kinds = stored ?? undefined;
  }

  /** By file number, its place in `fileKinds`. */
  get kinds(): Uint8Array {
    this.#kinds ??= Uint8Array.from({ length: this.#corpus.fileCount }, (_, file) => this.#kind(file));
    return this.#kinds;
  }

  get material(): Material {
    this.#material ??= this.#tellMaterial();
    return this.#material;
  }

  get endings(): PathEndings {
    this.#endings ??= new PathEndings(this.#live(), (file) => this.#corpus.path(file));
    return this.#endings;
  }

  /** The live file at a path. */
  fileAt(path: string): number | undefined {
    this.#numbers ??= new Map(this.#live().map((file) => [this.#corpus.path(file), file] as const));
    return this.#numbers.get(path);
  }

  #kind(file: number): number {
    if (this.#kinds !== undefined) return this.#kinds[file]!;
    const path = this.#corpus.path(file);
    let kind = this.#knownKinds.get(path);
    if (kind === undefined) {
      kind = fileKinds.indexOf(fileKind(path));
      this.#knownKinds.set(path, kind);
    }
    return kind;
  }

  *#live(): Generator<number> {
    const { fileCount, dead } = this.#corpus;
    for (let file = 0; file < fileCount; file++) if (dead[file] === 0) yield file;
  }

  #tellMaterial(): Material {
    const { liveFiles, liveChunks, fileCount, dead } = this.#corpus;
    const stride = Math.max(1, Math.floor(fileCount / sample));
    let looked = 0;
    let code = 0;
    for (let file = 0; file < fileCount; file += stride) {
      if (dead[file] === 1) continue;
      looked++;
      const kind = fileKinds[this.#kind(file)];
      if (kind === 'code' || kind === 'test' || kind === 'example') code++;
    }
    if (code < leastCode * looked) return 'prose';
    return liveFiles >= fewestPieces && liveChunks < chunksOfPiece * liveFiles ? 'collection' : 'repository';
  }
}
