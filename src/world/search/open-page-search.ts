import { messageOf, SondeError } from '../../core/index.ts';
import { type DocumentIndexOptions, openDocumentIndex, rankingWeights } from '../../search/pages.ts';
import type { WorldReader } from '../world.ts';
import { answerQuery } from './answer-query.ts';
import type { PageSearch } from './page-search.ts';
import { pageSource } from './page-source.ts';

export interface PageSearchOptions extends Pick<DocumentIndexOptions, 'embedder' | 'mask'> {
  readonly world: WorldReader;
  /** The folder of the index, created if it is missing. It belongs to this workspace alone. */
  readonly directory: string;
}

/**
 * Maximum number of writes that are indexed before a search answers. If there are more, they are indexed in the
 * background, and the reply says so.
 */
const soonFollowed = 200;
const watchEveryMs = 200;

/**
 * Weights without vectors trained on the pages. They would be trained again after each write, which takes seconds, and
 * the links of the best pages find more (bench/pages.ts).
 */
const weights = Object.freeze({ ...rankingWeights, latent: 0 });

/** Opens the search over the pages of a world. Nothing is read or built before the first search. */
export function openPageSearch({ world, directory, embedder, mask }: PageSearchOptions): PageSearch {
  const source = pageSource(world);
  const index = openDocumentIndex({
    source,
    directory,
    weights,
    ...(embedder !== undefined && { embedder }),
    ...(mask !== undefined && { mask }),
  });
  const closing = new AbortController();
  let seen: number | null = index.cursor();
  let following: Promise<number> | null = null;
  let timer: NodeJS.Timeout | undefined;
  /** Why indexing failed, until it succeeds again. */
  let trouble: string | null = null;

  function follow(signal?: AbortSignal): Promise<number> {
    following ??= index
      .follow(closing.signal)
      .then(
        ({ cursor, notes }) => {
          seen = cursor;
          trouble = notes.length === 0 ? null : notes.join(' ');
          return cursor;
        },
        (thrown: unknown) => {
          trouble = `The index could not follow the writes: ${messageOf(thrown)}`;
          throw thrown;
        },
      )
      .finally(() => {
        following = null;
      });
    return signal === undefined ? following : abortable(following, signal);
  }

  /** Notes on what the present answer lacks. */
  async function catchUp(): Promise<string[]> {
    const behind = world.head() - (seen ?? 0);
    if (seen !== null && behind === 0) return trouble === null ? [] : [trouble];
    if (seen === null || behind > soonFollowed) {
      // The very first query waits: an empty answer helps nobody.
      if (seen === null) return settle(follow());
      follow().catch(() => {});
      return [`The index is ${behind} writes behind and catching up.`];
    }
    return settle(follow());
  }

  async function settle(followed: Promise<number>): Promise<string[]> {
    try {
      await followed;
    } catch (thrown) {
      if (closing.signal.aborted) throw thrown;
    }
    return trouble === null ? [] : [trouble];
  }

  return {
    follow,
    async search(query) {
      const late = await catchUp();
      return answerQuery(world, index, query, late);
    },
    watch(everyMs = watchEveryMs) {
      clearInterval(timer);
      timer = setInterval(() => {
        if (following === null && world.head() !== seen) follow().catch(() => {});
      }, everyMs);
      timer.unref();
    },
    async close() {
      clearInterval(timer);
      closing.abort();
      await following?.catch(() => {});
      index.close();
    },
  };
}

function abortable<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = () =>
      reject(
        new SondeError('cancelled', {
          message: 'Waiting for the index of the pages was cancelled.',
          remedy: 'Search again: what was indexed by then is kept.',
        }),
      );
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
