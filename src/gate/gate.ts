/**
 * The gate of claims: an answer taken apart into what it says, and for each of that whether the lines it cites say so.
 * Everything here is a pure function of its arguments. It must not guess in favour of a claim: what it cannot tell is
 * `unclear`, and it must not call false what it merely does not find in words.
 */

/**
 * shown: everything checkable in the claim stands in the cited lines, or in the header of the definition around them,
 * and stands together. absent: a search that was complete found nothing. contradicted: the lines say otherwise.
 * not shown: the claim names what the lines do not hold. computed and supported are for whoever runs cells again, or
 * has a reader. unclear: neither for nor against.
 */
export const claimVerdicts = [
  'shown',
  'computed',
  'absent',
  'supported',
  'unclear',
  'contradicted',
  'not shown',
] as const;
export type ClaimVerdict = (typeof claimVerdicts)[number];

/** What the cited text does to whoever reads it, and the claim passes on. */
export const claimFlags = ['addresses_reader', 'command', 'address', 'order'] as const;
export type ClaimFlag = (typeof claimFlags)[number];

export interface Claim {
  readonly text: string;
  readonly verdict: ClaimVerdict;
  /** For people: what decided it. Absent where nothing had to be said. */
  readonly why?: string;
  /** Ids of what it was checked against. */
  readonly evidence: readonly string[];
  readonly flags: readonly ClaimFlag[];
}

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
  /** Globs it was limited to; null where it went over everything. */
  readonly scope: string | null;
}

/** What a run did, as far as an answer may speak of it. */
export interface RunLogView {
  readonly searches: readonly LoggedSearch[];
  /** Paths that were read. */
  readonly read: readonly string[];
}

export const isCarried = ({ verdict }: Pick<Claim, 'verdict'>): boolean =>
  verdict === 'shown' || verdict === 'computed' || verdict === 'absent' || verdict === 'supported';

export const isRefused = ({ verdict }: Pick<Claim, 'verdict'>): boolean =>
  verdict === 'contradicted' || verdict === 'not shown';
