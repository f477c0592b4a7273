import { Command } from 'commander';
import { jsonOption } from '../flags.ts';

export function replayCommand(): Command {
  return new Command('replay')
    .description(
      'repeat a finished run from its log, without calling a model: the same answer and exit code. For a run that was stopped, print what it had found',
    )
    .argument('<run>', 'the run, or the beginning of its id')
    .addOption(jsonOption('print one JSON object and nothing else'))
    .option('--debug', 'show every event of the run on standard error')
    .action(async (run: string, flags: { readonly json?: true; readonly debug?: true }) => {
      const { replay } = await import('../../runs/resume.ts');
      const { runInTerminal } = await import('./run-in-terminal.ts');
      await runInTerminal(flags, (watch) => replay({ run, ...watch }));
    });
}
