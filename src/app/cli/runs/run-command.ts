/** The command of a kind of run: its own arguments and flags, and those that all of them have. */
import { Command, Option } from 'commander';
import { factsOf, formatDuration, type SettingKey, thisUser } from '../../config/index.ts';
import type { GivenFlags, KindRequest, RunKind, RunOption } from '../../runs/run-kind.ts';
import { jsonOption, settingOption, withLimits } from '../flags.ts';

/**
 * Flags about the model. Every kind of run accepts them, so that a script can give them to any; the help of a kind that
 * calls no model hides them.
 */
const modelFlags: readonly string[] = ['--model', '--max-tokens', '--max-usd'];

/** Settings that every kind of run takes as flags. */
const commonSettings: readonly SettingKey[] = ['max_tokens', 'max_usd', 'max_time', 'model'];

function optionOf(option: RunOption): Option {
  if ('flag' in option) return new Option(option.flag, option.what);
  const created = settingOption(option.setting, option.placeholder);
  return option.conflicts === undefined ? created : created.conflicts([...option.conflicts]);
}

export function runCommand(kind: RunKind): Command {
  const { name, description, arguments: positional, options, limits, json, request } = kind.command;
  const command = new Command(name).description(description);
  for (const { name, what, default: defaultValue } of positional) command.argument(name, what, defaultValue);
  for (const option of options) command.addOption(optionOf(option));
  const defaults = limits && {
    max_tokens: String(limits.max_tokens),
    max_time: formatDuration(limits.max_time),
  };
  const ownSettings = options.flatMap((option) => ('setting' in option ? [option.setting] : []));
  withLimits(command, 'the run', defaults).addOption(settingOption('model', 'name'));
  if (kind.asksNoModel === true)
    for (const option of command.options) option.hideHelp(modelFlags.includes(option.long ?? ''));
  return command
    .addOption(jsonOption(json))
    .option('--debug', 'show every event of the run on standard error')
    .action(async (...values: unknown[]) => {
      const flags = values[positional.length] as GivenFlags;
      const ownFields = await request(values.slice(0, positional.length) as (string | undefined)[], flags);
      // By the names of the settings, as the loader of settings takes them.
      const settings: Partial<Record<SettingKey, unknown>> = {};
      for (const name of [...ownSettings, ...commonSettings]) {
        const value = flags[new Option(factsOf(name).flag!).attributeName()];
        if (value !== undefined) settings[name] = value;
      }
      const { showRun } = await import('./show-run.ts');
      await showRun({ json: flags['json'] === true, debug: flags['debug'] === true }, (watch) =>
        kind.start({ ...ownFields, settings, by: thisUser(), ...watch } as KindRequest),
      );
    });
}
