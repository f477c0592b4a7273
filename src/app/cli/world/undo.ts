import { Command } from 'commander';
import { jsonOption } from '../flags.ts';
import { type WorldFlags, workspaceOption } from './flags.ts';

export function undoCommand(): Command {
  return new Command('undo')
    .description('undo an import, except for pages changed since; without an id, list the imports')
    .argument('[import]', 'the id of the import: imp-…')
    .addOption(workspaceOption())
    .addOption(jsonOption('print the report as one JSON object, or the imports as one JSON array'))
    .action(async (importId: string | undefined, flags: WorldFlags) => {
      const { withWorkspace } = await import('../../workspace/workspace.ts');
      const { undoText } = await import('./vault-text.ts');
      const { plainLine } = await import('../../../core/index.ts');
      const { print, printJson, tell } = await import('../terminal.ts');
      await withWorkspace(flags.workspace, async (workspace) => {
        if (importId !== undefined) {
          const report = await workspace.undo(importId);
          return flags.json === true ? printJson(report) : print(undoText(report));
        }
        const importRuns = await workspace.importRuns();
        if (flags.json === true) return printJson(importRuns);
        if (importRuns.length === 0) return tell('Nothing was imported yet.');
        await print(
          importRuns
            .map(({ run, root, started, finished, undone }) => {
              const state = undone !== null ? 'undone' : finished === null ? 'not finished' : 'finished';
              return `${run}  ${new Date(started).toISOString()}  ${state.padEnd(12)}  ${plainLine(root)}`;
            })
            .join('\n'),
        );
      });
    });
}
