/** Material in memory that records every call, for tests and for trying a prompt without files on disk. */
import {
  type BlameLine,
  type CommitNote,
  type DefinitionFinder,
  type GitHistory,
  type HistoryReply,
  type LineMatch,
  type SpanHit,
  type SpanReply,
  type SpanSearch,
  scopeMatcher,
  type TextGrep,
  type TextReader,
} from '../../core/index.ts';
import type { Material } from './material/material.ts';

export interface ScriptedMaterial extends Material {
  readonly grep: TextGrep;
  readonly past: GitHistory;
  readonly definitions: DefinitionFinder;
  /** Every call so far, as `method argument`. */
  readonly calls: readonly string[];
}

export interface MaterialScript {
  /** Texts by path. The path of a commit's message is `commit:SHA`, that of its diff `diff:SHA`. */
  readonly files: Readonly<Record<string, string>>;
  readonly commits?: readonly CommitNote[];
  /** Replaces the search, which otherwise counts the words of the query in each file. */
  readonly search?: (query: string, call: number) => SpanReply | Promise<SpanReply>;
  readonly coverage?: Material['coverage'];
}

const words = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** The lines around the line with the most words of the query; null if no line has any. */
function findHit(path: string, text: string, query: string): SpanHit | null {
  const wanted = new Set(words(query));
  const lines = text.split('\n');
  const scored = lines.map((line) => words(line).filter((word) => wanted.has(word)).length);
  const bestIndex = scored.indexOf(Math.max(...scored));
  const score = scored.reduce((sum, lineScore) => sum + lineScore, 0);
  if (score === 0) return null;
  return {
    path,
    start: Math.max(1, bestIndex - 1),
    end: Math.min(lines.length, bestIndex + 4),
    score,
    provenance: 'bm25',
  };
}

export function scriptedMaterial(script: MaterialScript): ScriptedMaterial {
  const calls: string[] = [];
  const entries = Object.entries(script.files);
  const fileEntries = () => entries.filter(([path]) => !/^(?:commit|diff):/.test(path));
  let searches = 0;

  const search: SpanSearch = {
    async search({ query, k = 10, scope }) {
      calls.push(`search ${query}`);
      if (script.search) return script.search(query, searches++);
      const inScope = scopeMatcher(scope);
      const hits = fileEntries()
        .filter(([path]) => inScope(path))
        .flatMap(([path, text]) => findHit(path, text, query) ?? [])
        .sort((a, b) => b.score - a.score)
        .slice(0, k);
      return { hits, completeness: 'complete', notes: [] };
    },
  };
  const text: TextReader = {
    async readText(path) {
      calls.push(`read ${path}`);
      const found = script.files[path];
      return found === undefined
        ? { kind: 'unreadable', reason: 'missing', message: `${path} does not exist` }
        : { kind: 'text', lines: found.split('\n') };
    },
  };
  const grep: TextGrep = {
    async grep({ pattern, ignoreCase, scope, limit = 100 }) {
      calls.push(`grep ${pattern}`);
      const expression = new RegExp(pattern, ignoreCase === true ? 'i' : '');
      const inScope = scopeMatcher(scope);
      const matches: readonly LineMatch[] = fileEntries()
        .filter(([path]) => inScope(path))
        .flatMap(([path, whole]) =>
          whole
            .split('\n')
            .flatMap((line, n) => (expression.test(line) ? [{ path, line: n + 1, text: line }] : [])),
        );
      const isCut = matches.length > limit;
      return {
        matches: matches.slice(0, limit),
        completeness: isCut ? 'partial' : 'complete',
        notes: isCut ? [`${matches.length} lines match`] : [],
      };
    },
  };
  const definitions: DefinitionFinder = {
    async find({ name, scope }) {
      calls.push(`define ${name}`);
      const expression = new RegExp(`\\b(?:def|class|function)\\s+${name}\\b`);
      const inScope = scopeMatcher(scope);
      return {
        definitions: fileEntries()
          .filter(([path]) => inScope(path))
          .flatMap(([path, whole]) => {
            const line = whole.split('\n').findIndex((codeLine) => expression.test(codeLine)) + 1;
            const provenance = 'grep' as const;
            return line === 0
              ? []
              : [
                  {
                    path,
                    start: line,
                    end: line,
                    score: 1,
                    provenance,
                    symbol: name,
                    symbolKind: 'function',
                  },
                ];
          }),
        completeness: 'complete',
        notes: [],
      };
    },
  };
  const replyWithCommits = (call: string): HistoryReply<CommitNote> => {
    calls.push(call);
    return { items: script.commits ?? [], completeness: 'complete', notes: [] };
  };
  const past: GitHistory = {
    log: async ({ path, message }) => replyWithCommits(`log ${path ?? ''} ${message ?? ''}`.trim()),
    pickaxe: async ({ text: searchedText }) => replyWithCommits(`pickaxe ${searchedText}`),
    async blame({ path, start, end }) {
      calls.push(`blame ${path}:${start}-${end}`);
      const [commit] = script.commits ?? [];
      const lines = (script.files[path] ?? '').split('\n').slice(start - 1, end);
      const items: readonly BlameLine[] =
        commit === undefined
          ? []
          : lines.map((line, n) => ({
              line: start + n,
              commit: commit.commit,
              date: commit.date,
              author: commit.author,
              text: line,
            }));
      return { items, completeness: 'complete', notes: [] };
    },
  };
  return {
    search,
    text,
    grep,
    past,
    definitions,
    calls,
    ...(script.coverage && { coverage: script.coverage }),
  };
}
