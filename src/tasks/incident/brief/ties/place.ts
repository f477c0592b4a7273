/** A factor for the place of a change: words that many settings share count only at the place of the symptoms. */
import { isSettingsChange } from '../choose.ts';
import { namesService } from '../words.ts';
import type { TieContext, TiedChange } from './tie.ts';

/** Factors for a change in another place, and for one whose place is not known. */
const elsewhereFactor = 0.4;
const unknownPlaceFactor = 0.6;

/**
 * 1 if the change was delivered in reach of the alert, or if its files, its title or its settings name something in
 * reach.
 */
export function placeFactor({ service, change, nature }: TiedChange, { reach, names }: TieContext): number {
  const { paths, title } = change;
  const nearNames = new Set([...names, ...reach.names]);
  // Code mentions many services, but a setting belongs to the service that it names.
  const texts = isSettingsChange(change) ? [title, ...(nature.diff?.around ?? [])] : [title];
  const isNamed = [...nearNames].some(
    (name) =>
      paths.some((path) => namesService(path, name)) || texts.some((text) => namesService(text, name)),
  );
  if (isNamed || (service !== null && reach.of(service) > 0)) return 1;
  return service === null ? unknownPlaceFactor : elsewhereFactor;
}
