import {
  type DefinitionFinder,
  type Evidence,
  evidence,
  type Past,
  type Provenance,
  SondeError,
  type SpanSearch,
  scopeMatcher,
  type TextGrep,
  type TextReader,
} from '../../core/index.ts';

/** The ports through which the code tools see one folder. They are confined to it; scopes are checked again here. */
export interface CodeMaterial {
  readonly search: SpanSearch;
  readonly text: TextReader;
  readonly grep: TextGrep;
  readonly past: Past;
  readonly definitions: DefinitionFinder;
}

/** A span that a port says it has found. Lines are 1-based and inclusive. */
export interface Found {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly reason: string;
  readonly provenance: Provenance;
  readonly score?: number;
  readonly symbol?: string;
  readonly symbolKind?: string;
}

/** Most lines of one piece of evidence. */
export const mostLines = 200;

/** Throws `outside_root` for a path that leads out or is in no scope, as files that hold secrets are. */
export function pathWithin(path: string, scope: string | undefined): string {
  const clean = path.trim().replace(/^(?:\.\/)+/, '');
  const steps = clean.split('/');
  const inside =
    clean !== '' && !/^[A-Za-z]:|[\\\0]/.test(clean) && !steps.some((step) => /^\.{0,2}$/.test(step));
  if (inside && scopeMatcher(scope)(clean)) return clean;
  throw new SondeError('outside_root', {
    message: `${JSON.stringify(path.slice(0, 200))} is not in the material${scope === undefined ? '' : ` within ${scope}`}`,
    remedy: 'Name a file relative to the root, as search and grep give it.',
  });
}

/** The lines themselves, read now: what the file no longer has is a note, not evidence. */
export async function readSpan(text: TextReader, found: Found): Promise<Evidence | string> {
  const { path, start, end, reason, provenance } = found;
  const file = await text.readText(path);
  if (file.kind === 'unreadable') return file.message;
  if (start < 1 || end < start) return `${path}:${start}-${end} is not a span of lines`;
  if (start > file.lines.length) return `${path} has ${file.lines.length} lines; ${start} is past its end`;
  const lines = file.lines.slice(start - 1, Math.min(end, start + mostLines - 1));
  return evidence({
    file_path: path,
    start_line: start,
    end_line: start + lines.length - 1,
    content: lines.join('\n'),
    reason,
    provenance,
    score: found.score ?? null,
    symbol_id: found.symbol ?? null,
    symbol_kind: found.symbolKind ?? null,
  });
}

export interface Collected {
  readonly evidence: readonly Evidence[];
  readonly notes: readonly string[];
}

/** Reads what was found, leaving out what is in no scope. */
export async function collected(
  text: TextReader,
  scope: string | undefined,
  finds: readonly Found[],
): Promise<Collected> {
  const admits = scopeMatcher(scope);
  const read = await Promise.all(
    finds.filter(({ path }) => admits(path)).map((found) => readSpan(text, found)),
  );
  return {
    evidence: read.filter((one) => typeof one !== 'string'),
    notes: read.filter((one) => typeof one === 'string'),
  };
}

export const spanText = ({ file_path, start_line, end_line, content }: Evidence): string =>
  `${file_path}:${start_line}-${end_line}\n${content}`;

/** A span for programs; its text stands in the evidence. */
export const spanData = ({
  id,
  file_path,
  start_line,
  end_line,
  score,
  symbol_id,
  symbol_kind,
}: Evidence) => ({
  evidence: id,
  path: file_path,
  start: start_line,
  end: end_line,
  ...(score !== null && { score }),
  ...(symbol_id !== null && { symbol: symbol_id, kind: symbol_kind }),
});
