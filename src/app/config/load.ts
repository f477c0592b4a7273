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
import { type ConfigFile, findProjectFile, readConfigFile, rereadingSecretFile } from './files.ts';
import { type Candidate, explainRefusal, quoteShort, strayKeys, strayNotes } from './project-wishes.ts';
import { redactor, type Secret, secret } from './secret.ts';
import type { SettingSpec } from './setting.ts';
import { parseSetting, type SettingKey, type Settings, settingKeys, specOf } from './settings.ts';

type SecretKey = Extract<
  SettingKey,
  | `${string}_api_key`
  | `${string}_secret_key`
  | `${string}_token`
  | `${string}_login`
  | `${string}_password`
  | 'store_url'
>;

/** The values of all settings. Each secret is wrapped in a `Secret`. */
export type Values = Readonly<Omit<Settings, SecretKey> & { [Key in SecretKey]?: Secret }>;

export interface Configuration {
  readonly values: Values;
  /** Where each value came from: `default`, a flag, a variable or a file. */
  readonly sources: Readonly<Record<SettingKey, string>>;
  /** The files that were read. */
  readonly files: readonly string[];
  /** Messages for people about ignored settings of the project and likely mistakes. */
  readonly notes: readonly string[];
  readonly directories: Directories;
  /** Removes every configured secret from a text. */
  redact(text: string): string;
  /** The secrets in plain text, for maskers. */
  secrets(): readonly string[];
}

export interface LoadOptions {
  readonly environment: Environment;
  /** The values of flags as they were typed, by setting. */
  readonly flags?: Readonly<Partial<Record<SettingKey, unknown>>>;
  /** The folder at which the upward search for the project's `sonde.json` begins. Absent: no such file is read. */
  readonly project?: string;
  /** Settings that are not read from the user's file, even if they are configured there. */
  readonly ignoredSettings?: readonly SettingKey[];
}

function checkCandidate(
  name: SettingKey,
  spec: SettingSpec,
  candidate: Candidate,
  code: 'bad_argument' | 'bad_config',
): Candidate {
  const parsed = parseSetting(name, candidate.value);
  if (parsed !== null) return { ...candidate, ...parsed };
  throw new SondeError(code, {
    message:
      spec.secret === true
        ? `${candidate.source} is not usable as ${name}`
        : `${candidate.source}${candidate.source.startsWith('-') ? '' : `: ${name}`} is ${quoteShort(candidate.value)}`,
    remedy: `Allowed: ${spec.allowed}.`,
    details: { setting: name, source: candidate.source },
  });
}

/** Throws `bad_argument` for an unknown name among the settings that a program passes. */
function checkNames(flags: Readonly<Record<string, unknown>>): void {
  const known: readonly string[] = settingKeys;
  const unknown = Object.keys(flags).find((name) => flags[name] !== undefined && !known.includes(name));
  if (unknown !== undefined)
    throw new SondeError('bad_argument', {
      message: `there is no setting ${quoteShort(unknown)}`,
      remedy: 'docs/configuration.md lists them, and so does sonde config.',
      details: { setting: unknown },
    });
}

/** Throws for unknown settings, and for secrets: a settings file is too easily shown, copied or committed. */
function refuseStrayKeys({ path, content }: ConfigFile): void {
  const { unknown, secrets } = strayKeys(content);
  const fail = (message: string, remedy: string): never => {
    throw new SondeError('bad_config', { message: `${path}: ${message}`, remedy, details: { path } });
  };
  for (const name of secrets)
    fail(
      `${name} must not be in a settings file`,
      `Set ${specOf(name).env[0]}, or name a file that holds the key with ${name}_file in your own sonde.json.`,
    );
  for (const name of unknown)
    fail(
      `there is no setting ${quoteShort(name)}`,
      `Allowed: ${settingKeys.map((key) => (specOf(key).secret ? `${key}_file` : key)).join(', ')}.`,
    );
}

const expandHome = (path: string, environment: Environment): string =>
  path.startsWith('~/') ? resolve(environment['HOME'] ?? homedir(), path.slice(2)) : path;

const expandHomes = (value: unknown, environment: Environment): unknown =>
  typeof value === 'string'
    ? expandHome(value, environment)
    : Array.isArray(value)
      ? value.map((item) => expandHomes(item, environment))
      : value;

function readFromEnvironment(
  name: SettingKey,
  spec: SettingSpec,
  environment: Environment,
): Candidate | null {
  for (const variable of spec.env) {
    const value = environment[variable];
    if (value !== undefined && value !== '') return { value, source: variable };
    const file = spec.secret === true ? environment[`${variable}_FILE`] : undefined;
    if (file !== undefined && file !== '')
      return readSecretFile(name, expandHome(file, environment), `${variable}_FILE`);
  }
  return null;
}

function readFromFile(
  name: SettingKey,
  spec: SettingSpec,
  file: ConfigFile,
  environment: Environment,
): Candidate | null {
  const key = spec.secret === true ? `${name}_file` : name;
  const value = file.content[key];
  if (value === undefined) return null;
  if (spec.secret !== true) return { value, source: file.path };
  const source = `${file.path}: ${key}`;
  return readSecretFile(name, expandHome(String(value), environment), source);
}

/** If the file of an API key is missing, the key stays unset, with a note. Other secrets throw `bad_config`. */
function readSecretFile(name: SettingKey, path: string, source: string): Candidate {
  if (name.endsWith('_api_key') && !existsSync(path))
    return {
      value: undefined,
      source,
      note: `${source} names ${path}, which does not exist: ${name} is not set`,
    };
  const current = rereadingSecretFile(path, source);
  return { value: current(), source, readCurrent: current };
}

/** Whether a file lies in a folder of `trusted_projects`. */
export function isTrusted(
  file: string,
  trustedFolders: readonly string[],
  environment: Environment,
): boolean {
  return trustedFolders.some((folder) => {
    const path = resolve(expandHome(folder, environment));
    return file.startsWith(path.endsWith(sep) ? path : path + sep);
  });
}

/** Settings that no project may change, trusted or not: they choose programs and databases. */
const userOnlySettings: ReadonlySet<SettingKey> = new Set([
  'trusted_projects',
  'project_config',
  'language_servers',
  'store',
]);

/** The value that a project requests, or why it is refused; undefined if it requests none. */
function projectValue(
  name: SettingKey,
  spec: SettingSpec,
  { path, content }: ConfigFile,
  isTrustedProject: boolean,
): Candidate | string | undefined {
  const value = content[spec.secret ? `${name}_file` : name];
  if (value === undefined) return undefined;
  if (spec.secret === true || userOnlySettings.has(name))
    return `${path} sets ${name}, which no project may; ignored`;
  const candidate = { value, source: path };
  if (isTrustedProject || parseSetting(name, value) !== null)
    return checkCandidate(name, spec, candidate, 'bad_config');
  return `${path}: ${name} is ${quoteShort(value)}; ignored (allowed: ${spec.allowed})`;
}

/** Reads a project's file. An unreadable file of an untrusted project gives a note, so that it cannot stop a command. */
function readProjectFile(path: string, isTrustedProject: boolean): ConfigFile | string | null {
  try {
    return readConfigFile(path, 'refuse');
  } catch (thrown) {
    if (isTrustedProject || !isSondeError(thrown, 'bad_config')) throw thrown;
    return `${thrown.message}; ignored`;
  }
}

/** Throws `bad_config` or `bad_argument`, naming the setting, the source of its value and the allowed values. */
export function loadConfiguration({
  environment,
  flags = {},
  project,
  ignoredSettings = [],
}: LoadOptions): Configuration {
  checkNames(flags);
  const sondeDirectories = directories(environment);
  const userFile = readConfigFile(userConfigFile(sondeDirectories), 'follow');
  if (userFile !== null) refuseStrayKeys(userFile);

  const userOrDefaultValue = (name: SettingKey): Candidate => {
    if (ignoredSettings.includes(name)) return { value: undefined, source: 'not read' };
    const spec = specOf(name);
    const candidate = userFile === null ? null : readFromFile(name, spec, userFile, environment);
    return candidate === null
      ? { ...parseSetting(name, undefined)!, source: 'default' }
      : checkCandidate(name, spec, candidate, 'bad_config');
  };
  const flagOrEnvironment = (name: SettingKey): Candidate | null => {
    const spec = specOf(name);
    if (flags[name] !== undefined)
      return checkCandidate(name, spec, { value: flags[name], source: spec.flag ?? name }, 'bad_argument');
    const candidate = readFromEnvironment(name, spec, environment);
    return candidate === null ? null : checkCandidate(name, spec, candidate, 'bad_config');
  };

  const readsProject =
    (flagOrEnvironment('project_config') ?? userOrDefaultValue('project_config')).value === true;
  const projectPath =
    project !== undefined && readsProject ? findProjectFile(project, userConfigFile(sondeDirectories)) : null;
  const isTrustedProject =
    projectPath !== null &&
    isTrusted(
      projectPath,
      (flagOrEnvironment('trusted_projects') ?? userOrDefaultValue('trusted_projects')).value as string[],
      environment,
    );
  const projectFileOrNote = projectPath === null ? null : readProjectFile(projectPath, isTrustedProject);
  const projectFile = typeof projectFileOrNote === 'object' ? projectFileOrNote : null;

  const notes = typeof projectFileOrNote === 'string' ? [projectFileOrNote] : [];
  if (projectFile !== null) notes.push(...strayNotes(projectFile.path, projectFile.content));
  const values: Record<string, unknown> = {};
  const sources: Record<string, string> = {};
  const secrets: Secret[] = [];
  for (const name of settingKeys) {
    const spec = specOf(name);
    const overriding = flagOrEnvironment(name);
    let chosen = overriding ?? userOrDefaultValue(name);
    const requested =
      projectFile === null ? undefined : projectValue(name, spec, projectFile, isTrustedProject);
    if (requested !== undefined) {
      const note =
        typeof requested === 'string'
          ? requested
          : isTrustedProject
            ? null
            : explainRefusal(name, spec, requested, chosen);
      if (note !== null) notes.push(note);
      else if (overriding === null && typeof requested === 'object') chosen = requested;
    }
    if (chosen.note !== undefined) notes.push(chosen.note);
    if (spec.secret === true && chosen.value !== undefined) {
      const value = secret(String(chosen.value), chosen.readCurrent);
      secrets.push(value);
      chosen = { ...chosen, value };
    }
    values[name] = spec.path === true ? expandHomes(chosen.value, environment) : chosen.value;
    sources[name] = chosen.source;
  }
  return Object.freeze({
    values: Object.freeze(values) as Values,
    sources: Object.freeze(sources) as Configuration['sources'],
    files: [projectFile, userFile].flatMap((file) => (file === null ? [] : [file.path])),
    notes,
    directories: sondeDirectories,
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
