/** Checks the settings that a person gives during the set-up, before they are written to the file. */
import { resolve } from 'node:path';
import { SondeError } from '../../core/index.ts';
import {
  type Configuration,
  type Environment,
  loadConfiguration,
  parseSetting,
  type SettingKey,
  settingKeys,
  specOf,
} from '../config/index.ts';

/** Settings by their names in `sonde.json`. A key is given with the suffix `_file`. */
export type GivenSettings = Readonly<Record<string, unknown>>;

/** Parses `KEY=VALUE`. Throws `bad_argument` for an unknown setting, a wrong or missing value, and a secret. */
export function parseGivenSettings(pairs: readonly string[], folder: string): GivenSettings {
  return Object.fromEntries(pairs.map((pair) => readPair(pair, folder)));
}

function readPair(pair: string, folder: string): readonly [name: string, value: unknown] {
  const equals = pair.indexOf('=');
  if (equals < 1) throw badArgument(`--set ${readName(pair)} has no value`, 'Write it as --set KEY=VALUE.');
  const [name, text] = [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()];
  const setting = settingKeys.find((key) => key === name);
  if (setting !== undefined && specOf(setting).secret === true)
    throw badArgument(
      `${name} is a secret, which stands in no settings file`,
      `Put it into a file that only you can read, and give --set ${name}_file=PATH.`,
    );
  const secret = settingKeys.find((key) => `${key}_file` === name && specOf(key).secret === true);
  if (secret !== undefined) return [name, absolutePath(text, folder)];
  if (setting === undefined)
    throw badArgument(
      `There is no setting ${JSON.stringify(readName(pair))}`,
      'docs/configuration.md lists them.',
    );
  const { allowed, path } = specOf(setting);
  const parsed = text === '' ? null : parseSetting(setting, parseJsonOrText(text));
  if (parsed === null) throw badArgument(`${name} is ${JSON.stringify(text)}`, `Allowed: ${allowed}.`);
  const value = Array.isArray(parsed.value) ? parsed.value : parseJsonOrText(text);
  return [name, path === true ? absolutePaths(value, folder) : value];
}

/** Returns only the name for messages, since the value may be a secret. */
const readName = (pair: string): string => pair.split('=', 1)[0]!.slice(0, 60);

/** Parses objects, numbers and the like as in a file; anything else is text. */
function parseJsonOrText(text: string): unknown {
  if (!/^[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Paths are made absolute, since commands in any folder read the settings file. */
const absolutePath = (path: string, folder: string): string =>
  path.startsWith('~/') ? path : resolve(folder, path);
const absolutePaths = (value: unknown, folder: string): unknown =>
  typeof value === 'string'
    ? absolutePath(value, folder)
    : Array.isArray(value)
      ? value.map((item) => absolutePaths(item, folder))
      : value;

/** Loads the configuration with these settings. Throws for values that are not allowed. */
export function loadGivenSettings(content: GivenSettings, environment: Environment): Configuration {
  const flags: Record<string, unknown> = {};
  const files: Record<string, string> = {};
  for (const [name, value] of Object.entries(content)) {
    const setting = settingKeys.find((key) => key === name);
    const secret = settingKeys.find((key) => `${key}_file` === name && specOf(key).secret === true);
    if (secret !== undefined) files[`${specOf(secret).env[0]}_FILE`] = String(value);
    else if (setting !== undefined) flags[setting] = value;
  }
  return loadConfiguration({
    environment: { ...withoutShadowingVariables(environment, content), ...files },
    flags: flags as Partial<Record<SettingKey, unknown>>,
  });
}

/** Removes the environment variables that would override secrets of the file. */
function withoutShadowingVariables(environment: Environment, content: GivenSettings): Environment {
  const shadowing = settingKeys
    .filter((key) => `${key}_file` in content && specOf(key).secret === true)
    .flatMap((key) => specOf(key).env.flatMap((name) => [name, `${name}_FILE`]));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !shadowing.includes(name)));
}

const badArgument = (message: string, remedy: string): SondeError =>
  new SondeError('bad_argument', { message, remedy });
