/**
 * The pages of a workspace for research and investigations. They are read only with the tools of the conversation: the
 * work reads no more than the conversation may, in the same process or in another.
 */
import { type FileText, type SpanHit, scopeMatcher, type ToolResult } from '../../../core/index.ts';
import type { Tier } from '../../../memory/index.ts';
import { callUntilAnswered, readData, type ToolSuccess, toError } from '../../../session/index.ts';
import type { InvestigationMaterial } from '../../../tasks/index.ts';
import type { ToolClient } from '../../../tools/index.ts';
import {
  findBlockSpan,
  type Page,
  type PageHit,
  type PageReply,
  type PageText,
  splitPageLines,
} from '../../../world/index.ts';
import { readScopes } from './scopes.ts';

/** Maximum number of pages to read at the same time. */
const maxParallelReads = 8;
/** Maximum hits of one search. */
const maxHits = 400;
const defaultHits = 10;
/** Maximum length of a query in `search_pages`. Characters. */
const maxQueryLength = 2_000;
/** Rows requested from `list_pages` at a time. */
const rowsPerListing = 200;
/** Maximum number of pages to count before the work begins. If there are more, the number stays unknown. */
const maxCounted = 2_000;
/** How long pages that a search has read are reused when its hits are opened. Milliseconds. */
const reuseMs = 2_000;

export async function pagesOverTools(
  tools: Pick<ToolClient, 'call'>,
  signal?: AbortSignal,
): Promise<InvestigationMaterial> {
  const pageIds = new Map<string, string>();
  const recentlyRead = new Map<string, { readonly text: FileText; readonly until: number }>();

  const call = (
    name: string,
    args: Readonly<Record<string, unknown>>,
    stopSignal = signal,
  ): Promise<ToolResult> =>
    callUntilAnswered(tools, { name, args, ...(stopSignal && { signal: stopSignal }) });
  async function callTool(
    name: string,
    args: Readonly<Record<string, unknown>>,
    stopSignal = signal,
  ): Promise<ToolSuccess> {
    const result = await call(name, args, stopSignal);
    if (result.ok) return result;
    throw toError(result.error);
  }

  async function readPage(path: string): Promise<PageText | null> {
    const result = await call('read_page', { page: path });
    if (!result.ok) {
      if (result.error.code === 'validation') return null;
      throw toError(result.error);
    }
    const { page } = await readData<{ readonly page: PageText }>(tools, result, signal);
    // A page can also be named by an alias, but here its name is its path.
    if (page.path !== path) return null;
    pageIds.set(path, page.id);
    return page;
  }

  /** Reads pages of the list until there are no more or `max` paths were read. */
  async function listPaths(
    max: number,
  ): Promise<{ readonly paths: readonly string[]; readonly all: boolean }> {
    const paths: string[] = [];
    for (let lastPath: string | null = ''; lastPath !== null; ) {
      if (paths.length >= max) return { paths, all: false };
      const args: object = { limit: rowsPerListing, ...(lastPath !== '' && { after: lastPath }) };
      const result = await callTool('list_pages', { ...args });
      const data = await readData<{ readonly pages: readonly Page[]; readonly next: string | null }>(
        tools,
        result,
        signal,
      );
      paths.push(...data.pages.map(({ path }) => path));
      lastPath = data.next;
    }
    return { paths, all: true };
  }

  async function toSpanHits(hits: readonly PageHit[]): Promise<readonly SpanHit[]> {
    const pageTexts = new Map<string, PageText | null>();
    const pathIterator = new Set(hits.map(({ path }) => path)).values();
    await Promise.all(
      Array.from({ length: maxParallelReads }, async () => {
        for (const path of pathIterator) pageTexts.set(path, await readPage(path));
      }),
    );
    recentlyRead.clear();
    const reuseUntil = performance.now() + reuseMs;
    for (const [path, text] of pageTexts)
      if (text !== null) recentlyRead.set(path, { text: toFileText(text), until: reuseUntil });
    return hits.flatMap(({ path, blocks, score, provenance }) => {
      const text = pageTexts.get(path) ?? null;
      return text === null ? [] : [{ path, score, provenance, ...findBlockSpan(text, blocks) }];
    });
  }

  const { caller } = await readScopes(tools, signal);
  const tiers: readonly Tier[] = [
    ...(caller.thread === null ? [] : (['conversation'] as const)),
    ...(caller.channel === null ? [] : (['channel'] as const)),
    'workspace',
    'account',
  ];
  const countedPaths = await listPaths(maxCounted);
  return {
    kind: 'workspace',
    search: {
      async search({ query, k, wide = false, scope, signal: stopSignal = signal }) {
        const count = Math.min(k ?? (wide ? maxHits : defaultHits), maxHits);
        // Requests more hits than needed, since the scope is applied afterwards. Cuts long queries, such as a whole
        // issue with its log, because the beginning usually names the topic.
        const args = {
          query: query.slice(0, maxQueryLength),
          wide,
          k: scope === undefined ? count : maxHits,
        };
        const result = await callTool('search_pages', args, stopSignal);
        // Reads the completeness from the search's data: that of the tool result also counts shortening.
        const { hits, completeness, notes } = await readData<PageReply>(tools, result, stopSignal);
        const inScope = scopeMatcher(scope);
        const hitsInScope = hits.filter(({ path }) => inScope(path)).slice(0, count);
        return { hits: await toSpanHits(hitsInScope), completeness, notes };
      },
    },
    text: {
      async readText(path) {
        const recentRead = recentlyRead.get(path);
        recentlyRead.delete(path);
        if (recentRead !== undefined && recentRead.until > performance.now()) return recentRead.text;
        const page = await readPage(path);
        return page === null
          ? { kind: 'unreadable', reason: 'missing', message: `There is no page ${path}` }
          : toFileText(page);
      },
    },
    async paths({ scope }) {
      const inScope = scopeMatcher(scope);
      const { paths } = await listPaths(Infinity);
      return { paths: paths.filter(inScope), completeness: 'complete', notes: [] };
    },
    contentId: async (path) => pageIds.get(path) ?? (await readPage(path))?.id ?? null,
    memory: {
      tiers,
      async get(tier, key) {
        const result = await callTool('get_memory', { tier, key });
        return (await readData<{ readonly item: KeyedText | null }>(tools, result, signal)).item;
      },
      async list(tier, limit) {
        const result = await callTool('get_memory', { tier, limit });
        return (await readData<{ readonly items: readonly KeyedText[] }>(tools, result, signal)).items;
      },
    },
    ...(countedPaths.all && {
      coverage: { files: countedPaths.paths.length, skipped: 0, completeness: 'complete', notes: [] },
    }),
  };
}

function toFileText(page: PageText): FileText {
  return { ...splitPageLines(page), content: { id: page.id, revision: page.revision } };
}

interface KeyedText {
  readonly key: string;
  readonly text: string;
}
