/** Questions about definitions in a folder: entries of the catalogue, for commands and clients. */

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

/** A scope that matches nothing is a mistake, and must not give an answer. */
async function checkScope(
  symbols: SymbolReader,
  wanted: string | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (wanted === undefined) return;
  const { paths, completeness } = await symbols.paths({ scope: wanted, ...(signal && { signal }) });
  if (paths.length === 0 && completeness === 'complete')
    checkScopeMatches(wanted, (await symbols.paths({ ...(signal && { signal }) })).paths);
}

/** A schema's own sentence names types of the program. */
function troubleOf(name: string, issue: z.core.$ZodIssue): string {
  if (issue.code === 'too_small')
    return issue.origin === 'string' ? `${name} is empty` : `${name} is too small: at least ${issue.minimum}`;
  if (issue.code === 'too_big')
    return issue.origin === 'string'
      ? `${name} is too long: at most ${issue.maximum} characters`
      : `${name} is too large: at most ${issue.maximum}`;
  return `${name}: ${issue.message}`;
}

/** Opens only files that are asked about. */
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
  const none = async () =>
    Promise.reject(new SondeError('internal', { message: 'an entry over symbols searched' }));
  return {
    notes: configuration.notes,
    async ask(name, given, signal) {
      const entry = lookupEntries().find((one) => one.name === name);
      if (entry === undefined) throw new SondeError('internal', { message: `there is no entry ${name}` });
      const args = entry.parameters.safeParse(given);
      if (!args.success) {
        const [issue] = args.error.issues;
        const name = issue?.path.join('.') ?? 'an argument';
        const form =
          issue?.code === 'too_small' &&
          issue.origin === 'string' &&
          (entry.parameters.shape[name] as z.ZodType | undefined)?.description;
        throw new SondeError('bad_argument', {
          message: issue === undefined ? `${name} is unfit` : troubleOf(name, issue),
          remedy: form ? `Needed: ${form}.` : 'See the help of the command, or what the tool takes.',
        });
      }
      await checkScope(symbols, (args.data as { readonly scope?: string }).scope, signal);
      return entry.run(args.data, {
        ports: { search: { search: none }, text, symbols, definitions },
        scope: createScope(undefined),
        pieces: entry.pieces?.tool ?? 0,
        pieceLines: maxLines,
        held: [],
        path: (one, within) => requireInside(one, within.text),
        collect: createCollector(text),
        ...(signal && { signal }),
      });
    },
    close,
  };
}
