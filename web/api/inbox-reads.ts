/** The requests of the inbox. Most windows open with it, so they are sent before it is drawn. */
import { after } from './client.ts';

/** Items that are listed at once. */
const maxShown = 200;

export const inboxReads = (workspace: string): readonly [items: string, threads: string] => [
  after(`/workspaces/${encodeURIComponent(workspace)}/inbox`, null, maxShown),
  '/threads?limit=50',
];
