import { Command, Option } from 'commander';
import { jsonOption, settingOption } from './flags.ts';

interface ShowFlags {
  readonly trace?: true;
  readonly evidence?: true;
  readonly report?: true;
  readonly cells?: true;
  readonly json?: true;
  readonly workspace?: string;
}

export function showCommand(): Command {
  return new Command('show')
    .description('open a run: its report, its trace, its evidence or the code it ran')
    .argument('<run>', 'the run, or the beginning of its id')
    .addOption(settingOption('workspace', 'name'))
    .addOption(new Option('--trace', 'every step, as JSON').conflicts(['evidence', 'report', 'cells']))
    .addOption(
      new Option('--evidence', 'every piece of evidence, as JSON').conflicts(['trace', 'report', 'cells']),
    )
    .addOption(new Option('--report', 'the report, as Markdown (what is shown without a flag)'))
    .addOption(
      new Option('--cells', 'each cell of an investigation, with its calls and its output').conflicts([
        'report',
        'json',
      ]),
    )
    .addOption(
      jsonOption(
        'print one JSON object {run_id, state, holder, question, root, created, result}, and incident or investigation where it was one',
      ),
    )
    .action(async (run: string, flags: ShowFlags) => {
      const { openRun } = await import('../runs.ts');
      const { print, printJson } = await import('./terminal.ts');
      const view = await openRun(run, flags.workspace);
      if (flags.trace === true) return printJson(view.trace(), 2);
      if (flags.evidence === true) return printJson(view.evidence(), 2);
      if (flags.cells === true) return print(view.cells());
      if (flags.json === true) {
        const { run_id, state, holder, question, root, created, result } = view;
        return printJson({ run_id, state, holder, question, root, created, result, ...view.fields() });
      }
      await print(view.report());
    });
}
