/** Runs the catalogue's code lookups (definitions, references and others) for CLI commands and MCP clients. */

import type { z } from 'zod';
import { lookupEntries } from '../../catalogue/code/code-entries.ts';
import { createScope, type EntryResult } from '../../catalogue/index.ts';
import { checkScopeMatches, SondeError, type SymbolReader } from '../../core/index.ts';
import { createCollector, maxLines, requireInside } from '../../tools/code/index.ts';
import { openSymbols } from '../compose.ts';
import { loadConfiguration, processEnvironment } from '../config/index.ts';
import { resolveRoot } from '../root.ts';

export interface SymbolLookup {
  readonly notes: readonly string[];
  /** Throws `bad_argument` for arguments that the entry does not accept. */
  ask(name: string, args: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<EntryResult>;
  close(): Promise<void>;
}

/** Throws if the scope matches no file, which is a mistake and must not look like an empty result. */
async function checkScope(
  symbols: SymbolReader,
  scope: string | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (scope === undefined) return;
  const { paths, completeness } = await symbols.paths({ scope, ...(signal && { signal }) });
  if (paths.length === 0 && completeness === 'complete')
    checkScopeMatches(scope, (await symbols.paths({ ...(signal && { signal }) })).paths);
}

/** Describes an issue for users. Zod's own messages mention types such as `string`. */
function describeIssue(name: string, issue: z.core.$ZodIssue): string {
  if (issue.code === 'too_small')
    return issue.origin === 'string' ? `${name} is empty` : `${name} is too small: at least ${issue.minimum}`;
  if (issue.code === 'too_big')
    return issue.origin === 'string'
      ? `${name} is too long: at most ${issue.maximum} characters`
      : `${name} is too large: at most ${issue.maximum}`;
  return `${name}: ${issue.message}`;
}

/** Opens the lookups of a folder. Files are read only when a lookup needs them. */
export async function openSymbolLookup(
  path: string,
  { servers }: { readonly servers?: string } = {},
): Promise<SymbolLookup> {
  const root = resolveRoot(path);
  const configuration = loadConfiguration({
    environment: processEnvironment(),
    project: root,
    ...(servers !== undefined && { flags: { language_servers: servers } }),
  });
  const { text, symbols, definitions, close } = await openSymbols(configuration, root);
  const rejectSearch = async () =>
    Promise.reject(
      new SondeError('internal', { message: 'a symbol lookup called text search, which it may not' }),
    );
  return {
    notes: configuration.notes,
    async ask(name, given, signal) {
      const entry = lookupEntries().find((lookup) => lookup.name === name);
      if (entry === undefined) throw new SondeError('internal', { message: `there is no entry ${name}` });
      const args = entry.parameters.safeParse(given);
      if (!args.success) {
        const [issue] = args.error.issues;
        const argument = issue?.path.join('.') ?? 'an argument';
        const description =
          issue?.code === 'too_small' &&
          issue.origin === 'string' &&
          (entry.parameters.shape[argument] as z.ZodType | undefined)?.description;
        throw new SondeError('bad_argument', {
          message: issue === undefined ? `${argument} is unfit` : describeIssue(argument, issue),
          remedy: description
            ? `Needed: ${description}.`
            : 'See the help of the command, or what the tool takes.',
        });
      }
      await checkScope(symbols, (args.data as { readonly scope?: string }).scope, signal);
      return entry.run(args.data, {
        ports: { search: { search: rejectSearch }, text, symbols, definitions },
        scope: createScope(undefined),
        pieces: entry.pieces?.tool ?? 0,
        pieceLines: maxLines,
        held: [],
        path: (name, within) => requireInside(name, within.text),
        collect: createCollector(text),
        ...(signal && { signal }),
      });
    },
    close,
  };
}
