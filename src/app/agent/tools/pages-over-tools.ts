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

/** Maximum pages that are read at the same time. */
const maxParallelReads = 8;
/** Maximum hits of one search. */
const maxHits = 400;
const defaultHits = 10;
/** Maximum length of a query in `search_pages`. Characters. */
const maxQueryLength = 2_000;
/** Rows requested from `list_pages` at a time. */
const rowsPerListing = 200;
/** In a larger workspace pages are not counted before the work begins. */
const maxCounted = 2_000;
/** How long pages that a search has read are reused when its hits are opened. Milliseconds. */
const reuseMs = 2_000;

export async function pagesOverTools(
  tools: Pick<ToolClient, 'call'>,
  signal?: AbortSignal,
): Promise<InvestigationMaterial> {
  const ids = new Map<string, string>();
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
    ids.set(path, page.id);
    return page;
  }

  /** Reads pages of the list until there are no more or `max` paths were read. */
  async function listPaths(
    max: number,
  ): Promise<{ readonly paths: readonly string[]; readonly all: boolean }> {
    const paths: string[] = [];
    for (let after: string | null = ''; after !== null; ) {
      if (paths.length >= max) return { paths, all: false };
      const args: object = { limit: rowsPerListing, ...(after !== '' && { after }) };
      const result = await callTool('list_pages', { ...args });
      const data = await readData<{ readonly pages: readonly Page[]; readonly next: string | null }>(
        tools,
        result,
        signal,
      );
      paths.push(...data.pages.map(({ path }) => path));
      after = data.next;
    }
    return { paths, all: true };
  }

  async function toSpanHits(hits: readonly PageHit[]): Promise<readonly SpanHit[]> {
    const pageTexts = new Map<string, PageText | null>();
    const next = new Set(hits.map(({ path }) => path)).values();
    await Promise.all(
      Array.from({ length: maxParallelReads }, async () => {
        for (const path of next) pageTexts.set(path, await readPage(path));
      }),
    );
    recentlyRead.clear();
    const until = performance.now() + reuseMs;
    for (const [path, text] of pageTexts)
      if (text !== null) recentlyRead.set(path, { text: toFileText(text), until });
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
  const counted = await listPaths(maxCounted);
  return {
    kind: 'workspace',
    search: {
      async search({ query, k, wide = false, scope, signal: stopSignal = signal }) {
        const count = Math.min(k ?? (wide ? maxHits : defaultHits), maxHits);
        // The scope is applied afterwards, so more hits are requested than needed. A query may be a whole issue with
        // its log: its beginning says what it is about.
        const args = {
          query: query.slice(0, maxQueryLength),
          wide,
          k: scope === undefined ? count : maxHits,
        };
        const result = await callTool('search_pages', args, stopSignal);
        // The completeness that the search gives, since a shortened result reports its own.
        const { hits, completeness, notes } = await readData<PageReply>(tools, result, stopSignal);
        const inScope = scopeMatcher(scope);
        const within = hits.filter(({ path }) => inScope(path)).slice(0, count);
        return { hits: await toSpanHits(within), completeness, notes };
      },
    },
    text: {
      async readText(path) {
        const recent = recentlyRead.get(path);
        recentlyRead.delete(path);
        if (recent !== undefined && recent.until > performance.now()) return recent.text;
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
    contentId: async (path) => ids.get(path) ?? (await readPage(path))?.id ?? null,
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
    ...(counted.all && {
      coverage: { files: counted.paths.length, skipped: 0, completeness: 'complete', notes: [] },
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
