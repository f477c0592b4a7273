import { type Completeness, messageOf, SondeError } from '../../core/index.ts';
import { type DocumentIndexOptions, openDocumentIndex, type SearchHit } from '../../search/index.ts';
import type { PageText, World } from '../world.ts';
import { blocksAt, documentPath, pagePath } from './page-document.ts';
import type { PageHit, PageQuery, PageReply, PageSearch } from './page-search.ts';
import { pageSource } from './page-source.ts';
import { snippetOf } from './snippet.ts';

export interface PageSearchOptions extends Pick<DocumentIndexOptions, 'embedder'> {
  readonly world: World;
  /** Where the index is kept; made where it is missing. Belongs to this workspace alone. */
  readonly directory: string;
}

/** So many writes are followed before an answer; more are followed beside it, and the reply says so. */
const soonFollowed = 200;
const wideHits = 400;
const watchEveryMs = 200;

/** Opens the search over the pages of a world. Nothing is read or built before it is asked for. */
export function openPageSearch({ world, directory, embedder }: PageSearchOptions): PageSearch {
  const source = pageSource(world);
  const index = openDocumentIndex({ source, directory, ...(embedder !== undefined && { embedder }) });
  const closing = new AbortController();
  let seen: number | null = index.cursor();
  let following: Promise<number> | null = null;
  let timer: NodeJS.Timeout | undefined;
  /** Why following failed, until it succeeds again. */
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

  /** What an answer of now lacks, for people. */
  async function catchUp(): Promise<string[]> {
    const behind = world.head() - (seen ?? 0);
    if (seen !== null && behind === 0) return trouble === null ? [] : [trouble];
    if (seen === null || behind > soonFollowed) {
      // Whoever asks first of all waits: an answer of nothing helps nobody.
      if (seen === null) return settled(follow());
      follow().catch(() => {});
      return [`The index is ${behind} writes behind and catching up.`];
    }
    return settled(follow());
  }

  async function settled(followed: Promise<number>): Promise<string[]> {
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
      return answer(world, index.search.bind(index), query, late);
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

type IndexSearch = ReturnType<typeof openDocumentIndex>['search'];

async function answer(
  world: World,
  search: IndexSearch,
  { query, wide = false, k = wide ? wideHits : 10, under, tag, view = 'all', signal }: PageQuery,
  late: readonly string[],
): Promise<PageReply> {
  const within = tag === undefined ? null : tagged(world, tag, under);
  const inScope = (path: string): boolean =>
    within === null ? under === undefined || isUnder(pagePath(path), under) : within.has(path);
  const scoped = under !== undefined || tag !== undefined;
  const { hits, completeness, notes } = await search({
    query,
    // Some are left out below: candidates, and pages that went since.
    k: view === 'all' ? k : 2 * k,
    wide,
    ...(scoped && {
      filter: { key: JSON.stringify([under, tag, tag === undefined ? 0 : world.head()]), is: inScope },
    }),
    ...(signal !== undefined && { signal }),
  });
  const words = wordsOf(query);
  const pages = new Map<string, PageText | null>();
  const seen = new Set<string>();
  const shown: PageHit[] = [];
  for (const hit of hits) {
    if (shown.length === k) break;
    let page = pages.get(hit.path);
    if (page === undefined) {
      const found = world.page(pagePath(hit.path));
      page = found === null || found.deleted ? null : world.read(found.id, 'all');
      if (page !== null && documentPath(page.path) !== hit.path) page = null;
      pages.set(hit.path, page);
    }
    const told = page === null ? null : pageHit(page, hit, words);
    if (told === null || (view === 'canonical' && told.lifecycle === 'Candidate')) continue;
    if (!wide && seen.has(told.page)) continue;
    seen.add(told.page);
    shown.push(told);
  }
  const whole: Completeness = late.length > 0 || completeness !== 'complete' ? 'partial' : 'complete';
  return { hits: shown, completeness: whole, notes: [...late, ...notes] };
}

function pageHit(page: PageText, hit: SearchHit, words: ReadonlySet<string>): PageHit {
  const { blocks, part } = blocksAt(page, hit.start, hit.end);
  const told = blocks.length > 0 ? blocks : page.blocks.slice(0, 1);
  const candidate = page.lifecycle === 'Candidate' || (blocks.length > 0 && blocks.every(isCandidate));
  return Object.freeze({
    page: page.id,
    path: page.path,
    title: page.title,
    lifecycle: candidate ? 'Candidate' : page.lifecycle,
    blocks: told.map(({ id }) => id),
    found_in: part,
    snippet: snippetOf(told.map(({ text }) => text).join(''), words),
    score: hit.score,
    provenance: hit.provenance,
  });
}

const isCandidate = ({ lifecycle }: { readonly lifecycle: string }): boolean => lifecycle === 'Candidate';

function isUnder(path: string, top: string): boolean {
  return path === top || path.startsWith(`${top}/`);
}

function tagged(world: World, tag: string, under: string | undefined): ReadonlySet<string> {
  const paths = new Set<string>();
  const limit = 1_000;
  for (let after: string | undefined; ; ) {
    const pages = world.pages({
      tag,
      view: 'all',
      limit,
      ...(under !== undefined && { under }),
      ...(after !== undefined && { after }),
    });
    for (const { path } of pages) paths.add(documentPath(path));
    if (pages.length < limit) return paths;
    after = pages.at(-1)!.path;
  }
}

function wordsOf(query: string): ReadonlySet<string> {
  return new Set(query.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []);
}

function abortable<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = () =>
      reject(new SondeError('cancelled', { message: 'Waiting for the index of the pages was cancelled.' }));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
