/** The list of texts for the first message, if it is short enough: most code begins with their names. */

import { capabilityOf } from '../material.ts';
import type { RunContext, TreeNode } from '../run-context.ts';

const maxListed = 40;
/** Characters. */
const maxListLength = 2_000;

/** The list is sent again with each turn, so a small budget allows only a short one. */
export const listLengthFor = (tokens: number): number => Math.floor(Math.min(maxListLength, tokens / 20));

export async function listTexts(
  place: TreeNode,
  { material, capabilities, limits, signal }: RunContext,
): Promise<string> {
  const needed = capabilityOf('kb_list', material.kind);
  const isMany = (material.coverage?.files ?? 0) > maxListed && place.scope.text === undefined;
  if (material.paths === undefined || isMany || (needed !== null && !capabilities.has(needed))) return '';
  const scope = place.scope.text;
  const found = await material.paths({ signal, ...(scope !== undefined && { scope }) }).catch(() => null);
  const paths = found?.paths.filter((path) => place.scope.admits(path)) ?? [];
  const text = paths.join('\n');
  const isAll =
    found?.completeness === 'complete' &&
    paths.length <= maxListed &&
    text.length <= listLengthFor(limits.tokens);
  return isAll ? text : '';
}
