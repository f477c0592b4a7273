/** What an investigation looks at, as its ports: files of a folder, or pages of a workspace with its memory. */
import { type Masker, type SpanHit, type SpanReply, scopeMatcher, type TextGrep } from '../core/index.ts';
import type { Memory, Tier } from '../memory/index.ts';
import type { InvestigationMaterial } from '../tasks/index.ts';
import {
  type PageSearch,
  type PageText,
  pageLines,
  spanOfBlocks,
  type World,
  wholeText,
} from '../world/index.ts';
import type { OpenMaterial } from './compose.ts';

/** Lines that a listing of a small folder may have. */
const mostLines = 20_000;

export function treeMaterial({ ports, paths: listed }: OpenMaterial): InvestigationMaterial {
  const { search, text, grep, names, coverage } = ports;
  return {
    kind: 'tree',
    search,
    text,
    async paths({ scope }) {
      const { completeness = 'unknown', notes = [] } = coverage ?? {};
      return { paths: await listed(scope), completeness, notes };
    },
    ...(coverage && { coverage }),
    ...(names && { names }),
    ...(grep && coverage && { list: (most: number) => smallFiles(grep, coverage.files, most) }),
  };
}

/** By their lines; null where they are too many, or where the index knows of others. */
async function smallFiles(grep: TextGrep, files: number, most: number) {
  if (files > 200) return null;
  const { matches, completeness } = await grep.grep({ pattern: '^', limit: mostLines });
  const sizes = new Map<string, number>();
  for (const { path, text } of matches) sizes.set(path, (sizes.get(path) ?? 0) + Buffer.byteLength(text) + 1);
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  if (completeness === 'partial' || sizes.size !== files || bytes > most) return null;
  return [...sizes].map(([path, size]) => ({ path, bytes: size }));
}

/** Pages as texts, under their paths: candidates too, as everywhere where an agent reads. */
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
  const view = memory.from({ thread: null, channel: null });
  const tierOf = (name: string): Tier | undefined => view.tiers.find((tier) => tier === name);
  return {
    kind: 'workspace',
    search: {
      async search({ query, k, wide, scope, signal }): Promise<SpanReply> {
        const reply = await pages.search({
          query,
          // The scope is applied afterwards: hits outside it must not take the places of those within.
          ...(k !== undefined && { k: scope === undefined ? k : Math.min(k * 4, 2_000) }),
          ...(wide !== undefined && { wide }),
          ...(signal !== undefined && { signal }),
        });
        const hits = reply.hits.flatMap(({ path, blocks, score, provenance }) => {
          const text = page(path);
          return text === null
            ? []
            : [{ path, score, provenance, ...spanOfBlocks(text, blocks) } satisfies SpanHit];
        });
        return { hits, completeness: reply.completeness, notes: reply.notes };
      },
    },
    text: {
      async readText(path) {
        const text = page(path);
        return text === null
          ? { kind: 'unreadable', reason: 'missing', message: `There is no page ${path}` }
          : mask.file({ ...pageLines(text), content: { id: text.id, revision: text.revision } });
      },
    },
    async list(most) {
      let bytes = 0;
      const rows: { path: string; bytes: number }[] = [];
      for (const { id, path } of world.pages({ view: 'all', limit: 201 })) {
        const text = world.read(id, 'all');
        const size = text === null ? 0 : Buffer.byteLength(wholeText(text));
        bytes += size;
        rows.push({ path, bytes: size });
        if (bytes > most || rows.length > 200) return null;
      }
      return rows;
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
