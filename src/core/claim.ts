/**
 * A claim of an answer, and what became of it. How it is decided is the room `gate`; here stands what it leaves behind,
 * since results and logs hold it.
 */

/**
 * shown: everything checkable in the claim stands in the cited lines, or in the header of the definition around them,
 * and stands together. computed: a cell computed the value, and was run again with the same result. absent: a search
 * that was complete found nothing. supported: code found nothing against it, and a reader who saw only the claim and its
 * lines says that they carry it. contradicted: the lines say otherwise. not shown: they hold none of it. unclear:
 * neither for nor against, or no reader was there.
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
  /** For people: what decided it. Absent where there is nothing to explain. */
  readonly why?: string;
  /** Ids of what it was checked against. */
  readonly evidence: readonly string[];
  readonly flags: readonly ClaimFlag[];
}

/** How many claims have each verdict; verdicts without claims are left out. */
export type ClaimCounts = Readonly<Partial<Record<ClaimVerdict, number>>>;

export const isCarried = ({ verdict }: Pick<Claim, 'verdict'>): boolean =>
  verdict === 'shown' || verdict === 'computed' || verdict === 'absent' || verdict === 'supported';

export const isRefused = ({ verdict }: Pick<Claim, 'verdict'>): boolean =>
  verdict === 'contradicted' || verdict === 'not shown';

export function countsOf(claims: readonly Claim[]): ClaimCounts {
  const counts: Partial<Record<ClaimVerdict, number>> = {};
  for (const { verdict } of claims) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return counts;
}

const worst: readonly ClaimVerdict[] = [
  'contradicted',
  'not shown',
  'unclear',
  'supported',
  'absent',
  'computed',
  'shown',
];
const rank = ({ verdict, flags }: Claim): number => worst.indexOf(verdict) - (flags.length > 0 ? 3 : 0);

/** For readers who see only some of them. */
export const worstFirst = (claims: readonly Claim[]): readonly Claim[] =>
  claims.toSorted((a, b) => rank(a) - rank(b));
