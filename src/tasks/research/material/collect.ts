/** Turns the spans that a port found into evidence: reads their lines again, and checks the scope. */
import type { ClaimedSpan, EntryOutput, Scope } from '../../../catalogue/index.ts';
import { type Evidence, type FileText, type TextReader, toEvidence } from '../../../core/index.ts';

/** Maximum lines and characters of one piece of evidence. A longer span is cut at its end, with a note. */
export const evidenceLines = 120;
export const evidenceCharacters = 12_000;

const commitPath = /^commit:[0-9a-f]{7,64}$/;

function refusal(span: ClaimedSpan, scope: Scope): string | null {
  if (commitPath.test(span.path)) {
    if (scope.text === undefined || span.touches?.some(scope.admits) === true) return null;
    return span.touches === undefined
      ? `${span.path} cannot be opened within the scope ${scope.text}: the evidence of the commit lists what it changed there`
      : `${span.path} touches nothing in the scope ${scope.text}`;
  }
  if (scope.admits(span.path)) return null;
  return scope.text === undefined
    ? `${span.path} is outside of what this run may read`
    : `${span.path} is outside the scope ${scope.text}`;
}

/** Reads the lines of one span. If there is no evidence, returns the reason as a string. */
export async function readSpan(
  text: TextReader,
  scope: Scope,
  span: ClaimedSpan,
): Promise<{ readonly evidence: Evidence; readonly note: string | null } | string> {
  const reason = refusal(span, scope);
  if (reason !== null) return reason;
  const file = await text.readText(span.path, span.commit ?? null);
  if (file.kind === 'unreadable') return file.message;
  const { path, start } = span;
  const claimedSpan =
    span.touches !== undefined && scope.text !== undefined ? withoutFileList(file, span, span.touches) : span;
  const evidence = toEvidence(file, claimedSpan, { lines: evidenceLines, characters: evidenceCharacters });
  if (typeof evidence === 'string') return evidence;
  const end = evidence.end_line;
  return {
    evidence,
    note:
      end < span.end && end < file.lines.length
        ? `${path}: ${start}-${end} of ${start}-${span.end} was read`
        : null,
  };
}

/** Cuts the list of changed files off the end of a commit's text, since some of them may be outside the scope. */
function withoutFileList(file: FileText, span: ClaimedSpan, touches: readonly string[]): ClaimedSpan {
  const lines = file.lines.slice(Math.max(0, span.start - 1), span.end);
  const listStart = lines.findIndex((line) =>
    touches.some((path) => line.trim() === path || line.endsWith(`\t${path}`)),
  );
  const message = listStart > 0 ? lines.slice(0, listStart) : lines;
  const last = message.findLastIndex((line) => line.trim() !== '');
  return { ...span, end: Math.min(span.end, span.start + Math.max(0, last)) };
}

/** Reads spans in order, and returns each piece of evidence once. */
export async function collect(
  text: TextReader,
  scope: Scope,
  spans: readonly ClaimedSpan[],
): Promise<EntryOutput> {
  const found = new Map<string, Evidence>();
  const notes: string[] = [];
  let cut = false;
  for (const span of spans) {
    const read = await readSpan(text, scope, span);
    if (typeof read === 'string') notes.push(read);
    else {
      if (!found.has(read.evidence.id)) found.set(read.evidence.id, read.evidence);
      if (read.note === null) continue;
      notes.push(read.note);
      cut = true;
    }
  }
  return { evidence: [...found.values()], notes, cut };
}
