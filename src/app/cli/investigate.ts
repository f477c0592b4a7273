import { readFileSync, statSync } from 'node:fs';
import { Command, Option } from 'commander';
import { SondeError } from '../../core/index.ts';
import { jsonOption, scopeOption, settingOption } from './flags.ts';
import { type AskFlags, runSettings } from './run-settings.ts';

interface InvestigateFlags extends AskFlags {
  readonly workspace?: string;
  readonly context?: string;
  readonly schema?: string;
  readonly depth?: string;
  readonly propose?: true;
}

export function investigateCommand(): Command {
  return new Command('investigate')
    .description(
      'answer a question by code that a model writes and a sandbox runs: counting, comparing, following many steps',
    )
    .argument('<prompt>', 'what is to be found out')
    .argument('[path]', 'the folder to look into; the current one where no workspace is named')
    .addOption(settingOption('workspace', 'name').conflicts(['scope']))
    .addOption(new Option('--context <file>', 'a file that is passed along: in the sandbox as `context`'))
    .addOption(new Option('--schema <file>', 'a JSON Schema: the answer is a value of that form'))
    .addOption(new Option('--depth <n>', 'how deep investigations may nest, from 0 to 3; 1 without it'))
    .option('--propose', 'hand what it proposes to the workspace, as candidates that wait for you')
    .addOption(scopeOption())
    .addOption(settingOption('steps', 'n'))
    .addOption(settingOption('max_tokens', 'n'))
    .addOption(settingOption('max_usd', 'x'))
    .addOption(settingOption('max_time', 'duration'))
    .addOption(settingOption('model', 'name'))
    .addOption(jsonOption('print one JSON object of at most 4 KB and nothing else'))
    .option('--debug', 'show every event on standard error')
    .action(async (prompt: string, path: string | undefined, flags: InvestigateFlags) => {
      const place = placeFrom(path, flags);
      const given = {
        ...(flags.context !== undefined && { context: contextFrom(flags.context) }),
        ...(flags.schema !== undefined && { schema: schemaFrom(flags.schema) }),
        ...(flags.depth !== undefined && { depth: depthFrom(flags.depth) }),
      };
      const { investigate } = await import('../investigate.ts');
      const { crossProposals } = await import('../investigate-proposals.ts');
      const { showRun } = await import('./show-run.ts');
      const { tell } = await import('./terminal.ts');
      await showRun(flags, async (watch) => {
        const done = await investigate({
          prompt,
          ...place,
          ...given,
          scope: flags.scope,
          settings: runSettings(flags),
          ...watch,
        });
        if (flags.propose === true && done.investigation.result.status !== 'cancelled')
          for (const { id, outcome, detail } of await crossProposals(done.investigation, done.root))
            await tell(`${id} ${outcome}: ${detail}`);
        return done;
      });
    });
}

function placeFrom(path: string | undefined, { workspace, propose }: InvestigateFlags) {
  if (path !== undefined && workspace !== undefined)
    throw new SondeError('bad_argument', {
      message: 'Both a folder and a workspace are named',
      remedy: 'Name one of them.',
    });
  if (workspace !== undefined) return { workspace };
  if (propose === true)
    throw new SondeError('bad_argument', {
      message: 'Only an investigation of a workspace can propose changes',
      remedy: 'Leave --propose out, or name a workspace with --workspace.',
    });
  return { root: path ?? '.' };
}

function depthFrom(text: string): number {
  if (/^[0-3]$/.test(text)) return Number(text);
  throw new SondeError('bad_argument', {
    message: `--depth is ${JSON.stringify(text)}`,
    remedy: 'Allowed: a whole number from 0 to 3.',
  });
}

/** Bytes. */
const largestFile = 4_000_000;

/** JSON where it is that, else the text itself. */
function contextFrom(path: string): unknown {
  const text = textOf(path);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function schemaFrom(path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(textOf(path));
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Readonly<Record<string, unknown>>;
  } catch (error) {
    if (error instanceof SondeError) throw error;
  }
  throw new SondeError('bad_argument', {
    message: `${path} holds no JSON Schema`,
    remedy: 'Write one such as {"type": "integer"}.',
  });
}

function textOf(path: string): string {
  try {
    const stats = statSync(path);
    if (stats.isFile() && stats.size <= largestFile) return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new SondeError('not_found', {
        message: `${path}: there is no such file`,
        remedy: 'Name a file.',
      });
    throw error;
  }
  throw new SondeError('bad_argument', {
    message: `${path} is not a file of at most ${largestFile} bytes`,
    remedy: 'Name a smaller file; larger material belongs into the folder that is searched.',
  });
}
