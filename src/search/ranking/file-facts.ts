import { fileKind, fileKinds } from '../../core/index.ts';
import type { Corpus } from '../lexical/index.ts';
import { PathEndings } from './mentions.ts';

/**
 * The kind of material in the tree. `prose`: almost no code. `collection`: many files of one chunk each, such as
 * snippets or records. `repository`: everything else.
 */
export type Material = 'prose' | 'collection' | 'repository';

/** Minimum share of code, test and example files. A tree with a smaller share is prose. */
const minCodeShare = 0.1;
/** The approximate number of files, evenly spread over the tree, by which the material is classified. */
const sampleFiles = 1_000;
/** A collection has fewer chunks per file than this on average, and at least `minCollectionFiles` files. */
const maxChunksPerFile = 1.5;
const minCollectionFiles = 100;

/** The kinds of the files with numbers from `from` to before `to`, as indices in `fileKinds`. */
export function classifyFiles(corpus: Pick<Corpus, 'path'>, from: number, to: number): Uint8Array {
  return Uint8Array.from({ length: to - from }, (_, k) => fileKinds.indexOf(fileKind(corpus.path(from + k))));
}

/** Facts about the files of one state of the index, for ranking. Each is computed on first use. */
export class FileFacts {
  readonly #corpus: Corpus;
  /** For each file, its index in `fileKinds`. */
  readonly kinds: Uint8Array;
  #material: Material | undefined;
  #endings: PathEndings | undefined;
  #filesByPath: ReadonlyMap<string, number> | undefined;

  constructor(corpus: Corpus, kinds: Uint8Array) {
    this.#corpus = corpus;
    this.kinds = kinds;
  }

  get material(): Material {
    this.#material ??= this.#classifyMaterial();
    return this.#material;
  }

  get endings(): PathEndings {
    this.#endings ??= new PathEndings(this.#listLiveFiles(), (file) => this.#corpus.path(file));
    return this.#endings;
  }

  /** The number of the live file at a path; undefined if there is none. */
  findFile(path: string): number | undefined {
    this.#filesByPath ??= new Map(
      this.#listLiveFiles().map((file) => [this.#corpus.path(file), file] as const),
    );
    return this.#filesByPath.get(path);
  }

  *#listLiveFiles(): Generator<number> {
    const { fileCount, dead } = this.#corpus;
    for (let file = 0; file < fileCount; file++) if (dead[file] === 0) yield file;
  }

  #classifyMaterial(): Material {
    const { liveFiles, liveChunks, fileCount, dead } = this.#corpus;
    const stride = Math.max(1, Math.floor(fileCount / sampleFiles));
    let sampledCount = 0;
    let codeCount = 0;
    for (let file = 0; file < fileCount; file += stride) {
      if (dead[file] === 1) continue;
      sampledCount++;
      const kind = fileKinds[this.kinds[file]!];
      if (kind === 'code' || kind === 'test' || kind === 'example') codeCount++;
    }
    if (codeCount < minCodeShare * sampledCount) return 'prose';
    return liveFiles >= minCollectionFiles && liveChunks < maxChunksPerFile * liveFiles
      ? 'collection'
      : 'repository';
  }
}
