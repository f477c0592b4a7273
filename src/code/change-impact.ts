/** Finds everything that depends on the definitions that a change touched or removed. */
import { escapePath, type Impact, scopeMatcher } from '../core/index.ts';
import type { Definition, FileFacts } from './facts/facts.ts';
import type { ChangedFile } from './git/changed-lines.ts';
import { addRemoved, type EarlierFile, overlayEarlierFiles } from './references/earlier.ts';
import { type ChangedSymbol, findImpact } from './references/graph.ts';
import { toSpan } from './references/references.ts';
import { type CodeSources, hasNoCode, Survey } from './references/survey.ts';
import { symbolOf } from './references/targets.ts';
import { syntaxLanguage } from './syntax/languages.ts';

export interface ChangeRequest {
  readonly commit: string;
  readonly files: readonly ChangedFile[];
  readonly scope?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly limitMs: number;
}

const maxChanged = 40;
/** Changes that break users come first, in case not all can be followed. Fields come last: many share their names. */
const rankOf = ({ change, kind }: ChangedSymbol): number =>
  kind === 'field' ? 3 : change === 'removed' ? 0 : change === 'signature' ? 1 : 2;

export async function findImpactOfFiles(
  sources: CodeSources,
  { commit, files, scope, signal, limitMs }: ChangeRequest,
): Promise<Impact> {
  const changed: ChangedSymbol[] = [];
  const earlier = new Map<string, EarlierFile>();
  const why: string[] = [];
  const unknown: string[] = [];
  for (const { path, spans, before, created, deleted } of files) {
    const shown = escapePath(path);
    if (syntaxLanguage(path) === null) {
      if (!hasNoCode(path)) why.push(`${shown} changed, and its syntax is not read`);
      continue;
    }
    const old = created ? null : await readFacts(sources, path, commit);
    const now = deleted ? null : await readFacts(sources, path, null);
    if ((old === null && !created) || (now === null && !deleted)) {
      unknown.push(
        `${shown} changed, and could not be read, ${old === null && !created ? 'as it was' : 'as it is'}`,
      );
      continue;
    }
    if ((old?.errors.length ?? 0) + (now?.errors.length ?? 0) > 0)
      why.push(`${shown} changed, and could not be read without errors`);
    const found = findChangedSymbols(path, old, now, before, spans);
    if (old !== null) {
      earlier.set(path, { facts: addRemoved(path, now, old), gone: deleted });
      const lost = listReexports(path, old).filter((name) => !listReexports(path, now).includes(name));
      if (lost.length > 0)
        why.push(
          `${shown} no longer re-exports names whose users were not followed: ${lost.slice(0, 5).join(', ')}`,
        );
    }
    changed.push(...found);
  }
  changed.sort((a, b) => rankOf(a) - rankOf(b));
  const changedSymbols = changed.slice(0, maxChanged);
  if (changed.length > changedSymbols.length)
    why.push(`${changed.length - changedSymbols.length} more definitions changed and were not followed`);
  const survey = new Survey(overlayEarlierFiles(sources, earlier), signal, limitMs);
  await survey.start();
  const impact = await findImpact(survey, changedSymbols, scope, signal);
  const inScope = scopeMatcher(scope);
  const lowered = why.length > 0 && impact.completeness === 'complete' ? 'partial' : impact.completeness;
  return {
    ...impact,
    rows: impact.rows.filter(({ path }) => inScope(path)),
    completeness: unknown.length > 0 ? 'unknown' : lowered,
    why: [...unknown, ...impact.why, ...why],
  };
}

async function readFacts(
  { reader, syntax }: CodeSources,
  path: string,
  commit: string | null,
): Promise<FileFacts | null> {
  const file = await reader.readText(path, commit);
  if (file.kind !== 'text') return null;
  const read = await syntax.read(path, file.lines.join('\n'));
  return read.kind === 'facts' ? read.facts : null;
}

/** Names that a file re-exports from other files. */
const listReexports = (path: string, facts: FileFacts | null): readonly string[] => [
  ...(facts?.exports ?? []).flatMap(({ name, module }) =>
    module === undefined ? [] : [name === '*' ? `* of ${module}` : name],
  ),
  ...(path.endsWith('__init__.py')
    ? (facts?.imports ?? []).map(({ local, module }) => (local === '*' ? `* of ${module}` : local))
    : []),
];

type ChangedSpans = ChangedFile['spans'];

/** Lines inserted or removed between two definitions touch neither of them. */
const touches = (spans: ChangedSpans, { start, end }: Definition): boolean =>
  spans.some((span) =>
    span.isGap === true ? start <= span.start && span.end <= end : span.start <= end && start <= span.end,
  );

/** Lists the innermost definitions that a change touches, with the kind of change. */
function findChangedSymbols(
  path: string,
  old: FileFacts | null,
  now: FileFacts | null,
  before: ChangedSpans,
  spans: ChangedSpans,
): readonly ChangedSymbol[] {
  const indexBySymbol = (facts: FileFacts | null) =>
    new Map(
      (facts?.definitions ?? [])
        .filter(({ flags }) => !flags.includes('local'))
        .map((definition) => [symbolOf(facts!, path, definition), definition] as const),
    );
  const [was, is] = [indexBySymbol(old), indexBySymbol(now)];
  const found: ChangedSymbol[] = [];
  for (const [symbol, one] of was) {
    if (!is.has(symbol)) found.push({ ...toSpan(old!, path, one), change: 'removed' });
    else if (is.get(symbol)!.signature !== one.signature)
      found.push({ ...toSpan(now!, path, is.get(symbol)!), change: 'signature' });
    else if (touches(before, one) || touches(spans, is.get(symbol)!))
      found.push({ ...toSpan(now!, path, is.get(symbol)!), change: 'body' });
  }
  for (const [symbol, one] of is)
    if (!was.has(symbol)) found.push({ ...toSpan(now!, path, one), change: 'added' });
  // If a method changed, its class counts as changed only if other lines of it changed too.
  return found.filter(
    (changedSymbol) =>
      changedSymbol.change !== 'body' ||
      !found.some((inner) => inner !== changedSymbol && inner.symbol.startsWith(`${changedSymbol.symbol}.`)),
  );
}
