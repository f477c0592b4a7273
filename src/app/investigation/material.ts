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

export function treeMaterial({ ports, paths: listed, textsLeftOut }: OpenMaterial): InvestigationMaterial {
  const { search, text, names, coverage, symbols } = ports;
  return {
    kind: 'tree',
    search,
    text,
    async paths({ scope }) {
      const { completeness = 'unknown', notes = [] } = coverage ?? {};
      const [firstLeftOut] = textsLeftOut;
      // Skipped pictures and programs do not matter, only skipped texts. They come first: the first note is the reason.
      const isWhole = completeness === 'complete' || (coverage !== undefined && firstLeftOut === undefined);
      return {
        paths: await listed(scope),
        completeness: isWhole ? 'complete' : completeness,
        notes: [...new Set([...textsLeftOut, ...notes])],
      };
    },
    ...(coverage && { coverage }),
    ...(names && { names }),
    ...(symbols && { symbols }),
  };
}

/** Pages as texts under their paths. Candidates are included, as always when an agent reads. */
export function pagesMaterial(
  world: World,
  pages: Pick<PageSearch, 'search'>,
  memory: Memory,
  mask: Masker,
): InvestigationMaterial {
  const page = (path: string): PageText | null => {
    const found = world.page(path);
    return found === null || found.path !== path ? null : world.read(found.id, 'all');
  };
  const view = memory.viewFrom({ thread: null, channel: null });
  const tierOf = (name: string): Tier | undefined => view.tiers.find((tier) => tier === name);
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
          const text = page(path);
          return text === null
            ? []
            : [{ path, score, provenance, ...findBlockSpan(text, blocks) } satisfies SpanHit];
        });
        return { hits, completeness: reply.completeness, notes: reply.notes };
      },
    },
    text: {
      async readText(path) {
        const text = page(path);
        return text === null
          ? { kind: 'unreadable', reason: 'missing', message: `There is no page ${path}` }
          : mask.file({ ...splitPageLines(text), content: { id: text.id, revision: text.revision } });
      },
    },
    async paths({ scope }) {
      const inScope = scopeMatcher(scope);
      const paths = world.pages({ view: 'all' }).map(({ path }) => path);
      return { paths: paths.filter(inScope), completeness: 'complete', notes: [] };
    },
    contentId: (path) => page(path)?.id ?? null,
    memory: {
      tiers: view.tiers,
      get: (tier, key) => mask.value(view.get(tierOf(tier)!, key)),
      list: (tier, limit) => mask.value(view.list(tierOf(tier)!, limit)),
    },
    coverage: {
      files: world.pages({ view: 'all' }).length,
      skipped: 0,
      completeness: 'complete',
      notes: [],
    },
  };
}
