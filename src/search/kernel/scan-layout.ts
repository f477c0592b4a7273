import { maxParts } from '../tokens/tokens.ts';
import { load } from './wasm-code.ts';

/** The layout of the memory that WebAssembly and JavaScript share while an index is built, and of its records. */

/** Byte addresses of the values that the kernel and its caller share. Each value takes four bytes. */
export const header = {
  identifiers: 0,
  /** Size of the table of identifiers in bytes, minus one. */
  identifierMask: 4,
  identifierCount: 8,
  /** Term numbers of identifiers that have several. */
  parts: 12,
  partCount: 16,
  termSlots: 20,
  termSlotMask: 24,
  termStrings: 28,
  /** One more than the number of terms: 0 marks an empty slot. */
  nextTerm: 32,
  pool: 36,
  poolLength: 40,
  /** Records of terms. */
  terms: 44,
  frequencies: 48,
  touched: 52,
  touchedCount: 56,
  /** The address of the log's next entry. */
  logEnd: 60,
  definitionWeight: 64,
  /** The role of identifiers that are added. */
  role: 68,
  /** 1 if the kernel may split identifiers; 0 if JavaScript must, since terms are stemmed. */
  splits: 72,
  identifierLimit: 76,
  partLimit: 80,
  termLimit: 84,
  poolLimit: 88,
} as const;
/** Address of the table that gives each of the 256 bytes its class. */
export const classes = 256;
/** 16 bytes of ones, then 16 of zeros. A vector read `length` bytes before the zeros masks what follows a run. */
export const masks = 512;
/** The start and end of each part of an identifier. */
export const cuts = 576;
/** Address of the lower-case term that is looked up. */
export const lowered = 784;
/** Bytes that the kernel may read beyond the end of a text. */
export const overreach = 16;
/** Start of the memory that can be allocated. */
export const firstFree = 1024;

/**
 * The fields of a term's record: the number of chunks with it, the last of these plus one, the bytes of its postings,
 * and where the next posting is written.
 */
export const termRecord = { documents: 0, lastChunk: 4, bytes: 8, cursor: 12 } as const;
export const termRecordBytes = 16;
export const identifierBytes = 16;

/** Maximum number of terms of one identifier: the whole and its parts. */
export const maxTerms = maxParts + 1;

/** An entry of the log has the number of the term in its low bits and the frequency above them; 0 ends a chunk. */
export const frequencyShift = 22;
/** Highest frequency that a posting can store. */
export const maxStoredFrequency = 255;
/** Highest frequency that is counted in a chunk. */
export const maxCountedFrequency = 0xffff;

/** How definitions are found. */
export const scanStyle = { none: 0, keywords: 1, braces: 2 } as const;

/** Loads a field of the header. */
export const headerField = (name: keyof typeof header) => load(header[name]);
