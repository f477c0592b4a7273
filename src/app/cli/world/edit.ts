import { Command } from 'commander';
import { jsonOption } from '../flags.ts';
import { type WorldFlags, workspaceOption } from './flags.ts';

interface EditFlags extends WorldFlags {
  readonly from?: string;
}

export function editCommand(): Command {
  return new Command('edit')
    .description(
      'edit a page in your own editor, or create it; what you save needs no approval, unlike a text of an agent',
    )
    .argument('<page>', 'its path, an alias or its id; /PATH for the page with exactly that path')
    .option('--from <file>', 'take the text from a file instead, - for standard input')
    .addOption(workspaceOption())
    .addOption(jsonOption('print one JSON object {page, path, change, deviations}'))
    .action(async (name: string, flags: EditFlags) => {
      const { withWorkspace } = await import('../../workspace/workspace.ts');
      const { editPage } = await import('./edit-page.ts');
      const { print, printJson } = await import('../terminal.ts');
      await withWorkspace(
        flags.workspace,
        async ({ world }) => {
          const { page, path, change, deviations } = await editPage(world, name, flags.from);
          if (flags.json === true) return printJson({ page, path, change, deviations });
          const outcomes = {
            created: 'made',
            updated: 'saved',
            unchanged: 'nothing changed',
            held: `somebody changed it meanwhile; your text waits: sonde world resolve ${deviations[0]}`,
          };
          await print(`${path}: ${outcomes[change]}`);
        },
        { make: true },
      );
    });
}
