import type { SpanHit, SpanSearch, TextReader, UnitFinder } from '../core/index.ts';
import { type FoundFile, type RankedUnit, rankUnits } from './ranking/unit-ranking.ts';

export interface UnitSpansPorts {
  readonly text: TextReader;
  readonly units: UnitFinder;
}

/** Files whose definitions are looked at; the spans of the others stay as they were found. */
const mostFiles = 20;
/** Lines of a span: as many as a chunk of the index has. */
const spanLines = 40;
/** Lines. A longer file is data, or generated. */
const longestFile = 20_000;
/** Fewer words say where they stand, and no more. */
const leastWords = 3;

/**
 * The same search, with the span of each file where its best definition is: the index knows chunks of so many lines, which
 * cut definitions in two. Of commits whose file is among the first 50, spans of two repositories met a changed line in
 * 57 % where chunks did in 51 %, at the same length.
 */
export function unitSpans<Search extends SpanSearch>(
  search: Search,
  { text, units }: UnitSpansPorts,
): SpanSearch {
  return {
    async search(request) {
      const reply = await search.search(request);
      if (request.wide === true || request.query.trim().split(/\s+/).length < leastWords) return reply;
      const first = firstOfFiles(reply.hits).slice(0, mostFiles);
      const files: FoundFile[] = [];
      for (const { path, score } of first) {
        if (request.signal?.aborted) break;
        const file = await text.readText(path);
        if (file.kind === 'text' && file.lines.length <= longestFile)
          files.push({ path, lines: file.lines, score });
      }
      const best = new Map<string, RankedUnit>();
      for (const unit of rankUnits(request.query, files, units))
        if (!best.has(unit.path)) best.set(unit.path, unit);
      const lengths = new Map(files.map(({ path, lines }) => [path, lines.length]));
      const moved = new Set(first);
      const hits = reply.hits.map((hit) => {
        const unit = best.get(hit.path);
        return unit === undefined || !moved.has(hit)
          ? hit
          : { ...hit, ...spanOf(unit, hit, lengths.get(hit.path)!) };
      });
      return { ...reply, hits };
    },
  };
}

function firstOfFiles(hits: readonly SpanHit[]): SpanHit[] {
  const seen = new Set<string>();
  return hits.filter(({ path }) => !seen.has(path) && seen.add(path) !== undefined);
}

type Lines = Pick<SpanHit, 'start' | 'end'>;

/** The definition, or the part of it that the chunk meets, with lines towards the chunk up to the length of one. */
function spanOf(unit: Lines, chunk: Lines, last: number): Lines {
  let { start, end } = unit;
  if (end - start >= spanLines) {
    start = Math.max(unit.start, Math.min(chunk.start, unit.end - spanLines + 1));
    end = Math.min(unit.end, start + spanLines - 1);
  }
  while (end - start + 1 < spanLines) {
    if (end < chunk.end && end < last) end += 1;
    else if (start > chunk.start && start > 1) start -= 1;
    else if (end < last) end += 1;
    else if (start > 1) start -= 1;
    else break;
  }
  return { start, end };
}
