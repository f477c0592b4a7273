import { Command, Option } from 'commander';
import { jsonOption } from '../flags.ts';
import { type WorldFlags, workspaceOption } from './flags.ts';

export interface ResolveFlags extends WorldFlags {
  readonly accept?: true;
  readonly keep?: true;
  readonly text?: string;
  readonly note?: string;
}

export function resolveCommand(): Command {
  return new Command('resolve')
    .description(
      'decide on a deviation (a change that waits for you), or clear a flag (a warning on a text) that you have looked at',
    )
    .argument(
      '<id>',
      'id of the deviation or flag, from sonde world inbox; add @N to decide only if it is still at revision N',
    )
    .addOption(new Option('--accept', 'accept the submitted text').conflicts(['keep', 'text']))
    .addOption(new Option('--keep', 'keep the present text').conflicts(['accept', 'text']))
    .addOption(
      new Option('--text <file>', 'write the text of this file instead; - for standard input').conflicts([
        'accept',
        'keep',
      ]),
    )
    .option('--note <text>', 'your reason, for the history')
    .addOption(workspaceOption())
    .addOption(jsonOption('print one JSON object {id, decision, write_id, content_ids}'))
    .action(async (id: string, flags: ResolveFlags) => {
      const { withWorkspace } = await import('../../workspace/workspace.ts');
      const { resolveItem } = await import('./resolve-item.ts');
      const { print, printJson } = await import('../terminal.ts');
      await withWorkspace(flags.workspace, async ({ world }) => {
        const result = await resolveItem(world, id, flags);
        if (flags.json === true) return printJson(result);
        await print(`${id}: ${result.decision}`);
      });
    });
}
