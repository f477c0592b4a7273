/** Flags over environment over the project's `sonde.json` over the user's own over the default. */
import { homedir } from 'node:os';
import { resolve, sep } from 'node:path';
import { SondeError } from '../../core/index.ts';
import { type Directories, directories, userConfigFile } from './directories.ts';
import type { Environment } from './environment.ts';
import { type ConfigFile, findProjectFile, readConfigFile, readSecretFile } from './files.ts';
import { redactor, type Secret, secret } from './secret.ts';
import type { Facts } from './setting.ts';
import { factsOf, type SettingKey, type Settings, settingKeys, settings } from './settings.ts';

type SecretKey = Extract<SettingKey, `${string}_api_key` | `${string}_token` | `${string}_login`>;

/** Settings with each key behind a `Secret`. */
export type Values = Readonly<Omit<Settings, SecretKey> & { [Key in SecretKey]?: Secret }>;

export interface Configuration {
  readonly values: Values;
  /** Where each value came from: `default`, a flag, a variable or a file. */
  readonly sources: Readonly<Record<SettingKey, string>>;
  /** The files that were read. */
  readonly files: readonly string[];
  /** What was asked for and refused, and what looks like a mistake. */
  readonly notes: readonly string[];
  readonly directories: Directories;
  /** Takes every configured secret out of a text. */
  redact(text: string): string;
  /** Those secrets themselves, for who hides them. */
  secrets(): readonly string[];
}

export interface Sources {
  readonly environment: Environment;
  /** The values of flags as typed, by setting. */
  readonly flags?: Readonly<Partial<Record<SettingKey, unknown>>>;
  /** Where the search for the project's `sonde.json` begins; without it there is none. */
  readonly project?: string;
  /** Secrets that are not read, whoever names them. */
  readonly without?: readonly SettingKey[];
}

interface Candidate {
  readonly value: unknown;
  readonly source: string;
}

const longestEcho = 60;

function shown(value: unknown): string {
  const text = (JSON.stringify(value) ?? String(value)).replace(/\p{Cc}/gu, '');
  return text.length > longestEcho ? `${text.slice(0, longestEcho)}…` : text;
}

function check(
  name: SettingKey,
  about: Facts,
  found: Candidate,
  code: 'bad_argument' | 'bad_config',
): Candidate {
  const parsed = settings.shape[name].safeParse(found.value);
  if (parsed.success) return { ...found, value: parsed.data };
  throw new SondeError(code, {
    message:
      about.secret === true
        ? `${found.source} is not usable as ${name}`
        : `${found.source}${found.source.startsWith('-') ? '' : `: ${name}`} is ${shown(found.value)}`,
    remedy: `Allowed: ${about.allowed}.`,
    details: { setting: name, source: found.source },
  });
}

/** Misplaced keys are refused even in the user's own file: it is shown, copied and committed too easily. */
function checkKeys(file: ConfigFile): void {
  for (const name of Object.keys(file.content)) {
    const base = name.replace(/_file$/, '') as SettingKey;
    const known = settingKeys.includes(base);
    const isSecret = known && factsOf(base).secret === true;
    if (known && isSecret === name.endsWith('_file')) continue;
    const wrong = (message: string, remedy: string): never => {
      throw new SondeError('bad_config', {
        message: `${file.path}: ${message}`,
        remedy,
        details: { path: file.path },
      });
    };
    if (isSecret)
      wrong(
        `${name} may not stand in a settings file`,
        `Set ${factsOf(base).env[0]}, or name a file that holds the key with ${name}_file in your own sonde.json.`,
      );
    wrong(
      `there is no setting ${shown(name)}`,
      `Allowed: ${settingKeys.map((key) => (factsOf(key).secret ? `${key}_file` : key)).join(', ')}.`,
    );
  }
}

const expandHome = (path: string, environment: Environment): string =>
  path.startsWith('~/') ? resolve(environment['HOME'] ?? homedir(), path.slice(2)) : path;

function fromEnvironment(about: Facts, environment: Environment): Candidate | null {
  for (const variable of about.env) {
    const value = environment[variable];
    if (value !== undefined && value !== '') return { value, source: variable };
    const file = about.secret === true ? environment[`${variable}_FILE`] : undefined;
    if (file !== undefined && file !== '')
      return {
        value: readSecretFile(expandHome(file, environment), `${variable}_FILE`),
        source: `${variable}_FILE`,
      };
  }
  return null;
}

function fromFile(
  name: SettingKey,
  about: Facts,
  file: ConfigFile,
  environment: Environment,
): Candidate | null {
  const key = about.secret === true ? `${name}_file` : name;
  const value = file.content[key];
  if (value === undefined) return null;
  if (about.secret !== true) return { value, source: file.path };
  const where = `${file.path}: ${key}`;
  return { value: readSecretFile(expandHome(String(value), environment), where), source: where };
}

type Verdict = { readonly take: boolean; readonly note?: string };

/** What an untrusted project may set; see `ProjectRule`. `own` is what holds without the project. */
function judge(name: SettingKey, about: Facts, wanted: Candidate, own: Candidate): Verdict {
  const kept = `; kept ${shown(own.value)} (${own.source})`;
  const asks = `${wanted.source} asks for ${name} ${shown(wanted.value)}`;
  const rule = about.project;
  if (rule === 'never')
    return { take: false, note: `${wanted.source} sets ${name}, which a project may not${kept}` };
  if (rule === 'any') return { take: true };
  if (rule === 'lower')
    return Number(wanted.value) <= Number(own.value)
      ? { take: true }
      : { take: false, note: `${asks}, above yours${kept}` };
  return rule.only === wanted.value || wanted.value === own.value
    ? { take: true }
    : { take: false, note: `${asks}; a project may only choose ${shown(rule.only)}${kept}` };
}

function isTrusted(file: string, trusted: readonly string[], environment: Environment): boolean {
  return trusted.some((folder) => {
    const path = resolve(expandHome(folder, environment));
    return file.startsWith(path.endsWith(sep) ? path : path + sep);
  });
}

/** Throws `bad_config` and `bad_argument`, naming the place, the setting and the allowed values. */
export function loadConfiguration({
  environment,
  flags = {},
  project,
  without = [],
}: Sources): Configuration {
  const where = directories(environment);
  const userFile = readConfigFile(userConfigFile(where), 'follow');
  if (userFile !== null) checkKeys(userFile);

  const own = (name: SettingKey): Candidate => {
    if (without.includes(name)) return { value: undefined, source: 'not read' };
    const about = factsOf(name);
    const found = userFile === null ? null : fromFile(name, about, userFile, environment);
    return found === null
      ? { value: settings.shape[name].parse(undefined), source: 'default' }
      : check(name, about, found, 'bad_config');
  };
  const outer = (name: SettingKey): Candidate | null => {
    const about = factsOf(name);
    if (flags[name] !== undefined)
      return check(name, about, { value: flags[name], source: about.flag ?? name }, 'bad_argument');
    const found = fromEnvironment(about, environment);
    return found === null ? null : check(name, about, found, 'bad_config');
  };

  const switchedOn = (outer('project_config') ?? own('project_config')).value === true;
  const path = project !== undefined && switchedOn ? findProjectFile(project, userConfigFile(where)) : null;
  const projectFile = path === null ? null : readConfigFile(path, 'refuse');
  if (projectFile !== null) checkKeys(projectFile);
  const trusted =
    projectFile !== null &&
    isTrusted(
      projectFile.path,
      (outer('trusted_projects') ?? own('trusted_projects')).value as string[],
      environment,
    );

  const notes: string[] = [];
  const values: Record<string, unknown> = {};
  const sources: Record<string, string> = {};
  const secrets: Secret[] = [];
  for (const name of settingKeys) {
    const about = factsOf(name);
    let chosen = own(name);
    const wanted =
      projectFile === null ? undefined : projectFile.content[about.secret ? `${name}_file` : name];
    if (projectFile !== null && wanted !== undefined) {
      const found = { value: wanted, source: projectFile.path };
      if (about.secret === true || name === 'trusted_projects' || name === 'project_config') {
        notes.push(`${projectFile.path} sets ${name}, which no project may; ignored`);
      } else {
        const candidate = check(name, about, found, 'bad_config');
        const verdict = trusted ? { take: true } : judge(name, about, candidate, chosen);
        if (verdict.take) chosen = candidate;
        else if ('note' in verdict && verdict.note !== undefined) notes.push(verdict.note);
      }
    }
    chosen = outer(name) ?? chosen;
    if (about.secret === true && chosen.value !== undefined) {
      const value = secret(String(chosen.value));
      secrets.push(value);
      chosen = { ...chosen, value };
    }
    values[name] = chosen.value;
    sources[name] = chosen.source;
  }
  return Object.freeze({
    values: Object.freeze(values) as Values,
    sources: Object.freeze(sources) as Configuration['sources'],
    files: [projectFile, userFile].flatMap((file) => (file === null ? [] : [file.path])),
    notes,
    directories: where,
    redact: redactor(secrets),
    secrets: () => secrets.map((one) => one.reveal()),
  });
}
