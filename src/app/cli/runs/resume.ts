import { Command } from 'commander';
import { jsonOption } from '../flags.ts';

export function resumeCommand(): Command {
  return new Command('resume')
    .description('continue a run that a crash or Ctrl-C interrupted; nothing is paid twice')
    .argument('<run>', 'the run, or the beginning of its id')
    .addOption(jsonOption('print one JSON object and nothing else'))
    .option('--debug', 'show every event of the run on standard error')
    .action(async (run: string, flags: { readonly json?: true; readonly debug?: true }) => {
      const { resume } = await import('../../runs/resume.ts');
      const { runInTerminal } = await import('./run-in-terminal.ts');
      await runInTerminal(flags, (watch) => resume({ run, ...watch }));
    });
}
