import { Command } from 'commander';
import { jsonOption, scopeOption, settingOption } from './flags.ts';
import { type AskFlags, runSettings } from './run-settings.ts';

export function askCommand(): Command {
  return new Command('ask')
    .description('ask a question about a folder; print a short answer whose citations were re-read')
    .argument('<question>', 'what you want to know')
    .argument('[path]', 'the folder to look into', '.')
    .addOption(scopeOption())
    .addOption(settingOption('steps', 'n'))
    .addOption(settingOption('max_tokens', 'n'))
    .addOption(settingOption('max_usd', 'x'))
    .addOption(settingOption('max_time', 'duration'))
    .addOption(settingOption('model', 'name'))
    .addOption(jsonOption('print one JSON object and nothing else'))
    .option('--debug', 'show every event on standard error')
    .action(async (question: string, path: string, flags: AskFlags) => {
      const { ask } = await import('../ask.ts');
      const { showRun } = await import('./show-run.ts');
      await showRun(flags, (watch) =>
        ask({ question, root: path, scope: flags.scope, settings: runSettings(flags), ...watch }),
      );
    });
}
