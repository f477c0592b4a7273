/** Replaces places that an answer cites in brackets with the ids of evidence that contains their lines. */
import type { Evidence } from '../../../core/index.ts';

const bracket = /\[([^[\]\n]{3,600})\](?!\()/g;
const placeForm = /^(.+?)(?::|#|, ?lines? )L?(\d+)(?:\s*[-–]\s*L?(\d+))?$/;
const idForm = /^ev-[0-9a-f]{10}$/;

type EvidenceSpan = Pick<Evidence, 'id' | 'file_path' | 'start_line' | 'end_line' | 'commit'>;

/** Replaces `[src/a.ts:12-30]` by `[ev-…]` if those lines were read; everything else is unchanged. */
export function citePlaces(text: string, evidence: readonly EvidenceSpan[]): string {
  return text.replace(bracket, (whole, inside: string) => {
    const citations = inside
      .split(/[,;](?!\s*lines?\s)/)
      .map((part) => idsOf(part.replaceAll('`', '').trim(), evidence));
    const ids = citations.flatMap((ids) => ids ?? []);
    return citations.includes(null) ? whole : `[${[...new Set(ids)].join(', ')}]`;
  });
}

/** The ids for one part of a bracket. Null if it is neither an id nor a place whose lines were read. */
function idsOf(part: string, evidence: readonly EvidenceSpan[]): readonly string[] | null {
  if (idForm.test(part)) return [part];
  const match = placeForm.exec(part);
  if (match === null) return null;
  const start = Number(match[2]);
  const end = Number(match[3] ?? start);
  const path = match[1]!.replace(/^\.\//, '');
  const overlapping = evidence.filter(
    (lines) =>
      lines.file_path === path && lines.start_line <= end && lines.end_line >= start && lines.commit === null,
  );
  const smallest = overlapping
    .filter((lines) => lines.start_line <= start && lines.end_line >= end)
    .toSorted((a, b) => a.end_line - a.start_line - (b.end_line - b.start_line))[0];
  if (smallest !== undefined) return [smallest.id];
  // Several adjacent pieces may contain the lines together.
  let nextLine = start;
  for (const piece of overlapping.toSorted((a, b) => a.start_line - b.start_line))
    if (piece.start_line <= nextLine) nextLine = Math.max(nextLine, piece.end_line + 1);
  return nextLine > end ? overlapping.map(({ id }) => id) : null;
}
