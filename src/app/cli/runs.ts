import { Command } from 'commander';
import { jsonOption } from './flags.ts';

export function runsCommand(): Command {
  return new Command('runs')
    .description('list the runs, newest first')
    .addOption(jsonOption('print one JSON array'))
    .action(async (flags: { readonly json?: true }) => {
      const { listRuns } = await import('../runs.ts');
      const { plainLine } = await import('../../core/index.ts');
      const { print, printJson, tell } = await import('./terminal.ts');
      const runs = await listRuns();
      if (flags.json === true) return printJson(runs);
      if (runs.length === 0) return tell('No runs yet. Start one with sonde ask "QUESTION" PATH.');
      await print(
        runs
          .map(
            (run) =>
              `${run.run_id}  ${run.created}  ${run.state.padEnd(11)}  ${plainLine(run.question).slice(0, 80)}`,
          )
          .join('\n'),
      );
    });
}
