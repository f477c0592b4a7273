/** The search over the pages of a workspace. Its index is in the cache and can be deleted at any time. */
import { mkdirSync } from 'node:fs';
import type { PageQuery, PageReply, WorldReader } from '../../world/index.ts';
import { loadConfiguration, processEnvironment } from '../config/index.ts';
import { openMasker } from '../masking.ts';
import { pageIndexFolder, useIndexFolder } from '../search/index-folders.ts';

export async function searchPages(world: WorldReader, query: PageQuery): Promise<PageReply> {
  const configuration = loadConfiguration({ environment: processEnvironment() });
  const { directories, values } = configuration;
  const { openPageSearch } = await import('../../world/reading.ts');
  const embedder =
    values.embeddings === 'off'
      ? undefined
      : await (await import('../search/embeddings.ts')).openEmbedder(values);
  const directory = useIndexFolder(pageIndexFolder(directories, world.workspace.id));
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const pages = openPageSearch({
    world,
    directory,
    mask: openMasker(configuration).recipe,
    ...(embedder !== undefined && { embedder }),
  });
  try {
    // A command waits until all pages are indexed, since it will not search a second time.
    await pages.follow();
    return await pages.search(query);
  } finally {
    await pages.close();
  }
}
