import { findInOtherCase, SondeError, scopeMatcher } from '../../core/index.ts';
import type { CodePorts } from './code-ports.ts';

/** Throws `bad_pattern` if nothing is in the scope, but paths in another case would be. */
export async function checkCase(
  wanted: string,
  { paths: list }: Pick<CodePorts, 'paths'>,
  admits: (path: string) => boolean,
  signal?: AbortSignal,
): Promise<void> {
  if (list === undefined) return;
  const { paths } = await list({ ...(signal && { signal }) });
  const there = paths.filter(admits);
  const within = scopeMatcher(wanted);
  if (there.some((path) => within(path))) return;
  const meant = findInOtherCase(wanted, there);
  if (meant.length > 0)
    throw new SondeError('bad_pattern', {
      message: `nothing is in the scope ${JSON.stringify(wanted)}, but in another case there is: ${meant.join(', ')}`,
      remedy: 'Upper and lower case count: write it as the paths have it.',
    });
}
