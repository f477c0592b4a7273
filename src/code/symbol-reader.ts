/** The names of a code base by its syntax: see `SymbolReader`. Each question reads what it needs, and keeps facts by the hash of a text. */
import { type Hover, type SymbolReader, scopeMatcher, type TextReader } from '../core/index.ts';
import { changedLines } from './changed-lines.ts';
import type { Definition, FileFacts } from './facts/facts.ts';
import type { GitProgram } from './git.ts';
import { outlineOf } from './outline.ts';
import { type Changed, expansionOf, impactOf, traceIn } from './references/graph.ts';
import { references, spanOf, targetIn } from './references/references.ts';
import { type CodeSources, Survey } from './references/survey.ts';
import { symbolOf } from './references/targets.ts';
import type { SyntaxReader } from './syntax/reader.ts';
import type { WordFinder } from './word-files.ts';

export interface SymbolReaderOptions {
  readonly root: string;
  readonly reader: TextReader;
  readonly syntax: SyntaxReader;
  readonly words: WordFinder;
  readonly git?: GitProgram;
  /** Milliseconds of one listing. */
  readonly limitMs?: number;
}

/** Of what takes several listings. */
const longer = 4;
const usualLimitMs = 2_000;
const maxChanged = 40;

export function symbolReader({
  root,
  reader,
  syntax,
  words,
  git = {},
  limitMs = usualLimitMs,
}: SymbolReaderOptions): SymbolReader {
  const sources: CodeSources = { words, reader, syntax, limitMs };
  const begun = async (signal: AbortSignal | undefined, times = longer): Promise<Survey> => {
    const survey = new Survey(sources, signal, limitMs * times);
    await survey.start();
    return survey;
  };
  return {
    references: (request) => references(sources, request),
    outline: ({ path, signal }) => outlineOf(reader, syntax, path, signal),
    async impact({ symbol, scope, signal }) {
      const survey = await begun(signal);
      const found = await targetIn(survey, symbol);
      if (found.kind !== 'target') return found;
      const { path, definition } = found.target;
      return impactOf(
        survey,
        [{ ...spanOf(survey.facts(path)!, path, definition), change: 'asked' }],
        scope,
        signal,
      );
    },
    async impactOfChange({ revision, scope, signal }) {
      const { commit, files } = await changedLines(root, revision, git, signal);
      const survey = await begun(signal);
      const inScope = scopeMatcher(scope);
      const changed: Changed[] = [];
      const why: string[] = [];
      for (const { path, spans, before } of files) {
        await survey.read([path]);
        const now = survey.facts(path);
        const old = await factsAt(path, commit);
        if (now === null && old === null) {
          why.push(`${path} changed, and its syntax is not read`);
          continue;
        }
        changed.push(...changesOf(path, old, now, before, spans));
      }
      const kept = changed.slice(0, maxChanged);
      if (changed.length > kept.length)
        why.push(`${changed.length - kept.length} more definitions changed and were not followed`);
      const impact = await impactOf(survey, kept, scope === undefined ? undefined : scope, signal);
      const lowered = why.length > 0 && impact.completeness === 'complete' ? 'partial' : impact.completeness;
      return {
        ...impact,
        rows: impact.rows.filter(({ path }) => inScope(path)),
        completeness: lowered,
        why: [...impact.why, ...why],
      };
    },
    async trace({ from, to, signal }) {
      return traceIn(await begun(signal), from, to, signal);
    },
    async hover({ symbol, signal }) {
      const survey = await begun(signal, 1);
      const found = await targetIn(survey, symbol);
      if (found.kind !== 'target') return found;
      const shown: Hover['found'][number][] = found.target.places.flatMap(({ path, index }) => {
        const facts = survey.facts(path);
        const definition = facts?.definitions[index];
        if (facts === null || definition === undefined) return [];
        const doc =
          definition.doc === undefined
            ? ''
            : survey
                .lines(path)
                .slice(definition.doc[0] - 1, definition.doc[1])
                .join('\n');
        return [{ ...spanOf(facts, path, definition), doc, docStart: definition.doc?.[0] ?? null }];
      });
      return {
        kind: 'hover',
        found: shown,
        completeness: 'complete',
        why: found.others > 0 ? [`${found.others} other definitions have this name`] : [],
      };
    },
    async expand({ symbol, along, scope, signal }) {
      return expansionOf(await begun(signal), symbol, along, scope, signal);
    },
    async paths({ scope, signal }) {
      const { paths, cut } = await words.all(signal);
      const inScope = scopeMatcher(scope);
      return {
        paths: paths.filter(inScope),
        completeness: cut ? 'partial' : 'complete',
        why: cut ? ['not all files could be listed'] : [],
      };
    },
  };

  async function factsAt(path: string, commit: string): Promise<FileFacts | null> {
    const file = await reader.readText(path, commit);
    if (file.kind !== 'text') return null;
    const read = await syntax.read(path, file.lines.join('\n'));
    return read.kind === 'facts' ? read.facts : null;
  }
}

type Lines = readonly { readonly start: number; readonly end: number }[];

const touches = (spans: Lines, { start, end }: Definition): boolean =>
  spans.some((span) => span.start <= end && start <= span.end);

/** The innermost definitions that a change touches: what became of each, by its name. */
function changesOf(
  path: string,
  old: FileFacts | null,
  now: FileFacts | null,
  before: Lines,
  spans: Lines,
): readonly Changed[] {
  const named = (facts: FileFacts | null) =>
    new Map(
      (facts?.definitions ?? [])
        .filter(({ flags }) => !flags.includes('local'))
        .map((one) => [symbolOf(facts!, path, one), one] as const),
    );
  const [was, is] = [named(old), named(now)];
  const found: Changed[] = [];
  for (const [symbol, one] of was) {
    if (!is.has(symbol)) found.push({ ...spanOf(old!, path, one), change: 'removed' });
    else if (is.get(symbol)!.signature !== one.signature)
      found.push({ ...spanOf(now!, path, is.get(symbol)!), change: 'signature' });
    else if (touches(before, one) || touches(spans, is.get(symbol)!))
      found.push({ ...spanOf(now!, path, is.get(symbol)!), change: 'body' });
  }
  for (const [symbol, one] of is)
    if (!was.has(symbol)) found.push({ ...spanOf(now!, path, one), change: 'added' });
  // A class whose method changed has not changed otherwise.
  return found.filter(
    (one) =>
      one.change !== 'body' ||
      !found.some((inner) => inner !== one && inner.symbol.startsWith(`${one.symbol}.`)),
  );
}
