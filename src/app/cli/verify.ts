import { Command } from 'commander';
import type { VerifiedLine } from '../../code/index.ts';
import { SondeError } from '../../core/index.ts';
import { currentProcess } from '../current-process.ts';
import { readStandardInput } from '../standard-input.ts';
import { jsonOption } from './flags.ts';

/** What is said of a citation that is not valid. */
const words: Readonly<Record<VerifiedLine['status'], string>> = {
  valid: 'valid',
  changed: 'changed',
  missing_file: 'missing file',
  out_of_range: 'out of range',
  quote_not_found: 'quote not there',
  not_read: 'not read',
  outside_root: 'outside the folder',
  not_text: 'not a text',
  bad_line: 'bad line',
};

export function verifyCommand(): Command {
  return new Command('verify')
    .description(
      'check the citations of any tool’s answer against the files: JSON lines of {path, start, end, quote?}',
    )
    .argument('<file>', 'a file of JSON lines, or - for standard input')
    .option('--path <dir>', 'the folder that the paths are relative to', '.')
    .addOption(jsonOption('print one object a line, in the order of the input'))
    .addHelpText(
      'after',
      '\nExit status: 0 where every citation is valid, 1 where one is not, 2 for wrong usage.',
    )
    .action(async (file: string, flags: { readonly path: string; readonly json?: true }) => {
      const { resolveRoot } = await import('../root.ts');
      const { treeReader, verifyLines } = await import('../../code/index.ts');
      const { print, printJson } = await import('./terminal.ts');
      const { loadConfiguration, processEnvironment } = await import('../config/index.ts');
      const { openMasker } = await import('../masking.ts');
      const environment = processEnvironment();
      const { PATH: searchPath } = environment;
      const mask = () => openMasker(loadConfiguration({ environment }));
      const reader = treeReader({
        root: resolveRoot(flags.path),
        ...(searchPath !== undefined && { git: { searchPath } }),
      });
      const counts = new Map<VerifiedLine['status'], number>();
      for await (const result of verifyLines(await inputText(file), reader, mask)) {
        counts.set(result.status, (counts.get(result.status) ?? 0) + 1);
        if (flags.json === true) await printJson(result);
        else if (result.status !== 'valid') await print(await sentence(result));
      }
      if (flags.json !== true) await print(summary(counts));
      // Kept for broken citations: what the user typed was fine, and so is the program.
      if ([...counts.keys()].some((status) => status !== 'valid')) currentProcess().exitCode = 1;
    });
}

async function sentence(result: VerifiedLine): Promise<string> {
  const { plainLine } = await import('../../core/index.ts');
  const { line, path, start, end, status, found, reason, note } = result;
  const place = path === null ? `line ${line} of the input` : `${path}:${start}-${end}`;
  const now = found === undefined ? '' : ` It stands at ${path}:${found.start}-${found.end}.`;
  return plainLine(`${place} ${words[status]}: ${reason ?? ''}${now}${note === undefined ? '' : ` ${note}`}`);
}

function summary(counts: ReadonlyMap<VerifiedLine['status'], number>): string {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const rest = [...counts]
    .filter(([status]) => status !== 'valid')
    .sort((a, b) => b[1] - a[1])
    .map(([status, count]) => `${count} ${words[status]}`);
  const valid = `${counts.get('valid') ?? 0} of ${total} citations valid`;
  return rest.length === 0 ? `${valid}.` : `${valid}; ${rest.join(', ')}.`;
}

async function inputText(file: string): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  if (file === '-') return (await readStandardInput()).toString('utf8');
  try {
    return await readFile(file, 'utf8');
  } catch (thrown) {
    throw new SondeError('not_found', {
      message: `${file} cannot be read: ${(thrown as NodeJS.ErrnoException).code ?? 'unknown reason'}`,
      remedy: 'Name a file of JSON lines, or - for standard input.',
      cause: thrown,
    });
  }
}
