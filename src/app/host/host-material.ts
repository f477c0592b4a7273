/** Parts of the host that are opened on first use: the index of a folder, the index of the pages, the sandbox. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox } from '../../sandbox/index.ts';
import type { SearchIndex } from '../../search/index.ts';
import type { CodeMaterial } from '../../tools/code/index.ts';
import type { PageSearch, World } from '../../world/index.ts';
import type { Configuration } from '../config/index.ts';
import { openMasker } from '../masking.ts';
import { pageIndexFolder, useIndexFolder } from '../search/index-folders.ts';

/** A value that is made at the first call, and closed if it was made. After a failure the next call tries again. */
export function openOnce<Value extends { close(): unknown }>(open: () => Promise<Value>) {
  let value: Promise<Value> | undefined;
  return {
    get(): Promise<Value> {
      value ??= open().catch((thrown: unknown) => {
        value = undefined;
        throw thrown;
      });
      return value;
    },
    async close(): Promise<void> {
      await (await value?.catch(() => undefined))?.close();
    },
  };
}

/**
 * After a refresh, searches use the index without another one for `restFactor` times as long as the refresh took, at
 * most `freshMs` milliseconds. A refresh is quick if the operating system reports what has changed.
 */
const freshMs = 2_000;
const restFactor = 5;

/** Everything that the code tools may read below a folder. */
export async function openCode(
  configuration: Configuration,
  root: string,
): Promise<CodeMaterial & { close(): void }> {
  const { openPorts } = await import('../compose.ts');
  const { index, servers, ...ports } = await openPorts(configuration, root, { watch: true });
  const refresh = createRefresher(index);
  return {
    search: {
      async search(request) {
        const notes = await refresh();
        const reply = await index.search(request);
        return { ...reply, notes: [...notes, ...reply.notes] };
      },
    },
    ...ports,
    close: () => {
      void servers?.close();
      index.close();
    },
  };
}

/** Brings the index up to date unless that was done a moment ago. Simultaneous calls share one update. */
function createRefresher(index: SearchIndex): () => Promise<readonly string[]> {
  let next = Number.NEGATIVE_INFINITY;
  let refreshing: Promise<readonly string[]> | undefined;
  return async () => {
    if (refreshing === undefined && performance.now() < next) return [];
    refreshing ??= index
      .refresh()
      .then(({ notes, wall_ms }) => {
        next = performance.now() + Math.min(freshMs, wall_ms * restFactor);
        return notes;
      })
      .finally(() => {
        refreshing = undefined;
      });
    return refreshing;
  };
}

/** The search over the pages. From its first use on it follows every write by itself. */
export async function openPages(configuration: Configuration, world: World): Promise<PageSearch> {
  const { directories, values } = configuration;
  const { loadPageSearch } = await import('../../world/index.ts');
  const embedder =
    values.embeddings === 'off'
      ? undefined
      : await (await import('../search/embeddings.ts')).openEmbedder(values);
  const directory = useIndexFolder(pageIndexFolder(directories, world.workspace.id));
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const search = await loadPageSearch({
    world,
    directory,
    mask: openMasker(configuration).recipe,
    ...(embedder !== undefined && { embedder }),
  });
  search.watch();
  return search;
}

export async function openSandbox({ directories }: Configuration): Promise<Sandbox> {
  const { createSandbox } = await import('../../sandbox/index.ts');
  return createSandbox({ cacheDirectory: join(directories.cache, 'sandbox'), isolation: 'process' });
}
