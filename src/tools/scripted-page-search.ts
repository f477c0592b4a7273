import type { PageHit, PageQuery, PageReply, PageSearch } from '../world/index.ts';

/** A hit of a script, which may leave out all fields but the page and the path. */
export type ScriptedHit = Pick<PageHit, 'page' | 'path'> & Partial<PageHit>;
/** A reply for every question, or a function that is asked each time. Thrown errors are thrown to the tool. */
export type PageSearchScript = readonly ScriptedHit[] | ((query: PageQuery) => readonly ScriptedHit[]);

export interface ScriptedPageSearch extends Pick<PageSearch, 'search'> {
  /** The queries, in order. */
  readonly queries: readonly PageQuery[];
}

const fillHit = (hit: ScriptedHit, n: number): PageHit => ({
  title: hit.path.split('/').at(-1) ?? hit.path,
  lifecycle: 'Canonical',
  blocks: [],
  found_in: 'text',
  snippet: `about ${hit.path}`,
  score: 1 / (n + 1),
  provenance: 'bm25',
  ...hit,
});

/** A page search that knows only its script. Of a query, it applies only `k` and `under`. */
export function scriptedPageSearch(script: PageSearchScript = []): ScriptedPageSearch {
  const asked: PageQuery[] = [];
  return {
    queries: asked,
    async search(query): Promise<PageReply> {
      asked.push(query);
      const { under, k = 10 } = query;
      const found = (typeof script === 'function' ? script(query) : script).filter(
        ({ path }) => under === undefined || path === under || path.startsWith(`${under}/`),
      );
      return { hits: found.map(fillHit).slice(0, k), completeness: 'complete', notes: [] };
    },
  };
}
