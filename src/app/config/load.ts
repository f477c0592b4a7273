/**
 * Loads the settings. Flags override the environment, then the project's `sonde.json`, then the user's own, then the
 * defaults.
 */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve, sep } from 'node:path';
import { isSondeError, SondeError } from '../../core/index.ts';
import { type Directories, directories, userConfigFile } from './directories.ts';
import type { Environment } from './environment.ts';
import { type ConfigFile, findProjectFile, readConfigFile, renewedFile } from './files.ts';
import { type Candidate, judge, quoteShort, strayKeys, strayNotes } from './project-wishes.ts';
import { redactor, type Secret, secret } from './secret.ts';
import type { Facts } from './setting.ts';
import { factsOf, readAs, type SettingKey, type Settings, settingKeys } from './settings.ts';

type SecretKey = Extract<
  SettingKey,
  | `${string}_api_key`
  | `${string}_secret_key`
  | `${string}_token`
  | `${string}_login`
  | `${string}_password`
  | 'store_url'
>;

/** The settings, with each key behind a `Secret`. */
export type Values = Readonly<Omit<Settings, SecretKey> & { [Key in SecretKey]?: Secret }>;

export interface Configuration {
  readonly values: Values;
  /** Where each value came from: `default`, a flag, a variable or a file. */
  readonly sources: Readonly<Record<SettingKey, string>>;
  /** The files that were read. */
  readonly files: readonly string[];
  /** For people: settings of the project that were ignored, and likely mistakes. */
  readonly notes: readonly string[];
  readonly directories: Directories;
  /** Removes every configured secret from a text. */
  redact(text: string): string;
  /** The secrets themselves, for those who mask them. */
  secrets(): readonly string[];
}

export interface Sources {
  readonly environment: Environment;
  /** The values of flags as they were typed, by setting. */
  readonly flags?: Readonly<Partial<Record<SettingKey, unknown>>>;
  /** The folder at which the search for the project's `sonde.json` begins; absent: none is read. */
  readonly project?: string;
  /** Secrets that are not read, even if they are configured. */
  readonly without?: readonly SettingKey[];
}

function check(
  name: SettingKey,
  facts: Facts,
  found: Candidate,
  code: 'bad_argument' | 'bad_config',
): Candidate {
  const read = readAs(name, found.value);
  if (read !== null) return { ...found, ...read };
  throw new SondeError(code, {
    message:
      facts.secret === true
        ? `${found.source} is not usable as ${name}`
        : `${found.source}${found.source.startsWith('-') ? '' : `: ${name}`} is ${quoteShort(found.value)}`,
    remedy: `Allowed: ${facts.allowed}.`,
    details: { setting: name, source: found.source },
  });
}

/** Programs pass settings by their names. */
function checkNames(given: Readonly<Record<string, unknown>>): void {
  const known: readonly string[] = settingKeys;
  const unknown = Object.keys(given).find((name) => given[name] !== undefined && !known.includes(name));
  if (unknown !== undefined)
    throw new SondeError('bad_argument', {
      message: `there is no setting ${quoteShort(unknown)}`,
      remedy: 'docs/configuration.md lists them, and so does sonde config.',
      details: { setting: unknown },
    });
}

/** Refuses keys even in the user's own file, which is too easily shown, copied or committed. */
function checkKeys({ path, content }: ConfigFile): void {
  const { unknown, secrets } = strayKeys(content);
  const wrong = (message: string, remedy: string): never => {
    throw new SondeError('bad_config', { message: `${path}: ${message}`, remedy, details: { path } });
  };
  for (const name of secrets)
    wrong(
      `${name} must not be in a settings file`,
      `Set ${factsOf(name).env[0]}, or name a file that holds the key with ${name}_file in your own sonde.json.`,
    );
  for (const name of unknown)
    wrong(
      `there is no setting ${quoteShort(name)}`,
      `Allowed: ${settingKeys.map((key) => (factsOf(key).secret ? `${key}_file` : key)).join(', ')}.`,
    );
}

const expandHome = (path: string, environment: Environment): string =>
  path.startsWith('~/') ? resolve(environment['HOME'] ?? homedir(), path.slice(2)) : path;

const expandHomes = (value: unknown, environment: Environment): unknown =>
  typeof value === 'string'
    ? expandHome(value, environment)
    : Array.isArray(value)
      ? value.map((one) => expandHomes(one, environment))
      : value;

function fromEnvironment(name: SettingKey, facts: Facts, environment: Environment): Candidate | null {
  for (const variable of facts.env) {
    const value = environment[variable];
    if (value !== undefined && value !== '') return { value, source: variable };
    const file = facts.secret === true ? environment[`${variable}_FILE`] : undefined;
    if (file !== undefined && file !== '')
      return keyIn(name, expandHome(file, environment), `${variable}_FILE`);
  }
  return null;
}

function fromFile(
  name: SettingKey,
  facts: Facts,
  file: ConfigFile,
  environment: Environment,
): Candidate | null {
  const key = facts.secret === true ? `${name}_file` : name;
  const value = file.content[key];
  if (value === undefined) return null;
  if (facts.secret !== true) return { value, source: file.path };
  const where = `${file.path}: ${key}`;
  return keyIn(name, expandHome(String(value), environment), where);
}

/** A key of a model or a system whose file is not there stops only what needs it: a note says so. */
function keyIn(name: SettingKey, path: string, source: string): Candidate {
  if (name.endsWith('_api_key') && !existsSync(path))
    return {
      value: undefined,
      source,
      note: `${source} names ${path}, which does not exist: ${name} is not set`,
    };
  const current = renewedFile(path, source);
  return { value: current(), source, current };
}

/** Whether a file lies in a folder of `trusted_projects`. */
export function isTrusted(file: string, trusted: readonly string[], environment: Environment): boolean {
  return trusted.some((folder) => {
    const path = resolve(expandHome(folder, environment));
    return file.startsWith(path.endsWith(sep) ? path : path + sep);
  });
}

/** Settings that not even a trusted project may change, since they choose programs and databases. */
const userOnlySettings: ReadonlySet<SettingKey> = new Set([
  'trusted_projects',
  'project_config',
  'language_servers',
  'store',
]);

/** The value that a project requests, or why it is refused; undefined if it requests none. */
function projectValue(
  name: SettingKey,
  facts: Facts,
  { path, content }: ConfigFile,
  trusted: boolean,
): Candidate | string | undefined {
  const value = content[facts.secret ? `${name}_file` : name];
  if (value === undefined) return undefined;
  if (facts.secret === true || userOnlySettings.has(name))
    return `${path} sets ${name}, which no project may; ignored`;
  const found = { value, source: path };
  if (trusted || readAs(name, value) !== null) return check(name, facts, found, 'bad_config');
  return `${path}: ${name} is ${quoteShort(value)}; ignored (allowed: ${facts.allowed})`;
}

/** Reads a project's file. An unreadable file of an untrusted project gives a note, so that it cannot stop a command. */
function projectFileAt(path: string, trusted: boolean): ConfigFile | string | null {
  try {
    return readConfigFile(path, 'refuse');
  } catch (thrown) {
    if (trusted || !isSondeError(thrown, 'bad_config')) throw thrown;
    return `${thrown.message}; ignored`;
  }
}

/** Throws `bad_config` and `bad_argument` with the place, the setting and the allowed values. */
export function loadConfiguration({
  environment,
  flags = {},
  project,
  without = [],
}: Sources): Configuration {
  checkNames(flags);
  const where = directories(environment);
  const userFile = readConfigFile(userConfigFile(where), 'follow');
  if (userFile !== null) checkKeys(userFile);

  const userValue = (name: SettingKey): Candidate => {
    if (without.includes(name)) return { value: undefined, source: 'not read' };
    const facts = factsOf(name);
    const found = userFile === null ? null : fromFile(name, facts, userFile, environment);
    return found === null
      ? { ...readAs(name, undefined)!, source: 'default' }
      : check(name, facts, found, 'bad_config');
  };
  const flagOrEnvironment = (name: SettingKey): Candidate | null => {
    const facts = factsOf(name);
    if (flags[name] !== undefined)
      return check(name, facts, { value: flags[name], source: facts.flag ?? name }, 'bad_argument');
    const found = fromEnvironment(name, facts, environment);
    return found === null ? null : check(name, facts, found, 'bad_config');
  };

  const readsProject = (flagOrEnvironment('project_config') ?? userValue('project_config')).value === true;
  const path = project !== undefined && readsProject ? findProjectFile(project, userConfigFile(where)) : null;
  const trusted =
    path !== null &&
    isTrusted(
      path,
      (flagOrEnvironment('trusted_projects') ?? userValue('trusted_projects')).value as string[],
      environment,
    );
  const projectFileOrNote = path === null ? null : projectFileAt(path, trusted);
  const projectFile = typeof projectFileOrNote === 'object' ? projectFileOrNote : null;

  const notes = typeof projectFileOrNote === 'string' ? [projectFileOrNote] : [];
  if (projectFile !== null) notes.push(...strayNotes(projectFile.path, projectFile.content));
  const values: Record<string, unknown> = {};
  const sources: Record<string, string> = {};
  const secrets: Secret[] = [];
  for (const name of settingKeys) {
    const facts = factsOf(name);
    const candidate = flagOrEnvironment(name);
    let chosen = candidate ?? userValue(name);
    const requested = projectFile === null ? undefined : projectValue(name, facts, projectFile, trusted);
    if (requested !== undefined) {
      const note =
        typeof requested === 'string' ? requested : trusted ? null : judge(name, facts, requested, chosen);
      if (note !== null) notes.push(note);
      else if (candidate === null && typeof requested === 'object') chosen = requested;
    }
    if (chosen.note !== undefined) notes.push(chosen.note);
    if (facts.secret === true && chosen.value !== undefined) {
      const value = secret(String(chosen.value), chosen.current);
      secrets.push(value);
      chosen = { ...chosen, value };
    }
    values[name] = facts.path === true ? expandHomes(chosen.value, environment) : chosen.value;
    sources[name] = chosen.source;
  }
  return Object.freeze({
    values: Object.freeze(values) as Values,
    sources: Object.freeze(sources) as Configuration['sources'],
    files: [projectFile, userFile].flatMap((file) => (file === null ? [] : [file.path])),
    notes,
    directories: where,
    redact: redactor(secrets),
    secrets: () => secrets.map((secret) => secret.reveal()),
  });
}

/** The address for `store: postgres`, with its password. Throws `bad_config` if it is not set. */
export function storeAddress({ store_url }: Pick<Values, 'store_url'>): string {
  if (store_url !== undefined) return store_url.reveal();
  throw new SondeError('bad_config', {
    message: 'store is postgres, but no database is configured',
    remedy: 'Set SONDE_STORE_URL, or store_url_file in your own sonde.json.',
  });
}
