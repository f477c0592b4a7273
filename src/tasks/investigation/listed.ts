/** The texts there are, where they are few enough to be named in the first words: most code begins with their names. */
import type { Crew, Place } from './crew.ts';
import { capabilityOf } from './material.ts';

const mostListed = 40;
/** Characters. */
const longestList = 2_000;

/** Under a small budget the list is sent again with each turn, too. */
export const longestListOf = (tokens: number): number => Math.floor(Math.min(longestList, tokens / 20));

export async function listedTexts(
  place: Place,
  { material, capabilities, limits, signal }: Crew,
): Promise<string> {
  const needed = capabilityOf('kb_list', material.kind);
  const isMany = (material.coverage?.files ?? 0) > mostListed && place.scope.text === undefined;
  if (material.paths === undefined || isMany || (needed !== null && !capabilities.has(needed))) return '';
  const scope = place.scope.text;
  const found = await material.paths({ signal, ...(scope !== undefined && { scope }) }).catch(() => null);
  const paths = found?.paths.filter((path) => place.scope.admits(path)) ?? [];
  const text = paths.join('\n');
  const isAll =
    found?.completeness === 'complete' &&
    paths.length <= mostListed &&
    text.length <= longestListOf(limits.tokens);
  return isAll ? text : '';
}
