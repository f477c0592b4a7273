/** The command of a kind of run: its own arguments and flags, and those that all of them have. */
import { Command, Option } from 'commander';
import { factsOf, formatDuration, type SettingKey, thisUser } from '../../config/index.ts';
import type { GivenFlags, KindRequest, RunKind, RunOption } from '../../runs/run-kind.ts';
import { jsonOption, settingOption, withLimits } from '../flags.ts';

/** The flags of a model: taken by each kind of run, so that scripts need not tell them apart, but not told of where no model is called. */
const modelFlags: readonly string[] = ['--model', '--max-tokens', '--max-usd'];

const forAll: readonly SettingKey[] = ['max_tokens', 'max_usd', 'max_time', 'model'];

function optionOf(option: RunOption): Option {
  if ('flag' in option) return new Option(option.flag, option.what);
  const made = settingOption(option.setting, option.placeholder);
  return option.conflicts === undefined ? made : made.conflicts([...option.conflicts]);
}

export function runCommand(kind: RunKind): Command {
  const { name, description, arguments: positional, options, limits, json, request } = kind.command;
  const command = new Command(name).description(description);
  for (const { name, what, default: usual } of positional) command.argument(name, what, usual);
  for (const option of options) command.addOption(optionOf(option));
  const own = limits && { max_tokens: String(limits.max_tokens), max_time: formatDuration(limits.max_time) };
  const ofOptions = options.flatMap((option) => ('setting' in option ? [option.setting] : []));
  withLimits(command, 'the run', own).addOption(settingOption('model', 'name'));
  if (kind.asksNoModel === true)
    for (const option of command.options) option.hideHelp(modelFlags.includes(option.long ?? ''));
  return command
    .addOption(jsonOption(json))
    .option('--debug', 'show every event on standard error')
    .action(async (...given: unknown[]) => {
      const flags = given[positional.length] as GivenFlags;
      const ownFields = await request(given.slice(0, positional.length) as (string | undefined)[], flags);
      // As the loader of settings takes them: by the names of the settings.
      const settings: Partial<Record<SettingKey, unknown>> = {};
      for (const name of [...ofOptions, ...forAll]) {
        const value = flags[new Option(factsOf(name).flag!).attributeName()];
        if (value !== undefined) settings[name] = value;
      }
      const { showRun } = await import('./show-run.ts');
      await showRun({ json: flags['json'] === true, debug: flags['debug'] === true }, (watch) =>
        kind.start({ ...ownFields, settings, by: thisUser(), ...watch } as KindRequest),
      );
    });
}
