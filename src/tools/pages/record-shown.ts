import type { Caller } from '../../core/index.ts';
import type { InboxItem, PageText, World } from '../../world/index.ts';
import { resultBytes } from '../tools.ts';

/** Up to this size, a result with the host's additions is never cut. */
const wholeBytes = resultBytes / 2;

/** Records that the author in person was shown the content of a result; not if the result may be cut. */
export function recordIfAuthor(
  world: World,
  { kind, name }: Caller,
  shownItems: readonly (InboxItem | PageText)[],
  result: readonly unknown[],
): void {
  if (kind !== 'user' || Buffer.byteLength(JSON.stringify(result)) > wholeBytes) return;
  world.shown(name, shownItems);
}
