/** Commands about the definitions in a folder. */
import { existsSync } from 'node:fs';
import { Command, Option } from 'commander';
import { SondeError } from '../../../core/index.ts';
import { currentProcess } from '../../current-process.ts';
import { jsonOption, scopeOption, settingOption } from '../flags.ts';

interface SymbolFlags {
  readonly scope?: string;
  readonly limit?: string;
  readonly maxTokens?: string;
  readonly json?: true;
  readonly servers?: string;
}

type LookupArgs = Readonly<Record<string, unknown>>;

const parseNumber = (flag: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new SondeError('bad_argument', {
    message: `${flag} is ${JSON.stringify(text)}, not a whole number`,
    remedy: 'Give a whole number.',
  });
};

/** Leaves out flags that the user did not give, so that the defaults of the lookup apply. */
const omitAbsent = (args: LookupArgs): LookupArgs =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));

/** Remedies for errors of lookups without one. They name commands, so MCP clients and the sandbox do not get them. */
const remedies: Readonly<Record<string, string>> = {
  outline: 'Give a file relative to the folder; sonde tree lists what is there.',
};

async function lookUp(
  name: string,
  root: string,
  flags: SymbolFlags,
  commandArgs: LookupArgs,
): Promise<void> {
  const args = omitAbsent({
    ...commandArgs,
    scope: flags.scope,
    limit: parseNumber('--limit', flags.limit),
    max_tokens: parseNumber('--max-tokens', flags.maxTokens),
  });
  const { openSymbolLookup } = await import('../../search/symbols.ts');
  const { print, printJson, tell, tellNote } = await import('../terminal.ts');
  const symbols = await openSymbolLookup(root, flags);
  try {
    const outcome = await symbols.ask(name, args);
    for (const note of symbols.notes) await tellNote(note);
    if (outcome.kind === 'failed') {
      const isAmbiguous = outcome.details?.['found'] === 'ambiguous';
      throw new SondeError(
        isAmbiguous ? 'ambiguous' : outcome.details?.['found'] === 'undefined' ? 'not_found' : 'bad_argument',
        {
          message: outcome.message,
          remedy: outcome.remedy ?? remedies[name] ?? 'See sonde --help.',
          ...(outcome.details && { details: outcome.details }),
        },
      );
    }
    const isNowhere = (outcome.data as { readonly found?: unknown } | null)?.found === 'nowhere';
    if (isNowhere) currentProcess().exitCode = 5;
    if (flags.json === true) await printJson(outcome.data);
    else {
      if (outcome.lines.length > 0)
        await print(outcome.lines.map((line) => line.replace(/\bev-[0-9a-f]{10} /, '')).join('\n'));
      else await tell(outcome.nothing);
      for (const note of outcome.notes) await tellNote(note);
    }
  } finally {
    await symbols.close();
  }
}

const addListingOptions = (command: Command, jsonShape: string, countedThings = 'entries'): Command =>
  command
    .addOption(scopeOption())
    .addOption(new Option('--limit <n>', `maximum number of ${countedThings}`))
    .addOption(new Option('--max-tokens <n>', 'approximate maximum length of the listing, in tokens'))
    .addOption(
      jsonOption(
        `print one JSON object of ${jsonShape}; why: reasons why the list is incomplete; cut: whether a limit shortened it`,
      ),
    );

const addServersOption = (command: Command): Command =>
  command.addOption(settingOption('language_servers', 'languages'));

const rowsShape = '{symbol, completeness, why, files, rows, evidence, cut}';
const symbolForms = 'name, Class.method or path#name';

/** True for an existing folder that is written like no git revision: it begins with /, ./, ../ or ~/. */
const looksLikeFolder = (text: string): boolean =>
  /^(?:\/|\.{1,2}(?:\/|$)|~\/)/.test(text) && existsSync(text);

export function symbolCommands(): readonly Command[] {
  return [
    addListingOptions(
      new Command('outline')
        .description('list the definitions in a file with their lines, inner ones below outer ones')
        .argument('<file>', 'path of the file, relative to the folder')
        .argument('[folder]', 'the folder to look into', '.'),
      '{path, completeness, why, items, cut}',
    ).action((file: string, folder: string, flags: SymbolFlags) =>
      lookUp('outline', folder, flags, { file_path: file }),
    ),
    addListingOptions(
      addServersOption(
        new Command('refs')
          .description('list the uses of a definition, how certain each is, and whether the list is complete')
          .argument('<symbol>', symbolForms)
          .argument('[folder]', 'the folder to look into', '.')
          .option('--calls', 'list only calls'),
      ),
      rowsShape,
    ).action((symbol: string, folder: string, flags: SymbolFlags & { readonly calls?: true }) =>
      lookUp('find_references', folder, flags, { symbol, calls: flags.calls }),
    ),
    addListingOptions(
      addServersOption(
        new Command('impact')
          .description('list what a change of a definition can break: its uses, their uses, and tests')
          .argument('[symbol]', `${symbolForms}; not with --diff`)
          .argument('[folder]', 'the folder to look into', '.')
          .option(
            '--diff [rev]',
            'start from everything that changed in the working tree since a git revision (default: HEAD), in place of a symbol',
          ),
      ),
      '{symbol, diff, changed, completeness, why, files, rows, tests, evidence, cut}',
    ).action(
      (
        symbol: string | undefined,
        folder: string,
        flags: SymbolFlags & { readonly diff?: true | string },
      ) => {
        if (flags.diff === undefined) return lookUp('find_impact', folder, flags, { symbol });
        // With --diff, a single positional argument is the folder. So is a value of --diff that looks like a folder.
        const { diff } = flags;
        if (diff !== true && symbol === undefined && looksLikeFolder(diff))
          return lookUp('find_impact', diff, flags, { diff: 'HEAD' });
        const lookup = lookUp('find_impact', symbol ?? folder, flags, {
          diff: diff === true ? 'HEAD' : diff,
        });
        if (diff === true || symbol !== undefined || !existsSync(diff)) return lookup;
        return lookup.catch((error: unknown) => {
          if (!(error instanceof SondeError) || error.code !== 'bad_argument') throw error;
          throw new SondeError('bad_argument', {
            message: `--diff took ${JSON.stringify(diff)} for a revision: ${error.message}`,
            remedy: `To name the folder: --diff=REV ${diff}, or --diff -- ${diff}.`,
          });
        });
      },
    ),
    addListingOptions(
      new Command('path')
        .description('find a chain of calls that leads from one definition to another')
        .argument('<from>', symbolForms)
        .argument('<to>', symbolForms)
        .argument('[folder]', 'the folder to look into', '.'),
      '{from, to, completeness, why, steps, cut}',
      'calls in the chain',
    ).action((from: string, to: string, folder: string, flags: SymbolFlags) =>
      lookUp('trace_path', folder, flags, { from, to }),
    ),
    addListingOptions(
      addServersOption(
        new Command('hover')
          .description('show the signature of a definition and its doc comment')
          .argument('<symbol>', symbolForms)
          .argument('[folder]', 'the folder to look into', '.'),
      ),
      '{symbol, completeness, why, definitions, cut}',
    ).action((symbol: string, folder: string, flags: SymbolFlags) =>
      lookUp('hover', folder, flags, { symbol }),
    ),
    addListingOptions(
      new Command('tree')
        .description('list the folders and files below a folder')
        .argument('[folder]', 'the folder to look into', '.')
        .option('--glob <glob>', 'only paths that match; the same as --scope')
        .option('--depth <n>', 'maximum levels of folders'),
      '{files, rows, completeness, why, cut}',
    ).action((folder: string, flags: SymbolFlags & { readonly glob?: string; readonly depth?: string }) =>
      lookUp('list_tree', folder, { ...flags, scope: flags.scope ?? flags.glob } as SymbolFlags, {
        depth: parseNumber('--depth', flags.depth),
      }),
    ),
    addListingOptions(
      addServersOption(
        new Command('expand')
          .description('list what a definition calls, is called by, imports and inherits')
          .argument('<symbol>', symbolForms)
          .argument('[folder]', 'the folder to look into', '.')
          .option(
            '--along <edges>',
            'which relations to follow, comma-separated: calls, called-by, imports, inherits',
          ),
      ),
      rowsShape,
    ).action((symbol: string, folder: string, flags: SymbolFlags & { readonly along?: string }) =>
      lookUp('expand_symbol', folder, flags, { symbol, along: flags.along }),
    ),
  ];
}
