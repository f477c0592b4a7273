/** Checks the settings that somebody gives during the set-up, before they are written to the file. */
import { resolve } from 'node:path';
import { SondeError } from '../../core/index.ts';
import {
  type Configuration,
  type Environment,
  factsOf,
  loadConfiguration,
  readAs,
  type SettingKey,
  settingKeys,
} from '../config/index.ts';

/** Settings by their names in `sonde.json`. A key is given with the suffix `_file`. */
export type GivenSettings = Readonly<Record<string, unknown>>;

/** Throws `bad_argument` for an unknown setting, a missing value, and a secret itself. */
export function givenSettings(pairs: readonly string[], folder: string): GivenSettings {
  return Object.fromEntries(pairs.map((pair) => readPair(pair, folder)));
}

function readPair(pair: string, folder: string): readonly [name: string, value: unknown] {
  const equals = pair.indexOf('=');
  if (equals < 1) throw wrong(`--set ${nameIn(pair)} has no value`, 'Write it as --set KEY=VALUE.');
  const [name, text] = [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()];
  const known = settingKeys.find((key) => key === name);
  if (known !== undefined && factsOf(known).secret === true)
    throw wrong(
      `${name} is a secret, which stands in no settings file`,
      `Put it into a file that only you can read, and give --set ${name}_file=PATH.`,
    );
  const secret = settingKeys.find((key) => `${key}_file` === name && factsOf(key).secret === true);
  if (secret !== undefined) return [name, absolute(text, folder)];
  if (known === undefined)
    throw wrong(`There is no setting ${JSON.stringify(nameIn(pair))}`, 'docs/configuration.md lists them.');
  const { allowed, path } = factsOf(known);
  const read = text === '' ? null : readAs(known, jsonOr(text));
  if (read === null) throw wrong(`${name} is ${JSON.stringify(text)}`, `Allowed: ${allowed}.`);
  const value = Array.isArray(read.value) ? read.value : jsonOr(text);
  return [name, path === true ? absolutes(value, folder) : value];
}

/** Only the name, since the value may be a secret. */
const nameIn = (pair: string): string => pair.split('=', 1)[0]!.slice(0, 60);

/** Parses objects, numbers and the like as in a file; anything else is text. */
function jsonOr(text: string): unknown {
  if (!/^[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Absolute, since the file of settings is read from any folder. */
const absolute = (path: string, folder: string): string =>
  path.startsWith('~/') ? path : resolve(folder, path);
const absolutes = (value: unknown, folder: string): unknown =>
  typeof value === 'string'
    ? absolute(value, folder)
    : Array.isArray(value)
      ? value.map((one) => absolutes(one, folder))
      : value;

/** The configuration with these settings. Throws for settings that cannot be used. */
export function configurationWith(content: GivenSettings, environment: Environment): Configuration {
  const flags: Record<string, unknown> = {};
  const files: Record<string, string> = {};
  for (const [name, value] of Object.entries(content)) {
    const plain = settingKeys.find((key) => key === name);
    const secret = settingKeys.find((key) => `${key}_file` === name && factsOf(key).secret === true);
    if (secret !== undefined) files[`${factsOf(secret).env[0]}_FILE`] = String(value);
    else if (plain !== undefined) flags[plain] = value;
  }
  return loadConfiguration({
    environment: { ...withoutOwn(environment, content), ...files },
    flags: flags as Partial<Record<SettingKey, unknown>>,
  });
}

/** Variables of the environment would hide what the file says. */
function withoutOwn(environment: Environment, content: GivenSettings): Environment {
  const hiding = settingKeys
    .filter((key) => `${key}_file` in content && factsOf(key).secret === true)
    .flatMap((key) => factsOf(key).env.flatMap((name) => [name, `${name}_FILE`]));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !hiding.includes(name)));
}

const wrong = (message: string, remedy: string): SondeError =>
  new SondeError('bad_argument', { message, remedy });
