/** Places that an answer cites in brackets, as the ids of the evidence that holds their lines. */
import type { Evidence } from '../../../core/index.ts';

const bracket = /\[([^[\]\n]{3,600})\](?!\()/g;
const placeForm = /^(.+?)(?::|#|, ?lines? )L?(\d+)(?:\s*[-–]\s*L?(\d+))?$/;
const idForm = /^ev-[0-9a-f]{10}$/;

type Lines = Pick<Evidence, 'id' | 'file_path' | 'start_line' | 'end_line' | 'commit'>;

/** Replaces `[src/a.ts:12-30]` by `[ev-…]` if those lines were read; everything else is unchanged. */
export function citePlaces(text: string, evidence: readonly Lines[]): string {
  return text.replace(bracket, (whole, inside: string) => {
    const cited = inside
      .split(/[,;](?!\s*lines?\s)/)
      .map((part) => idsOf(part.replaceAll('`', '').trim(), evidence));
    const ids = cited.flatMap((one) => one ?? []);
    return cited.includes(null) ? whole : `[${[...new Set(ids)].join(', ')}]`;
  });
}

/** Null for what is neither an id nor a place whose lines were read. */
function idsOf(part: string, evidence: readonly Lines[]): readonly string[] | null {
  if (idForm.test(part)) return [part];
  const match = placeForm.exec(part);
  if (match === null) return null;
  const start = Number(match[2]);
  const end = Number(match[3] ?? start);
  const path = match[1]!.replace(/^\.\//, '');
  const read = evidence.filter(
    (lines) =>
      lines.file_path === path && lines.start_line <= end && lines.end_line >= start && lines.commit === null,
  );
  const whole = read
    .filter((lines) => lines.start_line <= start && lines.end_line >= end)
    .toSorted((a, b) => a.end_line - a.start_line - (b.end_line - b.start_line))[0];
  if (whole !== undefined) return [whole.id];
  // Several adjacent pieces may contain the lines together.
  let next = start;
  for (const one of read.toSorted((a, b) => a.start_line - b.start_line))
    if (one.start_line <= next) next = Math.max(next, one.end_line + 1);
  return next > end ? read.map(({ id }) => id) : null;
}
