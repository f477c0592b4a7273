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
const maxBlockingWrites = 200;
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
  let indexedUpTo: number | null = index.cursor();
  let following: Promise<number> | null = null;
  let timer: NodeJS.Timeout | undefined;
  /** Why indexing failed, until it succeeds again. */
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
    return signal === undefined ? following : abortable(following, signal);
  }

  /** Brings the index up to date if that is quick. Returns notes on what the answer lacks. */
  async function catchUp(): Promise<string[]> {
    const behind = world.head() - (indexedUpTo ?? 0);
    if (indexedUpTo !== null && behind === 0) return failure === null ? [] : [failure];
    if (indexedUpTo === null || behind > maxBlockingWrites) {
      // The first query waits for the index, since its answer would be empty.
      if (indexedUpTo === null) return notesAfter(follow());
      follow().catch(() => {});
      return [`The index is ${behind} writes behind and catching up.`];
    }
    return notesAfter(follow());
  }

  async function notesAfter(followed: Promise<number>): Promise<string[]> {
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
