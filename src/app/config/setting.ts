/** The parts of a setting, and the kinds of settings that occur often. */
import { address, type Form, text } from './values.ts';

/**
 * What the `sonde.json` of an untrusted project may do to a setting. `never`: nothing. `lower`: set a limit below the
 * user's own. `only`: choose this one value, which is always safe. If the price of a model is unknown, only tokens,
 * time and steps bound a run, so a project must not raise any of them.
 */
export type ProjectRule = 'never' | 'lower' | { readonly only: string | boolean };

export interface Facts {
  readonly what: string;
  /** The text for `--help`, with the allowed values. Without it: `what` and `allowed`. */
  readonly help?: string;
  /** The allowed values, as error messages say them. */
  readonly allowed: string;
  /** Environment variables. The first that is set counts. */
  readonly env: readonly string[];
  /** The flag of the commands that take it. */
  readonly flag?: string;
  readonly project: ProjectRule;
  /** Comes from the environment, or from a file that `<key>_file` or `<VARIABLE>_FILE` names. */
  readonly secret?: true;
  /** The value is milliseconds. */
  readonly duration?: true;
  /** The value is a path, or a list of them: `~/` at its beginning is the home of the user, as in a shell. */
  readonly path?: true;
}

export interface Setting<Value = unknown> extends Facts {
  readonly form: Form<Value>;
}

export const setting = <Value>(form: Form<Value>, about: Facts): Setting<Value> =>
  Object.freeze({ ...about, form });

export const key = (provider: string, ...env: string[]) =>
  setting(text().optional(), {
    what: `Key for ${provider}.`,
    allowed: 'a key',
    env,
    project: 'never',
    secret: true,
  });

export const baseUrl = (what: string, ...env: string[]) =>
  setting(address().optional(), {
    what,
    allowed: 'an http or https address without credentials',
    env,
    project: 'never',
  });
