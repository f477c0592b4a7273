import { Command } from 'commander';
import { currentProcess } from '../../current-process.ts';
import { jsonOption } from '../flags.ts';
import { type WorldFlags, workspaceOption } from './flags.ts';

interface ExportFlags extends WorldFlags {
  readonly under?: string;
  readonly replace?: true;
}

export function exportCommand(): Command {
  return new Command('export')
    .description(
      'write the pages of a workspace as Markdown files; imported pages that were not changed are written exactly as imported',
    )
    .argument('<folder>', 'an empty folder, or one that does not exist yet')
    .option('--under <page>', 'only this page and the pages below it')
    .option(
      '--replace',
      'write into a folder that has files: replaces files of the same name, but keeps and lists those edited in the folder',
    )
    .addOption(workspaceOption())
    .addOption(jsonOption('print the report as one JSON object'))
    .action(async (folder: string, flags: ExportFlags) => {
      const { resolve } = await import('node:path');
      const { withWorkspace } = await import('../../workspace/workspace.ts');
      const { exportText } = await import('./vault-text.ts');
      const { progressCounter } = await import('./progress.ts');
      const { print, printJson } = await import('../terminal.ts');
      await withWorkspace(flags.workspace, async (workspace) => {
        const report = await workspace.export({
          to: resolve(folder),
          replace: flags.replace === true,
          onProgress: progressCounter('pages'),
          ...(flags.under !== undefined && { under: flags.under }),
        });
        if (report.problems.length > 0) currentProcess().exitCode = 1;
        await (flags.json === true ? printJson(report) : print(exportText(report)));
      });
    });
}
