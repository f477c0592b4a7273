/**
 * The gate of claims: an answer taken apart into what it says, and for each of that whether the lines it cites say so.
 * Everything here is a pure function of its arguments. It must not guess in favour of a claim: what it cannot tell is
 * `unclear`, and it must not call false what it merely does not find in words.
 */
export {
  type Claim,
  type ClaimFlag,
  type ClaimVerdict,
  claimFlags,
  claimVerdicts,
  isCarried,
  isRefused,
} from '../core/index.ts';

/** Lines that a claim may rest on. */
export interface ClaimSource {
  readonly id: string;
  readonly path: string;
  /** 1-based and inclusive. */
  readonly start: number;
  readonly end: number;
  /** The lines, joined by `\n`. */
  readonly content: string;
  /** The first lines of the definitions around them, where they stand outside of these lines. */
  readonly header?: string;
}

/** A search of the run's log. */
export interface LoggedSearch {
  /** What can be cited for it. */
  readonly id: string;
  /** The text or pattern that was looked for. */
  readonly pattern: string;
  readonly matches: number;
  readonly complete: boolean;
  /** It met the pattern only as it is written, capitals and all. */
  readonly exactCase?: boolean;
  /** Globs it was limited to; null where it went over everything. */
  readonly scope: string | null;
}

/** What a run did, as far as an answer may speak of it. */
export interface RunLogView {
  readonly searches: readonly LoggedSearch[];
  /** Paths that were read. */
  readonly read: readonly string[];
}
