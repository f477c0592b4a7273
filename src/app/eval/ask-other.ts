/** Asks the questions of a set by the CLI of another checkout, so that one revision can measure another. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SondeError } from '../../core/index.ts';
import { type Directories, processEnvironment, userConfigFile } from '../config/index.ts';
import { type AskRow, findEvalAdapter, type RowRequest, toSetQuestion } from './ask-row.ts';

const maxOutputBytes = 64 * 1024 * 1024;

export interface OtherSonde {
  readonly ask: AskRow;
  readonly version: string;
}

/**
 * Makes a separate SONDE_HOME for another revision, with the user's settings. Otherwise an older revision could not open
 * the runs of this one, and each would rebuild the other's indexes.
 */
function prepareHome(folder: string, directories: Directories): string {
  const name = createHash('sha256').update(resolve(folder)).digest('hex').slice(0, 16);
  const home = join(directories.cache, 'eval', 'other', name);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const settings = join(home, 'sonde.json');
  rmSync(settings, { force: true });
  if (existsSync(userConfigFile(directories))) symlinkSync(userConfigFile(directories), settings);
  return home;
}

/** Throws `not_found` if there is no Sonde in the folder. */
export async function openOtherSonde(folder: string, directories: Directories): Promise<OtherSonde> {
  const program = join(folder, 'bin', 'sonde.mjs');
  if (!existsSync(program))
    throw new SondeError('not_found', {
      message: `${program}: there is no such file`,
      remedy: 'Name a checkout of Sonde in which npm ci was run.',
    });
  const ownNode = join(folder, 'node_modules', '.bin', 'node');
  const node = existsSync(ownNode) ? ownNode : process.execPath;
  const env = { ...processEnvironment(), SONDE_HOME: prepareHome(folder, directories) };
  const runCommand = (args: readonly string[], signal?: AbortSignal): Promise<string> =>
    new Promise((succeed, fail) => {
      const options = { env, maxBuffer: maxOutputBytes, ...(signal && { signal }) };
      execFile(node, [program, ...args], options, (error, stdout, stderr) => {
        // A command may print a result and exit with another code than 0.
        if (error === null || stdout.trim() !== '') succeed(stdout);
        else
          fail(
            new SondeError('tool_failed', {
              message: `The other Sonde ended without a result: ${stderr.trim().slice(-500) || error.message}`,
              remedy: `Try it by hand: ${program} ${args[0]}.`,
            }),
          );
      });
    });
  const runJson = async (args: readonly string[], signal?: AbortSignal): Promise<unknown> =>
    JSON.parse(await runCommand(args, signal));
  return {
    version: (await runCommand(['--version'])).trim(),
    async ask(request) {
      const started = performance.now();
      const result = (await runJson([...commandArguments(request), '--json'], request.signal)) as {
        readonly run_id?: string;
      };
      const ms = Math.round(performance.now() - started);
      const { run_id: id } = result;
      if (id === undefined)
        throw new SondeError('tool_failed', {
          message: `The other Sonde gave no result: ${JSON.stringify(result).slice(0, 500)}`,
          remedy: 'Ask the question by hand with that Sonde.',
        });
      request.onRun(id);
      return {
        result,
        evidence: await runJson(['show', id, '--evidence']),
        trace: await runJson(['show', id, '--trace']),
        ms,
      };
    },
  };
}

function commandArguments({ row, folder, settings }: RowRequest): readonly string[] {
  const flags = Object.entries(settings).flatMap(([name, value]) => [
    `--${name.replaceAll('_', '-')}`,
    String(value),
  ]);
  return [...findEvalAdapter(row).args(toSetQuestion(row, folder)), ...flags];
}
