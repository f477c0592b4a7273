/** What tools for pages get. To add a tool, call `pageEntry` in a file of its own and list it in `page-entries.ts`. */
import type { z } from 'zod';
import { type CallContext, type Entry, type EntryDefinition, entry } from '../../catalogue/index.ts';
import { SondeError } from '../../core/index.ts';
import type { PageSearch, World } from '../../world/index.ts';
import type { RunTrails } from '../run-trails.ts';

export interface PagePorts {
  readonly world: World;
  readonly search: Pick<PageSearch, 'search'>;
  readonly trails: RunTrails;
}

/** Whether a write is applied at once or waits depends on the caller. Only `page-evidence.ts` makes evidence. */
export type PageContext = CallContext<PagePorts>;

export const pageEntry = <Shape extends z.ZodRawShape>(
  definition: EntryDefinition<PageContext, Shape>,
): Entry<PageContext> => entry(definition);

/** The error for missing content. The host reports it to the model as a bad argument. */
export const notFound = (message: string): SondeError =>
  new SondeError('not_found', { message, remedy: 'Look for it with search_pages or list_pages.' });

export const partialIf = (cut: boolean) => (cut ? ('partial' as const) : ('complete' as const));
