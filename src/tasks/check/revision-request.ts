/** The text that asks a model to revise its answer, with the claims that are not supported. */
import type { Claim } from '../../core/index.ts';
import { quoteMaterial } from '../../core/index.ts';
import { isRefused } from '../../gate/index.ts';

const maxNamed = 12;
const maxTextLength = 300;
const maxWhyLength = 200;

/** Null if no claim has to be revised. `again`: tells the model how to give a new answer. */
export function formatRevisionRequest(claims: readonly Claim[], again: string): string | null {
  const refused = claims.filter(isRefused);
  if (refused.length === 0) return null;
  const named = refused
    .slice(0, maxNamed)
    .map(
      ({ text, verdict, why }) =>
        `- ${verdict}: ${text.slice(0, maxTextLength)}\n  ${(why ?? '').slice(0, maxWhyLength)}`,
    );
  const more = refused.length > maxNamed ? [`… and ${refused.length - maxNamed} more`] : [];
  const many = refused.length === 1 ? 'One claim is' : `${refused.length} claims are`;
  return [
    `The answer was checked and goes back to you, once. ${many} not carried by the lines cited:`,
    quoteMaterial([...named, ...more].join('\n'), { source: 'claims of your answer', trust: 'derived' }),
    `Correct each, cite the lines that do show it, or leave it out; keep what stands. ${again} What the lines still don't carry is then marked as unsupported.`,
  ].join('\n');
}
