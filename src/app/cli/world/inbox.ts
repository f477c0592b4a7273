import { Command, Option } from 'commander';
import { jsonOption } from '../flags.ts';
import { countOf, type WorldFlags, workspaceOption } from './flags.ts';

interface InboxFlags extends WorldFlags {
  readonly limit?: string;
}

export function inboxCommand(): Command {
  return new Command('inbox')
    .description('what waits for you: candidates, deviations and flags, those of most standing first')
    .argument('[id]', 'one of them, whole')
    .addOption(new Option('--limit <n>', 'most of them; 20 without it'))
    .addOption(workspaceOption())
    .addOption(
      jsonOption('print one JSON array of {kind, id, content_id, path, standing, at, before, after, note}'),
    )
    .action(async (id: string | undefined, flags: InboxFlags) => {
      const { withWorkspace } = await import('../../world.ts');
      const { waiting } = await import('../../world-author.ts');
      const { itemText } = await import('./inbox-text.ts');
      const { print, printJson, tell } = await import('../terminal.ts');
      const limit = countOf('--limit', flags.limit, 20);
      await withWorkspace(flags.workspace, async ({ world }) => {
        const items = id === undefined ? world.inbox(limit + 1) : [waiting(world, id)];
        const shown = items.slice(0, limit);
        if (flags.json === true) return printJson(shown);
        if (shown.length === 0) return tell('Nothing waits for you.');
        await print(shown.map((item) => itemText(item, id === undefined ? 'short' : 'whole')).join('\n\n'));
        if (items.length > limit)
          await tell(`note: there are more; --limit ${limit * 10} shows more of them`);
      });
    });
}
