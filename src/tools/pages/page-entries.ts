/** All tools over pages, in the order of the listing. To add one, give it a file of its own, and a line here. */
import type { Entry } from '../../catalogue/index.ts';
import type { Tool } from '../../core/index.ts';
import { noRunTrails } from '../run-trails.ts';
import { toTool } from '../to-tool.ts';
import { changedSince } from './changed-since.ts';
import { getBacklinks } from './get-backlinks.ts';
import { listChanges } from './list-changes.ts';
import { listInbox } from './list-inbox.ts';
import { listPages } from './list-pages.ts';
import { listTags } from './list-tags.ts';
import { authorEntries, organizingEntries } from './organize.ts';
import type { PageContext, PagePorts } from './page-entry.ts';
import { pageHistory } from './page-history.ts';
import { readBlock } from './read-block.ts';
import { readPage } from './read-page.ts';
import { searchPages } from './search-pages.ts';
import { writingEntries } from './write.ts';

export const pageEntries: readonly Entry<PageContext>[] = [
  searchPages,
  readPage,
  readBlock,
  listPages,
  listTags,
  getBacklinks,
  pageHistory,
  ...writingEntries,
  ...organizingEntries,
  ...authorEntries,
  listInbox,
  listChanges,
  changedSince,
];

type PageToolPorts = Omit<PagePorts, 'trails'> & Partial<Pick<PagePorts, 'trails'>>;

/** `trails` is absent for a host whose conversations delegate no work. */
export const pageTools = (pageToolPorts: PageToolPorts): readonly Tool[] =>
  pageEntries.map((entry) => pageTool(entry, pageToolPorts));

export function pageTool(
  entry: Entry<PageContext>,
  { world, search, trails = noRunTrails }: PageToolPorts,
): Tool {
  const ports: PagePorts = { world, search, trails };
  return toTool(entry, (call): PageContext => ({ ports, call, ...(call.signal && { signal: call.signal }) }));
}
