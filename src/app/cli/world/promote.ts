import { Command } from 'commander';
import type { WorldOperation } from '../../../world/index.ts';
import { jsonOption } from '../flags.ts';
import { type WorldFlags, workspaceOption } from './flags.ts';

export const promoteCommand = (): Command =>
  act('promote', 'make what an agent wrote, or an import brought, yours: Canonical', 'is Canonical');

export const rejectCommand = (): Command =>
  act('reject', 'take a candidate away; its history is kept', 'was rejected');

function act(op: 'promote' | 'reject', description: string, done: string): Command {
  return new Command(op)
    .description(description)
    .argument('<content...>', 'pages or blocks: ids, or paths of pages')
    .addOption(workspaceOption())
    .addOption(jsonOption('print one JSON array of {content, write_id, applied}'))
    .action(async (names: readonly string[], flags: WorldFlags) => {
      const { withWorkspace } = await import('../../world.ts');
      const { namedContent, write } = await import('../../world-author.ts');
      const { print, printJson } = await import('../terminal.ts');
      await withWorkspace(flags.workspace, async ({ world }) => {
        const results: { content: string; write_id: string; applied: boolean }[] = [];
        const operations = names.map((name): WorldOperation => ({ op, content: namedContent(world, name) }));
        for (const operation of operations) {
          const { write_id, applied, content_ids } = await write(world, operation, `sonde world ${op}`);
          results.push({ content: content_ids[0]!, write_id, applied });
        }
        if (flags.json === true) return printJson(results);
        await print(names.map((name) => `${name} ${done}`).join('\n'));
      });
    });
}
