/** Formats claims for people. */
import {
  type Claim,
  type ClaimCounts,
  formatCount,
  type ListArtifact,
  plainLine,
  SondeError,
} from '../../../core/index.ts';
import type { RunView } from '../../runs/runs.ts';

/** Returns a paragraph for each claim, in the order of the answer. `claims` is null if they were not checked. */
export function claimsText(claims: readonly Claim[] | null): string {
  if (claims === null)
    return 'The claims of this run were not checked: it has no answer yet, or an earlier version of Sonde made it.';
  if (claims.length === 0) return 'The answer contains no claim.';
  return claims.map(claimText).join('\n\n');
}

function claimText({ text, verdict, why, evidence, flags }: Claim): string {
  const details = [
    ...(why === undefined ? [] : [`  ${why}`]),
    ...(evidence.length === 0 ? [] : [`  checked against ${evidence.join(', ')}`]),
    ...(flags.length === 0 ? [] : [`  repeats instructions that the lines contain: ${flags.join(', ')}`]),
  ];
  return [`${verdict}: ${text}`, ...details]
    .map((line) => line.slice(0, 2) + plainLine(line.slice(2)))
    .join('\n');
}

/** Formats counts, such as `3 shown, 1 not shown`. */
export const countsText = (counts: ClaimCounts): string =>
  Object.entries(counts)
    .map(([verdict, count]) => `${count} ${verdict}`)
    .join(', ');

type RunArtifacts = Pick<RunView, 'run_id' | 'artifacts'>;

/** Throws `not_found` if the run has no artifact with this name. */
export function findArtifact({ run_id, artifacts }: RunArtifacts, name: string): ListArtifact {
  const allArtifacts = artifacts();
  const artifact = allArtifacts.find((listArtifact) => listArtifact.name === name);
  if (artifact !== undefined) return artifact;
  const names = allArtifacts.map((listArtifact) => listArtifact.name).join(', ');
  throw new SondeError('not_found', {
    message: `The run ${run_id} has no artifact ${name}`,
    remedy:
      names === ''
        ? 'It has no artifacts: its answer contains everything that it found.'
        : `It has: ${names}.`,
  });
}

export const artifactLines = ({ run_id, artifacts }: RunArtifacts): readonly string[] =>
  artifacts().map(
    ({ name, items }) =>
      `${formatCount(items.length, 'item')}, ${items.length === 1 ? 'with its lines' : 'each with its lines'}: sonde show ${run_id} --artifact ${name}`,
  );
