import type {
  CodeUnit,
  DefinitionHit,
  DefinitionSearch,
  SpanSearch,
  TextReader,
  UnitFinder,
} from '../core/index.ts';
import { type FoundFile, type RankedUnit, rankUnits } from './ranking/unit-ranking.ts';

export interface DefinitionSearchPorts {
  readonly search: SpanSearch;
  readonly text: TextReader;
  readonly units: UnitFinder;
}

/** How many of the best files of a search are read for their definitions. */
const maxFiles = 30;
/** Lines. A longer file is data, or generated. */
const maxFileLength = 20_000;

/** Searches files, and ranks the definitions in the best of them by their own words. */
export function definitionSearch({ search, text, units }: DefinitionSearchPorts): DefinitionSearch {
  return {
    async search({ query, k = 10, scope, signal }) {
      const reply = await search.search({
        query,
        k: maxFiles,
        ...(scope !== undefined && { scope }),
        ...(signal && { signal }),
      });
      const files: FoundFile[] = [];
      for (const { path, score, start, end } of reply.hits) {
        if (files.some((file) => file.path === path)) continue;
        const file = await text.readText(path);
        if (file.kind === 'text' && file.lines.length <= maxFileLength)
          files.push({ path, lines: file.lines, score, start, end });
      }
      const { respelled } = reply;
      const searched =
        respelled === undefined
          ? query
          : (await import('./ranking/spelling.ts')).replaceWords(query, respelled);
      const ranked = rankUnits(searched, files, units);
      const hits = dropOverlaps(ranked).slice(0, k);
      const best = findBestScores(hits);
      return {
        hits: hits.map(({ path, start, end, score, unit }) => ({
          ...{ path, start, end, score: best.get(keyOf(path, unit)) ?? score, provenance: 'bm25' as const },
          // Only the first part of a long definition contains its header.
          ...(unit?.start === start && toSymbol(unit)),
        })),
        completeness: reply.completeness,
        notes: reply.notes,
      };
    },
  };
}

const toSymbol = ({ name, kind }: CodeUnit): Pick<DefinitionHit, 'symbol' | 'symbolKind'> => ({
  symbol: name,
  symbolKind: kind,
});

const keyOf = (path: string, unit: CodeUnit | null): string | null =>
  unit === null ? null : `${path} ${unit.start} ${unit.end}`;

/** For each definition, the score of its best part, which all its parts get. Hits are sorted, so the first is the best. */
function findBestScores(hits: readonly RankedUnit[]): ReadonlyMap<string | null, number> {
  const best = new Map<string | null, number>();
  for (const { path, unit, score } of hits) {
    const key = keyOf(path, unit);
    if (key !== null && !best.has(key)) best.set(key, score);
  }
  return best;
}

/** Drops each span that overlaps with one that ranks higher. */
function dropOverlaps<Span extends { path: string; start: number; end: number }>(
  ranked: readonly Span[],
): Span[] {
  const kept: Span[] = [];
  for (const candidate of ranked)
    if (
      !kept.some(
        ({ path, start, end }) => path === candidate.path && start <= candidate.end && candidate.start <= end,
      )
    )
      kept.push(candidate);
  return kept;
}
