import { Command, Option } from 'commander';
import { jsonOption } from '../flags.ts';
import { parseCount, type WorldFlags, workspaceOption } from './flags.ts';

interface HistoryFlags extends WorldFlags {
  readonly limit?: string;
  readonly diff?: true;
}

export function historyCommand(): Command {
  return new Command('history')
    .description('list the changes of a page or a block, newest first')
    .argument('<page>', 'a page: its path, an alias or its id; or the id of a block')
    .option('--diff', 'show what was changed')
    .addOption(new Option('--limit <n>', 'maximum number of changes (default: 20)'))
    .addOption(workspaceOption())
    .addOption(jsonOption('print one JSON array of events with before and after'))
    .action(async (name: string, flags: HistoryFlags) => {
      const { withWorkspace } = await import('../../workspace/workspace.ts');
      const { readHistory, eventText } = await import('./event-text.ts');
      const { print, printJson } = await import('../terminal.ts');
      const limit = parseCount('--limit', flags.limit, 20);
      await withWorkspace(flags.workspace, async ({ world }) => {
        const events = readHistory(world, name, limit);
        if (flags.json === true) return printJson(events);
        await print(events.map((event) => eventText(event, flags.diff === true)).join('\n'));
      });
    });
}
