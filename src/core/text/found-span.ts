import { createEvidence, type Evidence, type Provenance } from '../evidence.ts';
import type { FileText } from '../material.ts';
import { cutLongLine } from './long-line.ts';
import { spanHash } from './text-lines.ts';

/** A span that some finder reports. Lines are 1-based and inclusive. */
export interface FoundSpan {
  /** Relative to the root; `commit:SHA` for a commit's own text. */
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly reason: string;
  readonly provenance: Provenance;
  readonly score?: number | null;
  readonly symbol?: string;
  readonly symbolKind?: string;
  /** The commit that the text was read at. */
  readonly commit?: string | null;
  /** The query, or the matched text. Of a line too long to show, the part around this text is shown. */
  readonly near?: string;
}

/** Limits of one piece of evidence. */
export interface SpanCaps {
  readonly lines: number;
  /** No limit if absent. */
  readonly characters?: number;
}

/**
 * Makes evidence of the current lines, or returns the reason if they do not exist. A longer span is cut after the last
 * whole line that fits. A single line that does not fit is shown in part.
 */
export function toEvidence(
  file: FileText,
  found: FoundSpan,
  { lines: maxLines, characters = Infinity }: SpanCaps,
): Evidence | string {
  const { path, start, end } = found;
  if (!Number.isInteger(start) || !Number.isInteger(end) || start < 1 || end < start)
    return `${path}:${start}-${end} is not a span of lines`;
  if (start > file.lines.length)
    return `${path} has ${file.lines.length} lines, so ${start}-${end} is past its end`;
  const lines: string[] = [];
  // The length includes line ends.
  let length = -1;
  for (const line of file.lines.slice(start - 1, Math.min(end, start + maxLines - 1))) {
    length += line.length + 1;
    if (length > characters) break;
    lines.push(line);
  }
  if (lines.length === 0) lines.push(cutLongLine(file.lines[start - 1] ?? '', found.near ?? '', characters));
  const last = start + lines.length - 1;
  return createEvidence({
    file_path: path,
    start_line: start,
    end_line: last,
    content: lines.join('\n'),
    hash: spanHash(file, start, last),
    reason: found.reason,
    provenance: found.provenance,
    score: found.score ?? null,
    symbol_id: found.symbol ?? null,
    symbol_kind: found.symbolKind ?? null,
    commit: found.commit ?? null,
  });
}
