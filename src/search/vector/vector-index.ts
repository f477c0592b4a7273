import { formatCount, messageOf, SondeError } from '../../core/index.ts';
import type { Corpus } from '../lexical/index.ts';
import type { Snapshot } from '../lexical/read/reader.ts';
import type { Embedder, RefreshOptions } from '../search.ts';
import type { WalkLimits } from '../walk/walk-limits.ts';
import { ChunkTexts, type Contents, fileKey } from './chunk-texts.ts';
import { openScanner, type Scanner } from './scanner.ts';
import { readVectors, type StoredVectors, type VectorSpace, writeVectors } from './vector-file.ts';
import { VectorTable } from './vector-table.ts';

/** Number of texts per call of the embedder, which may split them further. */
const textsPerBatch = 128;
/** Vectors are saved after every this many chunks, or after a tenth of all chunks to embed, if that is more. */
const minChunksBetweenSaves = 2_000;

export interface QueryVector {
  /** The cosine of each chunk; -1 if it has no vector. Null if the query could not be embedded. */
  readonly cosines: Float32Array | null;
  readonly notes: readonly string[];
}

interface LoadedVectors {
  readonly stored: StoredVectors;
  readonly scanner: Scanner;
}

/** The vectors of one embedder over one index. A failure only adds a note: the search by words continues. */
export class VectorIndex {
  readonly #hide: ((text: string) => string) | undefined;
  readonly #contents: (limits: WalkLimits) => Contents;
  readonly #directory: string;
  readonly #embedder: Embedder;
  #loaded: { space: string; value: LoadedVectors | null } | undefined;
  #chunkRows: { corpus: Corpus; stored: StoredVectors; values: Int32Array; missing: number } | undefined;

  /** `hide` masks secrets in a text before the embedder gets it. */
  constructor(
    contents: (limits: WalkLimits) => Contents,
    directory: string,
    embedder: Embedder,
    hide?: (text: string) => string,
  ) {
    this.#hide = hide;
    this.#contents = contents;
    this.#directory = directory;
    this.#embedder = embedder;
  }

  /** Embeds the files without vectors. If it fails, saves the vectors that it has. Returns notes. */
  async refresh(snapshot: Snapshot, { signal, onProgress }: RefreshOptions): Promise<string[]> {
    const { corpus, manifest } = snapshot;
    const previous = this.#load(snapshot)?.stored ?? null;
    const liveFiles = listLiveFiles(corpus).map((file) => ({ file, key: fileKey(corpus, file) }));
    const newFiles = liveFiles.filter(({ key }) => previous?.files.has(key) !== true);
    if (newFiles.length === 0 && previous?.files.size === liveFiles.length) return [];
    const table = new TableBuilder(this.#embedder, previous);
    for (const { key } of liveFiles) {
      const rows = previous?.files.get(key);
      if (rows !== undefined) table.keep(key, rows);
    }
    const total = newFiles.reduce((sum, { file }) => sum + countChunks(corpus, file), 0);
    const saveAfter = Math.max(minChunksBetweenSaves, total / 10);
    let embeddedCount = 0;
    let savedCount = 0;
    const save = (): void => {
      const storedVectors = table.toStored();
      if (storedVectors !== null) writeVectors(this.#directory, this.#describeSpace(snapshot), storedVectors);
      this.#loaded = undefined;
      savedCount = embeddedCount;
    };
    const chunkTexts = new ChunkTexts(this.#contents(manifest.limits), this.#hide);
    try {
      for (const batch of createBatches(corpus, newFiles, chunkTexts)) {
        onProgress?.({ phase: 'vectors', done: embeddedCount, total });
        await table.embed(batch, signal);
        embeddedCount += batch.reduce((sum, file) => sum + file.texts.length, 0);
        if (embeddedCount - savedCount >= saveAfter) save();
      }
      return [];
    } catch (thrown) {
      if (signal?.aborted) throw thrown;
      return [
        `${this.#embedder.id} failed after ${embeddedCount} of ${total} chunks, the rest is searched by words: ${messageOf(thrown)}`,
      ];
    } finally {
      save();
      onProgress?.({ phase: 'vectors', done: embeddedCount, total });
    }
  }

  async query(snapshot: Snapshot, text: string, signal?: AbortSignal): Promise<QueryVector> {
    const loaded = this.#load(snapshot);
    const id = this.#embedder.id;
    if (loaded === null)
      return { cosines: null, notes: [`There are no vectors of ${id} yet: searched by words.`] };
    try {
      const [vector] = await this.#embedder.embed([text], 'query', signal);
      checkDimensions(this.#embedder, vector, loaded.stored.vectors.dimensions);
      const { values, missing } = this.#findRows(snapshot.corpus, loaded.stored);
      const cosines = loaded.scanner.cosines(vector);
      const notes =
        missing === 0
          ? []
          : [`${formatCount(missing, 'chunk')} without a vector of ${id}: found by words only.`];
      return { cosines: Float32Array.from(values, (row) => (row < 0 ? -1 : cosines[row]!)), notes };
    } catch (thrown) {
      if (signal?.aborted) throw thrown;
      return { cosines: null, notes: [`${id} failed, so this was searched by words: ${messageOf(thrown)}`] };
    }
  }

  #describeSpace({ manifest }: Snapshot): VectorSpace {
    return { embedder: this.#embedder.id, chunks: JSON.stringify(manifest.settings.chunks) };
  }

  #load(snapshot: Snapshot): LoadedVectors | null {
    const space = this.#describeSpace(snapshot);
    if (this.#loaded?.space !== space.chunks) {
      const stored = readVectors(this.#directory, space);
      const value = stored === null ? null : { stored, scanner: openScanner(stored.vectors) };
      this.#loaded = { space: space.chunks, value };
    }
    return this.#loaded.value;
  }

  /** The row of each chunk in the stored vectors; -1 if it has none. `missing`: the number of chunks without a row. */
  #findRows(corpus: Corpus, stored: StoredVectors): { values: Int32Array; missing: number } {
    if (this.#chunkRows?.corpus === corpus && this.#chunkRows.stored === stored) return this.#chunkRows;
    const values = new Int32Array(corpus.chunkCount).fill(-1);
    let missing = 0;
    for (const file of listLiveFiles(corpus)) {
      const rows = stored.files.get(fileKey(corpus, file));
      const count = countChunks(corpus, file);
      if (rows?.count !== count) missing += count;
      else for (let k = 0; k < count; k++) values[corpus.firstChunks[file]! + k] = rows.first + k;
    }
    this.#chunkRows = { corpus, stored, values, missing };
    return this.#chunkRows;
  }
}

interface FileTexts {
  readonly key: string;
  readonly texts: readonly string[];
}

/** Builds the table of vectors. If there was no table before, the first vector determines its dimensions. */
class TableBuilder {
  readonly #embedder: Embedder;
  readonly #previous: StoredVectors | null;
  #table: VectorTable | null;

  constructor(embedder: Embedder, previous: StoredVectors | null) {
    this.#embedder = embedder;
    this.#previous = previous;
    this.#table = previous === null ? null : new VectorTable(previous.vectors.dimensions);
  }

  keep(key: string, rows: { first: number; count: number }): void {
    this.#table!.keep(key, this.#previous!, rows);
  }

  async embed(files: readonly FileTexts[], signal: AbortSignal | undefined): Promise<void> {
    const texts = files.flatMap((file) => file.texts);
    const vectors = await this.#embedder.embed(texts, 'passage', signal);
    if (vectors.length !== texts.length) {
      throw createReplyError(this.#embedder, `${vectors.length} vectors came back for ${texts.length} texts`);
    }
    for (const vector of vectors) checkDimensions(this.#embedder, vector, this.#table?.dimensions);
    this.#table ??= new VectorTable(vectors[0]?.length ?? this.#embedder.dimensions);
    let offset = 0;
    for (const file of files) {
      this.#table.add(file.key, vectors.slice(offset, offset + file.texts.length));
      offset += file.texts.length;
    }
  }

  toStored(): StoredVectors | null {
    return this.#table?.toStored() ?? null;
  }
}

function checkDimensions(
  embedder: Embedder,
  vector: Float32Array | undefined,
  stored: number | undefined,
): asserts vector is Float32Array {
  const expected = embedder.dimensions === 0 ? stored : embedder.dimensions;
  const length = vector?.length ?? 0;
  if (
    length === 0 ||
    (expected !== undefined && length !== expected) ||
    (stored !== undefined && length !== stored)
  ) {
    throw createReplyError(embedder, `a vector has ${length} dimensions, not ${stored ?? expected ?? 'any'}`);
  }
}

function createReplyError(embedder: Embedder, problem: string): SondeError {
  return new SondeError('model_output', {
    message: `${embedder.id}: ${problem}.`,
    remedy: 'Check that the endpoint serves the model named, and name another model to start afresh.',
  });
}

function* createBatches(
  corpus: Corpus,
  files: readonly { file: number; key: string }[],
  chunkTexts: ChunkTexts,
): Generator<FileTexts[]> {
  let batch: FileTexts[] = [];
  let textCount = 0;
  for (const { file, key } of files) {
    const texts = chunkTexts.read(corpus, file);
    if (texts === null || texts.length === 0) continue;
    batch.push({ key, texts });
    textCount += texts.length;
    if (textCount < textsPerBatch) continue;
    yield batch;
    batch = [];
    textCount = 0;
  }
  if (batch.length > 0) yield batch;
}

function listLiveFiles(corpus: Corpus): number[] {
  return Array.from({ length: corpus.fileCount }, (_, file) => file).filter(
    (file) => corpus.dead[file] === 0,
  );
}

function countChunks(corpus: Corpus, file: number): number {
  return corpus.firstChunks[file + 1]! - corpus.firstChunks[file]!;
}
