/** Commands about the definitions in a folder. */
import { existsSync } from 'node:fs';
import { Command, Option } from 'commander';
import { SondeError } from '../../../core/index.ts';
import { currentProcess } from '../../current-process.ts';
import { jsonOption, scopeOption, settingOption } from '../flags.ts';

interface Flags {
  readonly scope?: string;
  readonly limit?: string;
  readonly maxTokens?: string;
  readonly json?: true;
  readonly servers?: string;
}

type Args = Readonly<Record<string, unknown>>;

const numberOf = (flag: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new SondeError('bad_argument', {
    message: `${flag} is ${JSON.stringify(text)}`,
    remedy: 'Allowed: a whole number.',
  });
};

/** Leaves out flags that the user did not give, so that the defaults of the catalogue entry apply. */
const omitAbsent = (args: Args): Args =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));

/** Remedies for errors of entries that give none: for other callers (MCP, the sandbox) the remedy would differ. */
const remedies: Readonly<Record<string, string>> = {
  outline: 'Give a file relative to the folder; sonde tree lists what is there.',
};

async function ask(name: string, root: string, flags: Flags, entryArgs: Args): Promise<void> {
  const args = omitAbsent({
    ...entryArgs,
    scope: flags.scope,
    limit: numberOf('--limit', flags.limit),
    max_tokens: numberOf('--max-tokens', flags.maxTokens),
  });
  const { openSymbolLookup } = await import('../../search/symbols.ts');
  const { print, printJson, tell, tellNote } = await import('../terminal.ts');
  const symbols = await openSymbolLookup(root, flags);
  try {
    const found = await symbols.ask(name, args);
    for (const note of symbols.notes) await tellNote(note);
    if (found.kind === 'failed') {
      const isAmbiguous = found.details?.['found'] === 'ambiguous';
      throw new SondeError(
        isAmbiguous ? 'ambiguous' : found.details?.['found'] === 'undefined' ? 'not_found' : 'bad_argument',
        {
          message: found.message,
          remedy: found.remedy ?? remedies[name] ?? 'See sonde --help.',
          ...(found.details && { details: found.details }),
        },
      );
    }
    const isNowhere = (found.data as { readonly found?: unknown } | null)?.found === 'nowhere';
    if (isNowhere) currentProcess().exitCode = 5;
    if (flags.json === true) await printJson(found.data);
    else {
      if (found.lines.length > 0)
        await print(found.lines.map((line) => line.replace(/\bev-[0-9a-f]{10} /, '')).join('\n'));
      else await tell(found.nothing);
      for (const note of found.notes) await tellNote(note);
    }
  } finally {
    await symbols.close();
  }
}

const withFlags = (command: Command, jsonShape: string, limited = 'entries'): Command =>
  command
    .addOption(scopeOption())
    .addOption(new Option('--limit <n>', `maximum number of ${limited}`))
    .addOption(new Option('--max-tokens <n>', 'approximate maximum length of the listing, in tokens'))
    .addOption(
      jsonOption(
        `print one JSON object of ${jsonShape}; why: reasons why the list is incomplete; cut: whether a limit shortened it`,
      ),
    );

const withServers = (command: Command): Command =>
  command.addOption(settingOption('language_servers', 'languages'));

const rows = '{symbol, completeness, why, files, rows, evidence, cut}';
const symbolForms = 'name, Class.method or path#name';

/** A git revision never begins like a path. */
const looksLikeFolder = (text: string): boolean =>
  /^(?:\/|\.{1,2}(?:\/|$)|~\/)/.test(text) && existsSync(text);

export function symbolCommands(): readonly Command[] {
  return [
    withFlags(
      new Command('outline')
        .description('list the definitions in a file with their lines, inner ones below outer ones')
        .argument('<file>', 'relative to the folder')
        .argument('[folder]', 'the folder', '.'),
      '{path, completeness, why, items, cut}',
    ).action((file: string, path: string, flags: Flags) => ask('outline', path, flags, { file_path: file })),
    withFlags(
      withServers(
        new Command('refs')
          .description('list the uses of a definition, how certain each is, and whether the list is complete')
          .argument('<symbol>', symbolForms)
          .argument('[folder]', 'the folder', '.')
          .option('--calls', 'calls only'),
      ),
      rows,
    ).action((symbol: string, path: string, flags: Flags & { readonly calls?: true }) =>
      ask('find_references', path, flags, { symbol, calls: flags.calls }),
    ),
    withFlags(
      withServers(
        new Command('impact')
          .description('list what a change can break: uses, their uses, and tests')
          .argument('[symbol]', `${symbolForms}; not with --diff`)
          .argument('[folder]', 'the folder', '.')
          .option(
            '--diff [rev]',
            'start from everything that changed in the working tree since a git revision (default: HEAD), in place of a symbol',
          ),
      ),
      '{symbol, diff, changed, completeness, why, files, rows, tests, evidence, cut}',
    ).action((symbol: string | undefined, path: string, flags: Flags & { readonly diff?: true | string }) => {
      if (flags.diff === undefined) return ask('find_impact', path, flags, { symbol });
      // With --diff, a single positional argument is the folder; so is a path where a revision could stand.
      const { diff } = flags;
      if (diff !== true && symbol === undefined && looksLikeFolder(diff))
        return ask('find_impact', diff, flags, { diff: 'HEAD' });
      const done = ask('find_impact', symbol ?? path, flags, { diff: diff === true ? 'HEAD' : diff });
      if (diff === true || symbol !== undefined || !existsSync(diff)) return done;
      return done.catch((error: unknown) => {
        if (!(error instanceof SondeError) || error.code !== 'bad_argument') throw error;
        throw new SondeError('bad_argument', {
          message: `--diff took ${JSON.stringify(diff)} for a revision: ${error.message}`,
          remedy: `For the folder: --diff=REV ${diff}, or --diff -- ${diff}.`,
        });
      });
    }),
    withFlags(
      new Command('path')
        .description('find a chain of calls that leads from one definition to another')
        .argument('<from>', symbolForms)
        .argument('<to>', symbolForms)
        .argument('[folder]', 'the folder', '.'),
      '{from, to, completeness, why, steps, cut}',
      'calls in the chain',
    ).action((from: string, to: string, path: string, flags: Flags) =>
      ask('trace_path', path, flags, { from, to }),
    ),
    withFlags(
      withServers(
        new Command('hover')
          .description('show the signature of a definition and its doc comment')
          .argument('<symbol>', symbolForms)
          .argument('[folder]', 'the folder', '.'),
      ),
      '{symbol, completeness, why, definitions, cut}',
    ).action((symbol: string, path: string, flags: Flags) => ask('hover', path, flags, { symbol })),
    withFlags(
      new Command('tree')
        .description('list the folders and files below a folder')
        .argument('[folder]', 'the folder', '.')
        .option('--glob <glob>', 'only paths that match; the same as --scope')
        .option('--depth <n>', 'levels of folders'),
      '{files, rows, completeness, why, cut}',
    ).action((path: string, flags: Flags & { readonly glob?: string; readonly depth?: string }) =>
      ask('list_tree', path, { ...flags, scope: flags.scope ?? flags.glob } as Flags, {
        depth: numberOf('--depth', flags.depth),
      }),
    ),
    withFlags(
      withServers(
        new Command('expand')
          .description('list what a definition calls, is called by, imports and inherits')
          .argument('<symbol>', symbolForms)
          .argument('[folder]', 'the folder', '.')
          .option(
            '--along <edges>',
            'which relations to follow, comma-separated: calls, called-by, imports, inherits',
          ),
      ),
      rows,
    ).action((symbol: string, path: string, flags: Flags & { readonly along?: string }) =>
      ask('expand_symbol', path, flags, { symbol, along: flags.along }),
    ),
  ];
}
