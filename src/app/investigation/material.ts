/** The material of an investigation: files of a folder, or pages of a workspace with its memory. */
import { type Masker, type SpanHit, type SpanReply, scopeMatcher } from '../../core/index.ts';
import type { Memory, Tier } from '../../memory/index.ts';
import type { InvestigationMaterial } from '../../tasks/index.ts';
import {
  findBlockSpan,
  type PageSearch,
  type PageText,
  splitPageLines,
  type World,
} from '../../world/index.ts';
import type { OpenMaterial } from '../compose.ts';

export function treeMaterial({ ports, paths: listPaths, textsLeftOut }: OpenMaterial): InvestigationMaterial {
  const { search, text, names, coverage, symbols } = ports;
  return {
    kind: 'tree',
    search,
    text,
    async paths({ scope }) {
      const { completeness = 'unknown', notes = [] } = coverage ?? {};
      const [firstLeftOut] = textsLeftOut;
      // Only skipped texts make the list incomplete, not pictures and binaries. Their notes come first, as the reason.
      const isComplete =
        completeness === 'complete' || (coverage !== undefined && firstLeftOut === undefined);
      return {
        paths: await listPaths(scope),
        completeness: isComplete ? 'complete' : completeness,
        notes: [...new Set([...textsLeftOut, ...notes])],
      };
    },
    ...(coverage && { coverage }),
    ...(names && { names }),
    ...(symbols && { symbols }),
  };
}

/** The pages of a workspace as texts under their paths. Includes unconfirmed content (candidates), as for all agents. */
export function pagesMaterial(
  world: World,
  pages: Pick<PageSearch, 'search'>,
  memory: Memory,
  mask: Masker,
): InvestigationMaterial {
  const readPage = (path: string): PageText | null => {
    const page = world.page(path);
    return page === null || page.path !== path ? null : world.read(page.id, 'all');
  };
  const view = memory.viewFrom({ thread: null, channel: null });
  const findTier = (name: string): Tier | undefined => view.tiers.find((tier) => tier === name);
  return {
    kind: 'workspace',
    search: {
      async search({ query, k, wide, scope, signal }): Promise<SpanReply> {
        const reply = await pages.search({
          query,
          // The scope is applied afterwards, so more hits are requested than needed.
          ...(k !== undefined && { k: scope === undefined ? k : Math.min(k * 4, 2_000) }),
          ...(wide !== undefined && { wide }),
          ...(signal !== undefined && { signal }),
        });
        const hits = reply.hits.flatMap(({ path, blocks, score, provenance }) => {
          const text = readPage(path);
          return text === null
            ? []
            : [{ path, score, provenance, ...findBlockSpan(text, blocks) } satisfies SpanHit];
        });
        return { hits, completeness: reply.completeness, notes: reply.notes };
      },
    },
    text: {
      async readText(path) {
        const text = readPage(path);
        return text === null
          ? { kind: 'unreadable', reason: 'missing', message: `There is no page ${path}` }
          : mask.file({ ...splitPageLines(text), content: { id: text.id, revision: text.revision } });
      },
    },
    async paths({ scope }) {
      const isInScope = scopeMatcher(scope);
      const paths = world.pages({ view: 'all' }).map(({ path }) => path);
      return { paths: paths.filter(isInScope), completeness: 'complete', notes: [] };
    },
    contentId: (path) => readPage(path)?.id ?? null,
    memory: {
      tiers: view.tiers,
      get: (tier, key) => mask.value(view.get(findTier(tier)!, key)),
      list: (tier, limit) => mask.value(view.list(findTier(tier)!, limit)),
    },
    coverage: {
      files: world.pages({ view: 'all' }).length,
      skipped: 0,
      completeness: 'complete',
      notes: [],
    },
  };
}
