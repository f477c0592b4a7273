/** Flags that several commands share. Their values stay text: the schema of the settings judges them. */
import { Option } from 'commander';
import { factsOf, type SettingKey } from '../config/index.ts';
import { scopeFlag } from '../runs/run-kind.ts';

/** A flag that sets a setting: its help comes from the schema. */
export function settingOption(name: SettingKey, placeholder: string): Option {
  const about = factsOf(name);
  return new Option(
    `${about.flag} <${placeholder}>`,
    `${about.help ?? about.what} Allowed: ${about.allowed}.`,
  );
}

export const jsonOption = (what: string): Option => new Option('--json', what);

export const scopeOption = (): Option => new Option(scopeFlag.flag, scopeFlag.what);
