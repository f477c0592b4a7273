/** The list of texts for the planner's first message, if it is short enough. Most code begins with their paths. */

import { capabilityOf } from '../material.ts';
import type { RunContext, TreeNode } from '../run-context.ts';

const maxPaths = 40;
/** Maximum characters of the list. */
const maxListLength = 2_000;

/** Maximum characters of the list for a budget of tokens, since the list is sent with every turn. */
export const listLengthFor = (tokens: number): number => Math.floor(Math.min(maxListLength, tokens / 20));

export async function listTexts(
  place: TreeNode,
  { material, capabilities, limits, signal }: RunContext,
): Promise<string> {
  const capability = capabilityOf('kb_list', material.kind);
  const hasTooMany = (material.coverage?.files ?? 0) > maxPaths && place.scope.text === undefined;
  if (material.paths === undefined || hasTooMany || (capability !== null && !capabilities.has(capability)))
    return '';
  const scope = place.scope.text;
  const listing = await material.paths({ signal, ...(scope !== undefined && { scope }) }).catch(() => null);
  const paths = listing?.paths.filter((path) => place.scope.admits(path)) ?? [];
  const text = paths.join('\n');
  const isComplete =
    listing?.completeness === 'complete' &&
    paths.length <= maxPaths &&
    text.length <= listLengthFor(limits.tokens);
  return isComplete ? text : '';
}
