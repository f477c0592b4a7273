import { Command } from 'commander';
import { currentProcess } from '../../current-process.ts';
import { jsonOption } from '../flags.ts';
import type { DecisionOperation } from './decide.ts';
import { type WorldFlags, workspaceOption } from './flags.ts';

export const promoteCommand = (): Command =>
  decisionCommand(
    'promote',
    'accept candidates (texts of an agent or an import) as if you had written them',
    'is Canonical',
  );

export const rejectCommand = (): Command =>
  decisionCommand(
    'reject',
    'remove candidates (texts of an agent or an import that nobody has accepted yet); their history is kept',
    'was rejected',
  );

function decisionCommand(op: DecisionOperation['op'], description: string, outcome: string): Command {
  return new Command(op)
    .description(description)
    .argument('<content...>', 'pages or blocks: ids, optionally with a revision (pg-…@3), or paths of pages')
    .addOption(workspaceOption())
    .addOption(
      jsonOption(
        'print one JSON array of {content, write_id, applied}; with several arguments, one that could not be changed gives {content, applied: false, reason}',
      ),
    )
    .action(async (names: readonly string[], flags: WorldFlags) => {
      const { withWorkspace } = await import('../../workspace/workspace.ts');
      const { decideAll } = await import('./decide.ts');
      const { print, printJson, tell } = await import('../terminal.ts');
      await withWorkspace(flags.workspace, async ({ world }) => {
        const results = await decideAll(world, op, names);
        const refusedResults = results.filter((result) => !result.applied);
        if (refusedResults.length > 0) currentProcess().exitCode = 1;
        if (flags.json === true) return printJson(results);
        const lines = results.flatMap(({ applied }, index) =>
          applied ? [`${names[index]} ${outcome}`] : [],
        );
        if (lines.length > 0) await print(lines.join('\n'));
        for (const { content, reason } of refusedResults) await tell(`${content} ${reason}`);
      });
    });
}
