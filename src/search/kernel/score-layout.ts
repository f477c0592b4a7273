import { load } from './wasm-code.ts';

/** The layout of the memory that WebAssembly and JavaScript share while a query is answered. */

/** Byte addresses of the values of a query: array addresses and numbers. */
export const header = {
  scores: 0,
  norms: 4,
  others: 8,
  touched: 12,
  chunks: 16,
  /** Address of an array with 1 for each dead chunk of the current segment; 0 if no chunk is dead. */
  dead: 20,
  files: 24,
  firstChunks: 28,
  groups: 32,
  fileScores: 36,
  /** Doubles follow from here on. */
  weight: 64,
  gain: 72,
  support: 80,
  top: 88,
  constant: 96,
  slope: 104,
} as const;
/** Address of the factor of each group of files, as doubles. */
export const factors = 128;
export const maxGroups = 16;
export const firstFree = 256;

/** Loads a field of the header. */
export const headerField = (name: keyof typeof header) => load(header[name]);
