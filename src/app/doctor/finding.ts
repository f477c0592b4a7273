/** The result of one check of `sonde doctor`. */
export interface Finding {
  readonly name: string;
  /** `ok`: it works. `off`: it is not configured or installed, and not required. `broken`: it does not work. */
  readonly state: 'ok' | 'off' | 'broken';
  /** What the check saw, in a sentence. */
  readonly found: string;
  /** How to fix it; null if it works. */
  readonly remedy: string | null;
}

export const okFinding = (name: string, found: string): Finding => ({
  name,
  state: 'ok',
  found,
  remedy: null,
});
export const offFinding = (name: string, found: string, remedy: string): Finding => ({
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

/** Maximum time that a check waits for the network or for a program. Milliseconds. */
export const checkTimeoutMs = 3_000;
