/** Whether a series moved after a change, within the tolerance for clocks. */
import type { Movement } from '../movement.ts';
import { serviceStem } from '../words.ts';
import type { TiedChange } from './tie.ts';

/** A deploy is recorded when it is complete, and its service may move before. Milliseconds. */
const ownSlackMs = 90_000;
/** Others move after it; their clocks may differ. Milliseconds. */
const othersSlackMs = 30_000;

export function hasMovedSince(
  { service: moved, onset }: Pick<Movement, 'service' | 'onset'>,
  { at, service }: Pick<TiedChange, 'at' | 'service'>,
): boolean {
  const isOwn = moved === null || service === null || serviceStem(moved) === serviceStem(service);
  return onset >= at - (isOwn ? ownSlackMs : othersSlackMs);
}
