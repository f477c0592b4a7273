/** Compares two lists of settings: the lines removed and added, and a short summary for a title. */

/** The value of each setting, by name. */
export type Settings = ReadonlyMap<string, string>;

export interface SettingsDifference {
  /** `-NAME: VALUE` and `+NAME: VALUE`. */
  readonly diff: string;
  /** `pool.max 20 -> 4, workers 8 -> 2 and 3 others`. */
  readonly summary: string;
}

const maxChangesInTitle = 2;
/** Characters of one value in a title. */
const maxValueLength = 24;

/** True for a setting that may hold a secret. Its value is only in the diff, where secrets are masked by the name of the setting. */
const isSecret = (name: string): boolean => /pass|secret|token|key|cred|auth|dsn|cert|url|uri/i.test(name);

/** Null if nothing changed. */
export function compareSettings(before: Settings, after: Settings): SettingsDifference | null {
  const names = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.get(name) !== after.get(name),
  );
  if (names.length === 0) return null;
  const lines = names.flatMap((name) => {
    const [was, is] = [before.get(name), after.get(name)];
    return [
      ...(was === undefined ? [] : [`-${name}: ${was}`]),
      ...(is === undefined ? [] : [`+${name}: ${is}`]),
    ];
  });
  const changeTexts = names.slice(0, maxChangesInTitle).map((name) => {
    const [was, is] = [before.get(name), after.get(name)];
    if (was === undefined) return `${name} added`;
    if (is === undefined) return `${name} removed`;
    return isSecret(name) || was.length + is.length > 2 * maxValueLength ? name : `${name} ${was} -> ${is}`;
  });
  const others = names.length - changeTexts.length;
  return {
    diff: lines.join('\n'),
    summary: `${changeTexts.join(', ')}${others === 0 ? '' : ` and ${others} ${others === 1 ? 'other' : 'others'}`}`,
  };
}
