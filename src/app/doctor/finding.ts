/** What a check of `sonde doctor` says. */
export interface Finding {
  readonly name: string;
  /** `ok`: works. `off`: not there, and nothing needs it. `broken`: something that was asked for does not work. */
  readonly state: 'ok' | 'off' | 'broken';
  readonly found: string;
  /** What to do about it. */
  readonly remedy: string | null;
}

export const ok = (name: string, found: string): Finding => ({ name, state: 'ok', found, remedy: null });
export const off = (name: string, found: string, remedy: string): Finding => ({
  name,
  state: 'off',
  found,
  remedy,
});
export const brokenFinding = (name: string, found: string, remedy: string): Finding => ({
  name,
  state: 'broken',
  found,
  remedy,
});

/** Each check alone; none waits longer than this for the network, or for a program that hangs. */
export const patienceMs = 3_000;
