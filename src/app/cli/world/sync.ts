import { Command } from 'commander';
import { currentProcess } from '../../current-process.ts';
import { jsonOption } from '../flags.ts';
import { type WorldFlags, workspaceOption } from './flags.ts';

interface SyncFlags extends WorldFlags {
  readonly watch?: true;
  readonly dryRun?: true;
  readonly into?: string;
  readonly deleteMissing?: true;
}

export function syncCommand(): Command {
  return new Command('sync')
    .description(
      'synchronise a folder of notes with the pages of a workspace, both ways; conflicts wait in the inbox (exit status 3)',
    )
    .argument('<folder>', 'the notes: an Obsidian vault, or any folder of .md files')
    .option('--watch', 'keep running, and synchronise whenever either side changes')
    .option('--dry-run', 'write nothing; show what would change')
    .option('--into <page>', 'synchronise only with the pages below this path')
    .option(
      '--delete-missing',
      'delete the pages of missing notes even if more than half of the notes are missing (by default the command then refuses, in case a disk is not mounted)',
    )
    .addOption(workspaceOption())
    .addOption(
      jsonOption(
        'print the report as one JSON object; with --watch, one object per pass, each on its own line',
      ),
    )
    .action(async (folder: string, flags: SyncFlags) => {
      const { SondeError } = await import('../../../core/index.ts');
      if (flags.watch === true && flags.dryRun === true)
        throw new SondeError('bad_argument', {
          message: '--watch and --dry-run cannot be combined',
          remedy: 'Give one of them.',
        });
      const { resolve } = await import('node:path');
      const { existsSync } = await import('node:fs');
      const { openWorkspace, workspacePath } = await import('../../workspace/workspace.ts');
      const { syncText, exitCodeOfSync } = await import('./sync-text.ts');
      const { print, printJson, tell } = await import('../terminal.ts');
      const { listenForInterrupt } = await import('../interrupt.ts');
      const { progressCounter } = await import('./progress.ts');
      const syncOptions = {
        root: resolve(folder),
        deleteMissing: flags.deleteMissing === true,
        ...(flags.into !== undefined && { into: flags.into }),
      };
      const workspaceFile = workspacePath(flags.workspace);
      // A dry run creates no workspace.
      const workspace = await openWorkspace(
        flags.dryRun !== true || existsSync(workspaceFile) ? workspaceFile : ':memory:',
      );
      const interrupt = listenForInterrupt();
      const { signal } = interrupt;
      try {
        if (flags.watch === true) {
          const { messageOf } = await import('../../../core/index.ts');
          await workspace.watch({
            ...syncOptions,
            signal,
            onPass: (report) =>
              void (flags.json === true ? printJson(report) : print(`${syncText(report)}\n`)),
            onFailure: (error) => void tell(messageOf(error)),
          });
          return;
        }
        const report = await workspace.sync({
          ...syncOptions,
          signal,
          dryRun: flags.dryRun === true,
          onProgress: progressCounter('files'),
        });
        currentProcess().exitCode = signal.aborted ? 130 : exitCodeOfSync(report);
        await (flags.json === true ? printJson(report) : print(syncText(report)));
      } finally {
        interrupt.dispose();
        workspace.close();
      }
    });
}
