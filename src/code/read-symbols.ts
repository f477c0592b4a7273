/**
 * Answers questions about the names of a code base from its syntax: see `SymbolReader`. Each question reads the files
 * that it needs. Facts are cached by the hash of the text.
 */
import { type Hover, type SymbolReader, scopeMatcher } from '../core/index.ts';
import { findImpactOfFiles } from './change-impact.ts';
import { readOutline } from './definitions/outline.ts';
import { findChangedLines } from './git/changed-lines.ts';
import { createFileCache } from './references/file-cache.ts';
import { expandDefinition, findImpact, findTrace } from './references/graph.ts';
import type { Target } from './references/judge.ts';
import { findTarget, listReferences, toSpan } from './references/references.ts';
import { type CodeSources, Survey } from './references/survey.ts';
import type { LanguageServers } from './servers/index.ts';
import type { SymbolReaderOptions } from './symbol-reader.ts';

/** The time limit is this many times longer for questions that need several listings. */
const severalListingsFactor = 4;
const usualLimitMs = 2_000;

export function readSymbols({
  root,
  reader,
  syntax,
  words,
  git = {},
  servers,
  limitMs = usualLimitMs,
}: SymbolReaderOptions): SymbolReader {
  const sources: CodeSources = { words, reader, syntax, servers, limitMs, fileCache: createFileCache() };
  const startSurvey = async (
    signal: AbortSignal | undefined,
    times = severalListingsFactor,
  ): Promise<Survey> => {
    const survey = new Survey(sources, signal, limitMs * times);
    await survey.start();
    return survey;
  };
  return {
    references: (request) => listReferences(sources, request),
    outline: ({ path, signal }) => readOutline(reader, syntax, path, signal),
    async impact({ symbol, scope, signal }) {
      const survey = await startSurvey(signal);
      const found = await findTarget(survey, symbol);
      if (found.kind !== 'target') return found;
      const { path, definition } = found.target;
      const askedSymbol = { ...toSpan(survey.facts(path)!, path, definition), change: 'asked' };
      const impact = await findImpact(survey, [askedSymbol], scope, signal);
      return { ...impact, why: [...found.notes, ...impact.why] };
    },
    async impactOfChange({ revision, scope, signal }) {
      const change = await findChangedLines(root, revision, git, signal);
      return findImpactOfFiles(sources, {
        ...change,
        scope,
        signal,
        limitMs: limitMs * severalListingsFactor,
      });
    },
    async trace({ from, to, signal }) {
      return findTrace(await startSurvey(signal, 1), from, to, signal);
    },
    async hover({ symbol, signal }) {
      const survey = await startSurvey(signal, 1);
      const found = await findTarget(survey, symbol);
      if (found.kind !== 'target') return found;
      const typeAnswer = await askType(survey, servers, found.target, signal);
      const definitions: Hover['found'][number][] = found.target.places.flatMap(({ path, index }) => {
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
        return [
          {
            ...toSpan(facts, path, definition),
            doc,
            docStart: definition.doc?.[0] ?? null,
            ...(typeAnswer.type !== null &&
              definition === found.target.definition && { type: typeAnswer.type }),
          },
        ];
      });
      return {
        kind: 'hover',
        found: definitions,
        completeness: 'complete',
        why: [
          ...found.notes,
          ...(found.others > 0 ? [`${found.others} other definitions have this name`] : []),
          ...typeAnswer.why,
        ],
      };
    },
    async expand({ symbol, along, scope, signal }) {
      return expandDefinition(await startSurvey(signal, 1), symbol, along, scope, signal);
    },
    async paths({ scope, signal }) {
      const { paths, cut } = await words.listFiles(signal);
      const inScope = scopeMatcher(scope);
      return {
        paths: paths.filter(inScope),
        completeness: cut ? 'partial' : 'complete',
        why: cut ? ['not all files could be listed'] : [],
      };
    },
  };
}

/** Asks a language server for the type of a definition; `type` is null if none is configured or it gives no answer. */
async function askType(
  survey: Survey,
  servers: LanguageServers | undefined,
  { path, definition: { line, column } }: Target,
  signal: AbortSignal | undefined,
): Promise<{ readonly type: string | null; readonly why: readonly string[] }> {
  if (servers?.serves(path) !== true) return { type: null, why: [] };
  const text = survey.lines(path).join('\n');
  const reply = await survey.waitOutsideLimit(() => servers.hover({ path, line, column, text, signal }));
  return reply.kind === 'answered'
    ? { type: reply.type, why: [] }
    : { type: null, why: [`${reply.server} gave no answer: ${reply.why}`] };
}
