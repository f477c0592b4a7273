/** Turns a port's finds into evidence: re-reads their lines, and checks the scope. */
import type { ClaimedSpan, EntryOutput, Scope } from '../../../catalogue/index.ts';
import { type Evidence, evidenceAt, type FileText, type TextReader } from '../../../core/index.ts';

/** Maximum of lines and of characters of one piece of evidence. A longer find is cut at its end, with a note. */
export const evidenceLines = 120;
export const evidenceCharacters = 12_000;

const commitPath = /^commit:[0-9a-f]{7,64}$/;

function refusal(find: ClaimedSpan, scope: Scope): string | null {
  if (commitPath.test(find.path)) {
    if (scope.text === undefined || find.touches?.some(scope.admits) === true) return null;
    return find.touches === undefined
      ? `${find.path} cannot be opened within the scope ${scope.text}: the evidence of the commit lists what it changed there`
      : `${find.path} touches nothing in the scope ${scope.text}`;
  }
  if (scope.admits(find.path)) return null;
  return scope.text === undefined
    ? `${find.path} is outside of what this run may read`
    : `${find.path} is outside the scope ${scope.text}`;
}

/** Reads the lines of one find. A string is the reason for no evidence. */
export async function readFind(
  text: TextReader,
  scope: Scope,
  find: ClaimedSpan,
): Promise<{ readonly evidence: Evidence; readonly note: string | null } | string> {
  const refused = refusal(find, scope);
  if (refused !== null) return refused;
  const file = await text.readText(find.path, find.commit ?? null);
  if (file.kind === 'unreadable') return file.message;
  const { path, start } = find;
  const claimedSpan =
    find.touches !== undefined && scope.text !== undefined ? withoutFileList(file, find, find.touches) : find;
  const read = evidenceAt(file, claimedSpan, { lines: evidenceLines, characters: evidenceCharacters });
  if (typeof read === 'string') return read;
  const end = read.end_line;
  return {
    evidence: read,
    note:
      end < find.end && end < file.lines.length
        ? `${path}: ${start}-${end} of ${start}-${find.end} was read`
        : null,
  };
}

/** A commit's text ends with its changed files: those outside the scope are removed. */
function withoutFileList(file: FileText, find: ClaimedSpan, touches: readonly string[]): ClaimedSpan {
  const lines = file.lines.slice(Math.max(0, find.start - 1), find.end);
  const list = lines.findIndex((line) =>
    touches.some((path) => line.trim() === path || line.endsWith(`\t${path}`)),
  );
  const message = list > 0 ? lines.slice(0, list) : lines;
  const last = message.findLastIndex((line) => line.trim() !== '');
  return { ...find, end: Math.min(find.end, find.start + Math.max(0, last)) };
}

/** Reads finds in order, and returns each piece of evidence once. */
export async function collect(
  text: TextReader,
  scope: Scope,
  finds: readonly ClaimedSpan[],
): Promise<EntryOutput> {
  const found = new Map<string, Evidence>();
  const notes: string[] = [];
  let cut = false;
  for (const find of finds) {
    const read = await readFind(text, scope, find);
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
