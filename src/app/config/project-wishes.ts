/**
 * Checks the `sonde.json` of a project, which is untrusted and may be of a newer Sonde. Only values that make a run
 * stricter are used; everything else is reported, and the command continues.
 */
import type { Facts } from './setting.ts';
import { factsOf, type SettingKey, settingKeys } from './settings.ts';
import { formatDuration } from './values.ts';

export interface Candidate {
  readonly value: unknown;
  readonly source: string;
  /** For a key from a file: reads its present content. */
  readonly current?: () => string;
  /** Why the value is missing although something names it. */
  readonly note?: string;
}

const maxEchoLength = 60;
/** Maximum unknown keys that are named. */
const maxNamed = 5;

/** A value or a name for a message, on one line. */
export function quoteShort(value: unknown): string {
  const text = (JSON.stringify(value) ?? String(value)).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '');
  return text.length > maxEchoLength ? `${text.slice(0, maxEchoLength)}…` : text;
}

const formatValue = ({ duration }: Facts, value: unknown): string =>
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
    const base = name.replace(/_file$/, '') as SettingKey;
    const isSecret = (one: SettingKey): boolean => settingKeys.includes(one) && factsOf(one).secret === true;
    // A setting may itself be a file, such as a certificate.
    const isKnown = settingKeys.includes(key) ? !isSecret(key) : base !== key && isSecret(base);
    if (isKnown) continue;
    if (isSecret(key)) secrets.push(key);
    else unknown.push(name);
  }
  return { unknown, secrets };
}

/** Notes about keys that no project can set: unknown ones and secrets. */
export function strayNotes(path: string, content: Readonly<Record<string, unknown>>): readonly string[] {
  const { unknown, secrets } = strayKeys(content);
  const named = unknown.slice(0, maxNamed).map(quoteShort).join(', ');
  const more = unknown.length > maxNamed ? ` and ${unknown.length - maxNamed} more` : '';
  return [
    ...(unknown.length === 0 ? [] : [`${path}: there is no setting ${named}${more}; ignored`]),
    ...secrets.map((name) => `${path}: ${name} must not be in a settings file; ignored`),
  ];
}

/**
 * Why an untrusted project may not set a value, by `ProjectRule`; null if it may. `current`: the value without it.
 */
export function judge(
  name: SettingKey,
  facts: Facts,
  candidate: Candidate,
  current: Candidate,
): string | null {
  const kept = `; kept ${formatValue(facts, current.value)} (${current.source})`;
  const asks = `${candidate.source} asks for ${name} ${formatValue(facts, candidate.value)}`;
  const rule = facts.project;
  if (rule === 'never') return `${candidate.source} sets ${name}, which a project may not${kept}`;
  if (rule === 'lower')
    return Number(candidate.value) <= Number(current.value) ? null : `${asks}, above yours${kept}`;
  return rule.only === candidate.value || candidate.value === current.value
    ? null
    : `${asks}; a project may only choose ${quoteShort(rule.only)}${kept}`;
}
