import { messageOf, SondeError } from '../../core/index.ts';
import { type DocumentIndexOptions, openDocumentIndex, rankingWeights } from '../../search/pages.ts';
import type { WorldReader } from '../world.ts';
import { answerQuery } from './answer-query.ts';
import type { PageSearch } from './page-search.ts';
import { createPageSource } from './page-source.ts';

export interface PageSearchOptions extends Pick<DocumentIndexOptions, 'embedder' | 'mask'> {
  readonly world: WorldReader;
  /** The folder of the index, for this workspace alone. It is created if it is missing. */
  readonly directory: string;
}

/**
 * Maximum number of writes that a search waits for. If the index is further behind, it catches up in the background,
 * and the reply says so.
 */
const maxBlockingWrites = 200;
const watchEveryMs = 200;

/**
 * Weights without latent vectors: training these takes seconds after each write, and following links finds more
 * (bench/pages.ts).
 */
const weights = Object.freeze({ ...rankingWeights, latent: 0 });

/** Opens the search over the pages of a world. The index is read or built by the first search. */
export function openPageSearch({ world, directory, embedder, mask }: PageSearchOptions): PageSearch {
  const source = createPageSource(world);
  const index = openDocumentIndex({
    source,
    directory,
    weights,
    ...(embedder !== undefined && { embedder }),
    ...(mask !== undefined && { mask }),
  });
  const closing = new AbortController();
  let indexedUpTo: number | null = index.cursor();
  let following: Promise<number> | null = null;
  let timer: NodeJS.Timeout | undefined;
  /** Why the last indexing failed; null if it succeeded. */
  let failure: string | null = null;

  function follow(signal?: AbortSignal): Promise<number> {
    following ??= index
      .follow(closing.signal)
      .then(
        ({ cursor, notes }) => {
          indexedUpTo = cursor;
          failure = notes.length === 0 ? null : notes.join(' ');
          return cursor;
        },
        (thrown: unknown) => {
          failure = `The index could not follow the writes: ${messageOf(thrown)}`;
          throw thrown;
        },
      )
      .finally(() => {
        following = null;
      });
    return signal === undefined ? following : withAbort(following, signal);
  }

  /** Updates the index, unless it is far behind. Returns notes on what the answer lacks. */
  async function catchUp(): Promise<string[]> {
    const behind = world.head() - (indexedUpTo ?? 0);
    if (indexedUpTo !== null && behind === 0) return failure === null ? [] : [failure];
    if (indexedUpTo === null || behind > maxBlockingWrites) {
      // Without an index, the query waits for it.
      if (indexedUpTo === null) return waitForNotes(follow());
      follow().catch(() => {});
      return [`The index is ${behind} writes behind and catching up.`];
    }
    return waitForNotes(follow());
  }

  async function waitForNotes(followed: Promise<number>): Promise<string[]> {
    try {
      await followed;
    } catch (thrown) {
      if (closing.signal.aborted) throw thrown;
    }
    return failure === null ? [] : [failure];
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
        if (following === null && world.head() !== indexedUpTo) follow().catch(() => {});
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

function withAbort<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
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
