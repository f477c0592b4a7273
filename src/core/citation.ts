/** A citation as claimed, and the result of reading its lines again. The gate itself is in `gate.ts`. */
import type { Provenance } from './evidence.ts';

export const citationStatuses = [
  'valid',
  'changed',
  'missing_file',
  'out_of_range',
  'quote_not_found',
  'not_read',
  'outside_root',
  'not_text',
] as const;

/**
 * valid: the lines exist and have the expected text. changed: the text of the lines has another hash. not_read: nothing
 * in this run read that span. The others name the reason why re-reading failed.
 */
export type CitationStatus = (typeof citationStatuses)[number];

/** A claim about lines of a file, from anybody. Lines are 1-based and inclusive. */
export interface CitationClaim {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  /** Text that must occur within the lines; runs of white space count as one space. */
  readonly quote?: string;
  /** SHA-256 of the lines joined by `\n`, as `Evidence.hash`. */
  readonly hash?: string;
  readonly commit?: string | null;
}

/** A citation as it leaves a run: checked. */
export interface Citation {
  readonly id: string;
  readonly path: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly provenance: Provenance;
  readonly hash: string;
  readonly status: CitationStatus;
}
