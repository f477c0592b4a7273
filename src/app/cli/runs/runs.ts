import { Command } from 'commander';
import { jsonOption, settingOption } from '../flags.ts';

export function runsCommand(): Command {
  return new Command('runs')
    .description('list the runs, and the turns of conversations, newest first')
    .addOption(settingOption('workspace', 'name'))
    .addOption(jsonOption('print one JSON array'))
    .action(async (flags: { readonly json?: true; readonly workspace?: string }) => {
      const { listAllRuns } = await import('../../runs/runs.ts');
      const { plainLine } = await import('../../../core/index.ts');
      const { print, printJson, tell } = await import('../terminal.ts');
      const runs = await listAllRuns(flags.workspace);
      if (flags.json === true) return printJson(runs);
      if (runs.length === 0) return tell('No runs yet. Start one with sonde ask "QUESTION" PATH.');
      await print(
        runs
          .map(
            (run) =>
              `${run.run_id}  ${run.created}  ${run.state.padEnd(11)}  ${run.holder === null ? '' : `process ${run.holder.pid}: `}${plainLine(run.question).slice(0, 80)}`,
          )
          .join('\n'),
      );
    });
}
