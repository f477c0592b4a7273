/**
 * Checks the `sonde.json` of a project, which is untrusted and may be of a newer Sonde. Only values that make a run
 * stricter are used; everything else is reported, and the command continues.
 */
import type { SettingSpec } from './setting.ts';
import { type SettingKey, settingKeys, specOf } from './settings.ts';
import { formatDuration } from './values.ts';

export interface Candidate {
  readonly value: unknown;
  readonly source: string;
  /** For a secret from a file: reads the file again if it has changed. */
  readonly readCurrent?: () => string;
  /** Why the value is missing although its file is configured. */
  readonly note?: string;
}

const maxEchoLength = 60;
/** Maximum unknown keys that are named. */
const maxNamedKeys = 5;

/** Formats a value or a name for a message, on one line of at most `maxEchoLength` characters. */
export function quoteShort(value: unknown): string {
  const text = (JSON.stringify(value) ?? String(value)).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '');
  return text.length > maxEchoLength ? `${text.slice(0, maxEchoLength)}…` : text;
}

const formatValue = ({ duration }: SettingSpec, value: unknown): string =>
  value === undefined
    ? 'none'
    : duration === true && typeof value === 'number'
      ? formatDuration(value)
      : quoteShort(value);

/** Keys that name no setting, and keys that name a secret without `_file`. */
export function strayKeys(content: Readonly<Record<string, unknown>>): {
  readonly unknown: readonly string[];
  readonly secrets: readonly SettingKey[];
} {
  const [unknown, secrets]: [string[], SettingKey[]] = [[], []];
  for (const name of Object.keys(content)) {
    const key = name as SettingKey;
    const secretKey = name.replace(/_file$/, '') as SettingKey;
    const isSecret = (setting: SettingKey): boolean =>
      settingKeys.includes(setting) && specOf(setting).secret === true;
    // The name of a setting that is no secret may also end in `_file`, such as that of a certificate.
    const isKnown = settingKeys.includes(key) ? !isSecret(key) : secretKey !== key && isSecret(secretKey);
    if (isKnown) continue;
    if (isSecret(key)) secrets.push(key);
    else unknown.push(name);
  }
  return { unknown, secrets };
}

/** Notes about keys that no project may set: unknown settings and secrets. */
export function strayNotes(path: string, content: Readonly<Record<string, unknown>>): readonly string[] {
  const { unknown, secrets } = strayKeys(content);
  const named = unknown.slice(0, maxNamedKeys).map(quoteShort).join(', ');
  const more = unknown.length > maxNamedKeys ? ` and ${unknown.length - maxNamedKeys} more` : '';
  return [
    ...(unknown.length === 0 ? [] : [`${path}: there is no setting ${named}${more}; ignored`]),
    ...secrets.map((name) => `${path}: ${name} must not be in a settings file; ignored`),
  ];
}

/**
 * Says why an untrusted project may not set a value (see `ProjectRule`); null if it may. `withoutProject`: the value that
 * applies without the project's file.
 */
export function explainRefusal(
  name: SettingKey,
  facts: SettingSpec,
  candidate: Candidate,
  withoutProject: Candidate,
): string | null {
  const keptText = `; kept ${formatValue(facts, withoutProject.value)} (${withoutProject.source})`;
  const requestText = `${candidate.source} asks for ${name} ${formatValue(facts, candidate.value)}`;
  const rule = facts.project;
  if (rule === 'never') return `${candidate.source} sets ${name}, which a project may not${keptText}`;
  if (rule === 'lower')
    return Number(candidate.value) <= Number(withoutProject.value)
      ? null
      : `${requestText}, above yours${keptText}`;
  return rule.only === candidate.value || candidate.value === withoutProject.value
    ? null
    : `${requestText}; a project may only choose ${quoteShort(rule.only)}${keptText}`;
}
