/**
 * The gate of claims: splits an answer into claims, and decides for each whether its cited lines say so. Everything
 * here is a pure function of its arguments. It must not guess in favour of a claim: undecided is `unclear`. It must
 * not call a claim false because its words are missing. ARCHITECTURE.md says which folder does what ("One claim").
 */
export {
  type Claim,
  type ClaimFlag,
  type ClaimVerdict,
  claimFlags,
  claimVerdicts,
  isRefused,
  isSupported,
} from '../core/index.ts';

/** Lines that a claim is checked against. */
export interface ClaimSource {
  readonly id: string;
  readonly path: string;
  /** 1-based and inclusive. */
  readonly start: number;
  readonly end: number;
  /** The lines, joined by `\n`. */
  readonly content: string;
  /** The first lines of the enclosing definitions, if they are outside these lines. */
  readonly header?: string;
  /** A fact from a complete listing that no line contains, such as that a name has no users. */
  readonly listing?: string;
  /** The name of which a complete listing over everything found no users. */
  readonly unused?: string;
}

/** A search of the run's log. */
export interface LoggedSearch {
  /** The id under which it can be cited. */
  readonly id: string;
  /** The text or pattern that was looked for. */
  readonly pattern: string;
  readonly matches: number;
  readonly complete: boolean;
  /** Whether case counts. */
  readonly exactCase?: boolean;
  /** Globs that limited the search; null if everything was searched. */
  readonly scope: string | null;
  /** For people: how many texts were searched, and which a rule excluded. */
  readonly over?: string;
  /** The place of the first match. */
  readonly met?: string;
  /** Why the search is not complete. */
  readonly lacks?: string;
}

/** The actions of a run that an answer may mention. */
export interface RunLogView {
  readonly searches: readonly LoggedSearch[];
  /** Paths that were read. */
  readonly read: readonly string[];
}
