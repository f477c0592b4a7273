/** Claims as a person reads them. */
import { type Claim, type ClaimCounts, plainLine } from '../../core/index.ts';

/** The worst is not looked for first here: they stand in the order of the answer. */
export function claimsText(claims: readonly Claim[] | null): string {
  if (claims === null)
    return 'Nobody checked what this run claims: it has no answer yet, or is of before claims were checked.';
  if (claims.length === 0) return 'The answer claims nothing.';
  return claims.map(claimText).join('\n\n');
}

function claimText({ text, verdict, why, evidence, flags }: Claim): string {
  const rest = [
    ...(why === undefined ? [] : [`  ${why}`]),
    ...(evidence.length === 0 ? [] : [`  held against ${evidence.join(', ')}`]),
    ...(flags.length === 0 ? [] : [`  passes on what the lines do to their reader: ${flags.join(', ')}`]),
  ];
  return [`${verdict}: ${text}`, ...rest]
    .map((line) => line.slice(0, 2) + plainLine(line.slice(2)))
    .join('\n');
}

/** `3 shown, 1 not shown`. */
export const countsText = (counts: ClaimCounts): string =>
  Object.entries(counts)
    .map(([verdict, count]) => `${count} ${verdict}`)
    .join(', ');
