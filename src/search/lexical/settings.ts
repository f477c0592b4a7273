import type { ChunkSettings } from '../chunk/chunk-plan.ts';
import type { TokenSettings } from '../tokens/tokens.ts';

/**
 * The weight of a term in a field: whole numbers from 0 to 255, added to the term's frequency in the chunk
 * when the index is built. 0 leaves the field out.
 */
export interface FieldWeights {
  readonly body: number;
  /** The file's path, in each of its chunks. */
  readonly path: number;
  /** A name at its definition, added to its weight in the body. */
  readonly definition: number;
  /** The headings above a chunk of Markdown. */
  readonly heading: number;
}

/** All settings that decide the content of a segment. Segments with different settings are never mixed. */
export interface IndexSettings {
  readonly tokens: TokenSettings;
  readonly chunks: ChunkSettings;
  readonly fields: FieldWeights;
  /** Identifies which secrets are masked in the index, and how; absent if none are. */
  readonly masks?: string;
}

/** Weights measured on bug-fix commits of repositories that they were not tuned on. */
export const defaultSettings: IndexSettings = Object.freeze({
  tokens: Object.freeze({ stemming: 'none' }),
  chunks: Object.freeze({ lines: 40 }),
  fields: Object.freeze({ body: 1, path: 5, definition: 4, heading: 3 }),
});

/** Saturation and length normalisation of BM25 (Robertson and Zaragoza, 2009). */
export interface Bm25 {
  readonly k1: number;
  readonly b: number;
}

export const defaultBm25: Bm25 = Object.freeze({ k1: 1.2, b: 0.75 });
