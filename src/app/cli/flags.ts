/** Flags that several commands share. Their values stay text here; the schema of the settings parses and checks them. */
import { type Command, Option } from 'commander';
import { formatDefault, type SettingKey, specOf } from '../config/index.ts';
import { scopeFlag } from '../runs/run-kind.ts';

/** Returns the option that sets a setting. `help` replaces the help text of the schema. */
export function settingOption(name: SettingKey, placeholder: string, help?: string): Option {
  const setting = specOf(name);
  return new Option(`${setting.flag} <${placeholder}>`, help ?? setting.help ?? setting.what);
}

/**
 * Adds --max-tokens, --max-usd and --max-time. `work`: what they limit, for the help, such as `the run` or
 * `each turn`. `defaults`: shown in the help instead of the defaults of the settings.
 */
export function addLimitOptions(
  command: Command,
  work: string,
  defaults: Partial<Record<'max_tokens' | 'max_time', string>> = {},
): Command {
  const { max_tokens = formatDefault('max_tokens'), max_time = formatDefault('max_time') } = defaults;
  return command
    .addOption(
      settingOption(
        'max_tokens',
        'n',
        `token limit of ${work}, over all calls of models; a cached input token counts a tenth (default: ${max_tokens})`,
      ),
    )
    .addOption(
      settingOption(
        'max_usd',
        'x',
        `cost limit of ${work}, in US dollars (default: ${formatDefault('max_usd')})`,
      ),
    )
    .addOption(
      settingOption(
        'max_time',
        'duration',
        `time limit of ${work}, such as 90s or 2m (default: ${max_time})`,
      ),
    );
}

/** The explanation of the capability sets in the help of `--allow`. */
export const allowHelp =
  'read-only: read everything but memory, change nothing; external: read pages and code, run Python, and write pages that wait for you to accept them; ' +
  'agent: as external, and also use the memory of agents and the configured systems; owner: everything';

export const jsonOption = (help: string): Option => new Option('--json', help);

export const scopeOption = (): Option => new Option(scopeFlag.flag, scopeFlag.what);
