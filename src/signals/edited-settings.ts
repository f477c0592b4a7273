/** Compares two lists of settings: the lines removed and added, and a short summary for a title. */

/** By the name of the setting. */
export type Settings = ReadonlyMap<string, string>;

export interface EditedSettings {
  /** `-NAME: VALUE` and `+NAME: VALUE`. */
  readonly diff: string;
  /** `pool.max 20 -> 4, workers 8 -> 2 and 3 others`. */
  readonly summary: string;
}

/** Changes named in a title, and characters of one value in it. */
const maxTold = 2;
const maxValue = 24;

/** The value of such a setting is only shown in the diff, where secrets are masked by the name of the setting. */
const isSecret = (name: string): boolean => /pass|secret|token|key|cred|auth|dsn|cert|url|uri/i.test(name);

/** Null if nothing changed. */
export function editedSettings(before: Settings, after: Settings): EditedSettings | null {
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
  const told = names.slice(0, maxTold).map((name) => {
    const [was, is] = [before.get(name), after.get(name)];
    if (was === undefined) return `${name} added`;
    if (is === undefined) return `${name} removed`;
    return isSecret(name) || was.length + is.length > 2 * maxValue ? name : `${name} ${was} -> ${is}`;
  });
  const others = names.length - told.length;
  return {
    diff: lines.join('\n'),
    summary: `${told.join(', ')}${others === 0 ? '' : ` and ${others} ${others === 1 ? 'other' : 'others'}`}`,
  };
}
