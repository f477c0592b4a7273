import { z } from 'zod';
import {
  type Completeness,
  type DefinitionFinder,
  type Evidence,
  type GitHistory,
  SondeError,
  type SpanSearch,
  type SymbolReader,
  type TextGrep,
  type TextReader,
} from '../../core/index.ts';
import { type Entry, type EntryDefinition, entry, type FileContext } from '../entry.ts';
import { createScope, type Scope } from '../scope.ts';

/** Paths in order. `partial` if there may be more texts than are listed; the notes say which. */
export interface PathReply {
  readonly paths: readonly string[];
  readonly completeness: Completeness;
  readonly notes: readonly string[];
}

/** The ports of the abilities over code. An ability whose port is absent is not offered. */
export interface CodePorts {
  readonly search: SpanSearch;
  readonly text: TextReader;
  readonly grep?: TextGrep;
  readonly past?: GitHistory;
  readonly definitions?: DefinitionFinder;
  readonly symbols?: SymbolReader;
  /** The paths of all texts in the scope; absent if nothing can list them. */
  paths?(request: { readonly scope?: string; readonly signal?: AbortSignal }): Promise<PathReply>;
}

export type CodeContext = FileContext<CodePorts>;

/** An ability over code. */
export const codeEntry = <Shape extends z.ZodRawShape>(
  definition: EntryDefinition<CodeContext, Shape>,
): Entry<CodeContext> => entry(definition);

export const scope = z.string().max(4000).optional().describe('Path globs, comma-separated, ! excludes');
/** Maximum characters of any argument. A port refuses what is too long for it, and names its own limit. */
export const maxLength = 1_000_000;
export const filePath = z.string().min(1).max(maxLength).describe('Relative to the root');

/** A scope within the caller's scope, never wider. */
export interface NarrowedScope extends Scope {
  /** The scope that the port gets; both scopes are checked again. */
  readonly asked: { readonly scope?: string };
}

export function narrowScope(outer: Scope, wanted: string | undefined): NarrowedScope {
  const scope = createScope(wanted);
  const text = scope.text ?? outer.text;
  return {
    text,
    admits: (path) => outer.admits(path) && scope.admits(path),
    asked: text === undefined ? {} : { scope: text },
  };
}

/** Returns a port that the entry declares in `needs`, so that it can't be missing. */
export function requirePort<Port>(port: Port | undefined): Port {
  if (port !== undefined) return port;
  throw new SondeError('internal', { message: 'an ability was asked for whose port is not there' });
}

/** A span for programs, without its text, which is in the evidence. */
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
