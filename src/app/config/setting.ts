/** The parts of a setting, and the kinds of settings that occur often. */
import { address, text, type ValueParser } from './values.ts';

/**
 * How the `sonde.json` of an untrusted project may change a setting. `never`: not at all. `lower`: to a limit below the
 * user's own. `only`: to this one safe value. No project may raise a limit: if the price of a model is unknown, only
 * tokens, time and steps limit a run.
 */
export type ProjectRule = 'never' | 'lower' | { readonly only: string | boolean };

export interface SettingSpec {
  /** What the setting is for. */
  readonly what: string;
  /** The text for `--help`, with the allowed values. Absent: the help is `what` and `allowed`. */
  readonly help?: string;
  /** The allowed values, in the words of error messages. */
  readonly allowed: string;
  /** Names of environment variables. The first one that is set is used. */
  readonly env: readonly string[];
  /** The command-line flag for this setting, such as `--model`. */
  readonly flag?: string;
  readonly project: ProjectRule;
  /** The value comes from the environment, or from a file that `<key>_file` or `<VARIABLE>_FILE` names. */
  readonly secret?: true;
  /** The value is milliseconds. */
  readonly duration?: true;
  /** The value is a path, or a list of them: `~/` at its beginning is the home of the user, as in a shell. */
  readonly path?: true;
}

export interface Setting<Value = unknown> extends SettingSpec {
  readonly parser: ValueParser<Value>;
}

export const setting = <Value>(parser: ValueParser<Value>, spec: SettingSpec): Setting<Value> =>
  Object.freeze({ ...spec, parser });

export const keySetting = (provider: string, ...env: string[]) =>
  setting(text().optional(), {
    what: `Key for ${provider}.`,
    allowed: 'a key',
    env,
    project: 'never',
    secret: true,
  });

export const baseUrlSetting = (what: string, ...env: string[]) =>
  setting(address().optional(), {
    what,
    allowed: 'an http or https address without credentials',
    env,
    project: 'never',
  });
