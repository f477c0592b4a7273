import { SondeError, scopeMatcher } from '../core/index.ts';
import type { IndexReport, RefreshOptions, SearchHit, SearchIndex, SearchRequest } from './search.ts';

/** The replies of a scripted search: the same hits for each request, one list per request, or a function. */
export type SearchScript = {
  /** The paths of the tree; by default those of `hits`. */
  readonly paths?: readonly string[];
} & (
  | { readonly hits: readonly SearchHit[] }
  | { readonly inTurn: readonly (readonly SearchHit[])[] }
  | { readonly of: (request: SearchRequest) => readonly SearchHit[] }
);

export interface ScriptedSearch extends SearchIndex {
  /** In the order they came. */
  readonly requests: readonly SearchRequest[];
  readonly refreshes: readonly RefreshOptions[];
  readonly closed: boolean;
}

/** A search without an index. It respects scope and `k`; after the last list of `inTurn` it finds nothing. */
export function scriptedSearch(script: SearchScript, root = '/scripted'): ScriptedSearch {
  const requests: SearchRequest[] = [];
  const refreshes: RefreshOptions[] = [];
  let closed = false;
  const next = (request: SearchRequest): readonly SearchHit[] => {
    if ('hits' in script) return script.hits;
    return 'of' in script ? script.of(request) : (script.inTurn[requests.length - 1] ?? []);
  };
  return {
    root,
    requests,
    refreshes,
    get closed() {
      return closed;
    },
    async refresh(options = {}) {
      if (options.signal?.aborted) throw createCancelledError();
      refreshes.push(options);
      return emptyReport(root);
    },
    async search(request) {
      const inScope = scopeMatcher(request.scope);
      if (request.signal?.aborted) throw createCancelledError();
      requests.push(request);
      const hits = next(request).filter(({ path }) => inScope(path));
      const k = request.k ?? (request.wide === true ? 1_000 : 10);
      return { hits: hits.slice(0, k), completeness: 'complete', notes: [] };
    },
    async paths(scope) {
      const inScope = scopeMatcher(scope);
      const { paths = 'hits' in script ? script.hits.map(({ path }) => path) : [] } = script;
      return [...new Set(paths)].filter(inScope).sort();
    },
    async unusual() {
      return { tracked: [], encoded: [] };
    },
    close() {
      closed = true;
    },
  };
}

function createCancelledError(): SondeError {
  return new SondeError('cancelled', { message: 'The search was cancelled.', remedy: 'Search again.' });
}

function emptyReport(root: string): IndexReport {
  return {
    root,
    files: 0,
    chunks: 0,
    bytes: 0,
    skipped: { ignored: 0, binary: 0, minified: 0, huge: 0, unreadable: 0, linked: 0 },
    added: 0,
    changed: 0,
    removed: 0,
    wall_ms: 0,
    waited_ms: 0,
    notes: [],
    current: true,
    left_out: [],
    texts_left_out: [],
  };
}
