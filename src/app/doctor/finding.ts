/** The result of one check of `sonde doctor`. */
export interface Finding {
  readonly name: string;
  /** `ok`: it works. `off`: it is not configured or installed, and not required. `broken`: it does not work. */
  readonly state: 'ok' | 'off' | 'broken';
  readonly found: string;
  /** How to fix it; null if it works. */
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

/** No check waits longer than this for the network, or for a program that hangs. */
export const patienceMs = 3_000;
