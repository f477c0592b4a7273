/**
 * A claim of an answer, and its verdict. The room `gate` decides verdicts. The type is here because results and logs
 * hold it.
 */

/**
 * shown: the cited lines, or the header of the definition around them, contain everything in the claim that can be
 * checked, all in one place. computed: a cell computed the value, and computed the same when it ran again. absent: a
 * complete search found nothing. supported: code found nothing against the claim, and a reader who saw only the claim
 * and its lines says that the lines support it. contradicted: the lines say otherwise. not shown: the lines contain
 * none of the claim. unclear: nothing speaks for or against the claim, or no reader was available.
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

/** How the cited text tries to give orders to its reader, if the claim repeats such text. */
export const claimFlags = ['addresses_reader', 'command', 'address', 'order'] as const;
export type ClaimFlag = (typeof claimFlags)[number];

export interface Claim {
  readonly text: string;
  readonly verdict: ClaimVerdict;
  /** The reason for the verdict, for people. Absent if there is nothing to explain. */
  readonly why?: string;
  /** Ids of the evidence that the claim was checked against. */
  readonly evidence: readonly string[];
  readonly flags: readonly ClaimFlag[];
}

/** How many claims have each verdict; verdicts without claims are left out. */
export type ClaimCounts = Readonly<Partial<Record<ClaimVerdict, number>>>;

export const isSupported = ({ verdict }: Pick<Claim, 'verdict'>): boolean =>
  verdict === 'shown' || verdict === 'computed' || verdict === 'absent' || verdict === 'supported';

export const isRefused = ({ verdict }: Pick<Claim, 'verdict'>): boolean =>
  verdict === 'contradicted' || verdict === 'not shown';

/** Whether a claim passes on an order or a command of its lines. An address alone is ordinary. */
export const repeatsOrder = ({ flags }: Pick<Claim, 'flags'>): boolean =>
  flags.some((flag) => flag !== 'address');

export function countVerdicts(claims: readonly Claim[]): ClaimCounts {
  const counts: Partial<Record<ClaimVerdict, number>> = {};
  for (const { verdict } of claims) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return counts;
}

const worstVerdictsFirst: readonly ClaimVerdict[] = [
  'contradicted',
  'not shown',
  'unclear',
  'supported',
  'absent',
  'computed',
  'shown',
];
const rank = ({ verdict, flags }: Claim): number =>
  worstVerdictsFirst.indexOf(verdict) - (flags.length > 0 ? 3 : 0);

/** Worst first, for readers who are shown only some claims. */
export const sortWorstFirst = (claims: readonly Claim[]): readonly Claim[] =>
  claims.toSorted((a, b) => rank(a) - rank(b));
