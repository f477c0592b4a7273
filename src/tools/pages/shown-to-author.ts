import type { Caller } from '../../core/index.ts';
import type { InboxItem, PageText, World } from '../../world/index.ts';
import { resultBytes } from '../tools.ts';

/** Below this a result is handed over whole, with what the host adds to it. */
const wholeBytes = resultBytes / 2;

/** Whatever a tool gives the author in person, whole, was shown to the author; a cut result was not. */
export function keepIfAuthors(
  world: World,
  { kind, name }: Caller,
  what: readonly (InboxItem | PageText)[],
  result: readonly unknown[],
): void {
  if (kind !== 'user' || Buffer.byteLength(JSON.stringify(result)) > wholeBytes) return;
  world.shown(name, what);
}
