/** Whether a series moved after a change, within the tolerance for clocks. */
import type { Movement } from '../movement.ts';
import { serviceStem } from '../words.ts';
import type { TiedChange } from './tie.ts';

/** How long before a change its own service may move, since deploys are recorded when complete. Milliseconds. */
const ownSlackMs = 90_000;
/** How long before the change other services may move, since clocks differ. Milliseconds. */
const othersSlackMs = 30_000;

export function hasMovedSince(
  { service: moved, onset }: Pick<Movement, 'service' | 'onset'>,
  { at, service }: Pick<TiedChange, 'at' | 'service'>,
): boolean {
  const isOwn = moved === null || service === null || serviceStem(moved) === serviceStem(service);
  return onset >= at - (isOwn ? ownSlackMs : othersSlackMs);
}
