/** Builds the command of a kind of run: its own arguments and flags, and those that all kinds share. */
import { Command, Option } from 'commander';
import { formatDuration, type SettingKey, specOf, thisUser } from '../../config/index.ts';
import type { GivenFlags, KindRequest, RunKind, RunOption } from '../../runs/run-kind.ts';
import { addLimitOptions, jsonOption, settingOption } from '../flags.ts';

/**
 * Flags about the model. Every kind of run accepts them, so that a script can pass them to any; a kind that calls no
 * model hides them in its help.
 */
const modelFlags: readonly string[] = ['--model', '--max-tokens', '--max-usd'];

/** Settings that every kind of run takes as flags. */
const commonSettings: readonly SettingKey[] = ['max_tokens', 'max_usd', 'max_time', 'model'];

function createOption(option: RunOption): Option {
  if ('flag' in option) return new Option(option.flag, option.what);
  const settingFlag = settingOption(option.setting, option.placeholder);
  return option.conflicts === undefined ? settingFlag : settingFlag.conflicts([...option.conflicts]);
}

export function runCommand(kind: RunKind): Command {
  const { name, description, arguments: positionals, options, limits, json, request } = kind.command;
  const command = new Command(name).description(description);
  for (const { name, what, default: defaultValue } of positionals) command.argument(name, what, defaultValue);
  for (const option of options) command.addOption(createOption(option));
  const limitDefaults = limits && {
    max_tokens: String(limits.max_tokens),
    max_time: formatDuration(limits.max_time),
  };
  const kindSettings = options.flatMap((option) => ('setting' in option ? [option.setting] : []));
  addLimitOptions(command, 'the run', limitDefaults).addOption(settingOption('model', 'name'));
  if (kind.asksNoModel === true)
    for (const option of command.options) option.hideHelp(modelFlags.includes(option.long ?? ''));
  return command
    .addOption(jsonOption(json))
    .option('--debug', 'show every event of the run on standard error')
    .action(async (...values: unknown[]) => {
      const flags = values[positionals.length] as GivenFlags;
      const requestFields = await request(
        values.slice(0, positionals.length) as (string | undefined)[],
        flags,
      );
      // Keyed by the names of the settings, as the settings loader expects.
      const settings: Partial<Record<SettingKey, unknown>> = {};
      for (const name of [...kindSettings, ...commonSettings]) {
        const value = flags[new Option(specOf(name).flag!).attributeName()];
        if (value !== undefined) settings[name] = value;
      }
      const { runInTerminal } = await import('./run-in-terminal.ts');
      await runInTerminal({ json: flags['json'] === true, debug: flags['debug'] === true }, (watch) =>
        kind.start({ ...requestFields, settings, by: thisUser(), ...watch } as KindRequest),
      );
    });
}
