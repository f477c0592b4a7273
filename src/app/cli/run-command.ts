/** The command of a kind of run: its own arguments and flags, and those that all of them have. */
import { Command, Option } from 'commander';
import type { SettingKey } from '../config/index.ts';
import type { Asked, GivenFlags, Kind, RunOption } from '../runs/run-kind.ts';
import { jsonOption, settingOption } from './flags.ts';

const forAll: readonly RunOption[] = [
  { setting: 'max_tokens', placeholder: 'n' },
  { setting: 'max_usd', placeholder: 'x' },
  { setting: 'max_time', placeholder: 'duration' },
  { setting: 'model', placeholder: 'name' },
];

function optionOf(option: RunOption): Option {
  if ('flag' in option) return new Option(option.flag, option.what);
  const made = settingOption(option.setting, option.placeholder);
  return option.conflicts === undefined ? made : made.conflicts([...option.conflicts]);
}

export function runCommand(kind: Kind): Command {
  const { name, description, arguments: positional, options, json, request } = kind.command;
  const command = new Command(name).description(description);
  for (const { name, what, default: usual } of positional) command.argument(name, what, usual);
  const made = [...options, ...forAll].map((option) => ({ option, flag: optionOf(option) }));
  for (const { flag } of made) command.addOption(flag);
  return command
    .addOption(jsonOption(json))
    .option('--debug', 'show every event on standard error')
    .action(async (...given: unknown[]) => {
      const flags = given[positional.length] as GivenFlags;
      const asked = await request(given.slice(0, positional.length) as (string | undefined)[], flags);
      // As the loader of settings takes them: by the names of the settings.
      const settings: Partial<Record<SettingKey, unknown>> = {};
      for (const { option, flag } of made)
        if ('setting' in option) {
          const value = flags[flag.attributeName()];
          if (value !== undefined) settings[option.setting] = value;
        }
      const { showRun } = await import('./show-run.ts');
      await showRun({ json: flags['json'] === true, debug: flags['debug'] === true }, (watch) =>
        kind.start({ ...asked, settings, ...watch } as Asked),
      );
    });
}
