/** From what a port says it found to evidence: the lines are read again, and the scope is checked here. */
import { type Evidence, evidence, type Provenance, type TextReader } from '../../core/index.ts';
import type { Scope } from './scope.ts';

/** A span that somebody claims to have found. Lines are 1-based and inclusive. */
export interface Find {
  /** Relative to the root; `commit:SHA` for a commit's own text. */
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly reason: string;
  readonly provenance: Provenance;
  readonly score?: number | null;
  readonly symbol?: string;
  readonly symbolKind?: string;
  readonly commit?: string | null;
  /** For a commit: the paths it touched. One of them must be in scope. */
  readonly touches?: readonly string[];
}

export interface Collected {
  readonly evidence: readonly Evidence[];
  /** One line for each find that gave none, or less than it claimed. */
  readonly notes: readonly string[];
}

/** Most lines of one piece of evidence, and most characters. A longer find is cut at its end, and noted. */
export const evidenceLines = 120;
export const evidenceCharacters = 12_000;

const commitPath = /^commit:[0-9a-f]{7,64}$/;

function refusal(find: Find, scope: Scope): string | null {
  if (commitPath.test(find.path)) {
    if (scope.text === undefined || find.touches?.some(scope.admits) === true) return null;
    return find.touches === undefined
      ? `${find.path} cannot be opened within the scope ${scope.text}: what it did there stands in its evidence`
      : `${find.path} touches nothing in the scope ${scope.text}`;
  }
  if (scope.admits(find.path)) return null;
  return scope.text === undefined
    ? `${find.path} is outside the material`
    : `${find.path} is outside the scope ${scope.text}`;
}

/** Reads the lines of one find. A string is the reason why there is no evidence. */
export async function readFind(
  text: TextReader,
  scope: Scope,
  find: Find,
): Promise<{ readonly evidence: Evidence; readonly note: string | null } | string> {
  const refused = refusal(find, scope);
  if (refused !== null) return refused;
  const commit = find.commit ?? null;
  const file = await text.readText(find.path, commit);
  if (file.kind === 'unreadable') return file.message;
  const { path, start } = find;
  if (!Number.isInteger(start) || !Number.isInteger(find.end) || start < 1 || find.end < start)
    return `${path}:${start}-${find.end} is not a span of lines`;
  if (start > file.lines.length)
    return `${path} has ${file.lines.length} lines, so ${start}-${find.end} is past its end`;

  let lines: readonly string[] = file.lines.slice(start - 1, Math.min(find.end, start + evidenceLines - 1));
  if (find.touches !== undefined && scope.text !== undefined) lines = withoutFileList(lines, find.touches);
  while (lines.length > 1 && lengthOf(lines) > evidenceCharacters) lines = lines.slice(0, -1);
  if (lengthOf(lines) > evidenceCharacters)
    return `${path}:${start} is one line of ${lengthOf(lines)} characters, too long to quote`;
  const end = start + lines.length - 1;
  return {
    evidence: evidence({
      file_path: path,
      start_line: start,
      end_line: end,
      content: lines.join('\n'),
      reason: find.reason,
      provenance: find.provenance,
      score: find.score ?? null,
      symbol_id: find.symbol ?? null,
      symbol_kind: find.symbolKind ?? null,
      commit,
    }),
    note:
      end < find.end && end < file.lines.length
        ? `${path}: ${start}-${end} of ${start}-${find.end} was read`
        : null,
  };
}

/** A commit's text ends in the files it changed: within a scope, those outside it are nobody's business. */
function withoutFileList(lines: readonly string[], touches: readonly string[]): readonly string[] {
  const list = lines.findIndex((line) =>
    touches.some((path) => line.trim() === path || line.endsWith(`\t${path}`)),
  );
  const message = list > 0 ? lines.slice(0, list) : lines;
  const last = message.findLastIndex((line) => line.trim() !== '');
  return message.slice(0, Math.max(1, last + 1));
}

const lengthOf = (lines: readonly string[]) => lines.reduce((sum, line) => sum + line.length + 1, -1);

/** Reads finds in order; two that give the same evidence give it once. */
export async function collect(text: TextReader, scope: Scope, finds: readonly Find[]): Promise<Collected> {
  const found = new Map<string, Evidence>();
  const notes: string[] = [];
  for (const find of finds) {
    const read = await readFind(text, scope, find);
    if (typeof read === 'string') notes.push(read);
    else {
      if (!found.has(read.evidence.id)) found.set(read.evidence.id, read.evidence);
      if (read.note !== null) notes.push(read.note);
    }
  }
  return { evidence: [...found.values()], notes };
}
