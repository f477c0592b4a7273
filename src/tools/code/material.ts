import {
  type DefinitionFinder,
  type Evidence,
  evidenceAt,
  type FoundSpan,
  type Past,
  plainLine,
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
export async function readSpan(text: TextReader, found: FoundSpan): Promise<Evidence | string> {
  const file = await text.readText(found.path);
  return file.kind === 'unreadable' ? file.message : evidenceAt(file, found, { lines: mostLines });
}

export interface Collected {
  readonly evidence: readonly Evidence[];
  readonly notes: readonly string[];
}

/** Reads what was found, leaving out what is in no scope. */
export async function collected(
  text: TextReader,
  scope: string | undefined,
  finds: readonly FoundSpan[],
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
  `${plainLine(file_path)}:${start_line}-${end_line}\n${content}`;

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
