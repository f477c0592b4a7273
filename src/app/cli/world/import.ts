import { Command } from 'commander';
import { currentProcess } from '../../current-process.ts';
import { jsonOption } from '../flags.ts';
import { type WorldFlags, workspaceOption } from './flags.ts';

interface ImportFlags extends WorldFlags {
  readonly dryRun?: true;
  readonly into?: string;
  readonly deleteRemoved?: true;
}

export function importCommand(): Command {
  return new Command('import')
    .description(
      'import a folder of Markdown notes into a workspace; run it again to import only what changed',
    )
    .argument('<folder>', 'the notes: an Obsidian vault, or any folder of .md files')
    .option('--dry-run', 'write nothing; show what would change')
    .option('--into <page>', 'import the notes below this page')
    .option('--delete-removed', 'delete pages whose files are gone, unless somebody has changed them')
    .addOption(workspaceOption())
    .addOption(jsonOption('print the report as one JSON object'))
    .action(async (folder: string, flags: ImportFlags) => {
      const { resolve } = await import('node:path');
      const { existsSync } = await import('node:fs');
      const { openWorkspace, withWorkspace, workspacePath } = await import('../../workspace/workspace.ts');
      const { vaultAnalysisText, importText } = await import('./vault-text.ts');
      const { print, printJson } = await import('../terminal.ts');
      const importOptions = { root: resolve(folder), ...(flags.into !== undefined && { into: flags.into }) };
      if (flags.dryRun === true) {
        const workspaceFile = workspacePath(flags.workspace);
        const workspace = await openWorkspace(existsSync(workspaceFile) ? workspaceFile : ':memory:');
        try {
          const report = await workspace.analyse(importOptions);
          return await (flags.json === true ? printJson(report) : print(vaultAnalysisText(report)));
        } finally {
          workspace.close();
        }
      }
      const { listenForInterrupt } = await import('../interrupt.ts');
      const { progressCounter } = await import('./progress.ts');
      const interrupt = listenForInterrupt();
      try {
        const report = await withWorkspace(
          flags.workspace,
          (workspace) =>
            workspace.import({
              ...importOptions,
              deleteRemoved: flags.deleteRemoved === true,
              signal: interrupt.signal,
              onProgress: progressCounter('files'),
            }),
          { make: true },
        );
        await (flags.json === true ? printJson(report) : print(importText(report)));
        if (report.interrupted) currentProcess().exitCode = 130;
      } finally {
        interrupt.dispose();
      }
    });
}
