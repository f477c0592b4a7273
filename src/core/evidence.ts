import { sha256 } from './id.ts';

/** How a piece of evidence was found. */
export const provenances = [
  'bm25',
  'vector',
  'hybrid',
  'syntax',
  'lsp',
  'graph',
  'grep',
  'git',
  'manual',
] as const;
export type Provenance = (typeof provenances)[number];

/** A span of a source at a content hash. Lines are 1-based and inclusive. */
export interface Evidence {
  /** Content-addressed: the same span of the same file with the same text has the same id. */
  readonly id: string;
  readonly file_path: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly content: string;
  readonly reason: string;
  readonly provenance: Provenance;
  readonly score: number | null;
  readonly symbol_id: string | null;
  readonly symbol_kind: string | null;
  /**
   * SHA-256 of the bytes that the whole lines have in their file, joined by `\n`. `content` may differ: secrets in it
   * are hidden, and of a long line it shows a part.
   */
  readonly hash: string;
  /** The commit the text was read at, or null if it was read from the working tree. */
  readonly commit: string | null;
}

export interface EvidenceFields {
  readonly file_path: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly content: string;
  readonly reason: string;
  readonly provenance: Provenance;
  readonly score?: number | null;
  readonly symbol_id?: string | null;
  readonly symbol_kind?: string | null;
  readonly commit?: string | null;
  /** Hash of the file's own bytes, if they differ from `content`. */
  readonly hash?: string;
}

/** `ev-` and 10 hexadecimal digits over path, lines, commit and content. */
export function createEvidenceId(
  path: string,
  start: number,
  end: number,
  hash: string,
  commit: string | null,
): string {
  return `ev-${sha256([path, start, end, hash, commit ?? ''].join('\0')).slice(0, 10)}`;
}

export function createEvidence(fields: EvidenceFields): Evidence {
  const hash = fields.hash ?? sha256(fields.content);
  const commit = fields.commit ?? null;
  return Object.freeze({
    id: createEvidenceId(fields.file_path, fields.start_line, fields.end_line, hash, commit),
    file_path: fields.file_path,
    start_line: fields.start_line,
    end_line: fields.end_line,
    content: fields.content,
    reason: fields.reason,
    provenance: fields.provenance,
    score: fields.score ?? null,
    symbol_id: fields.symbol_id ?? null,
    symbol_kind: fields.symbol_kind ?? null,
    hash,
    commit,
  });
}

/** Matches every evidence id in a text. */
export const evidenceIdPattern = /\bev-[0-9a-f]{10}\b/g;
