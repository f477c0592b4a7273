/** The process environment as a value. This file is the only place in Sonde that reads it. */
import { currentProcess } from '../current-process.ts';
import { minKeyLength, redactor, secret } from './secret.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export const processEnvironment = (): Environment => currentProcess().env;

/**
 * The environment for another process: this one's, without the keys that are this one's only; afterwards this
 * process no longer holds the other's keys. What the system shows of a process's first environment does not
 * change.
 */
export function handOverKeys(theirs: readonly string[], own: readonly string[]): Environment {
  const { env } = currentProcess();
  const handed = { ...env };
  for (const name of own) delete handed[name];
  for (const name of theirs) delete env[name];
  return handed;
}

/** Stack traces are shown on demand only. */
export const wantsDebug = (environment: Environment): boolean =>
  environment['SONDE_DEBUG'] !== undefined && environment['SONDE_DEBUG'] !== '';

const secretName = /(_KEY|_TOKEN|_SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i;

/** Takes the value of every variable that is named like a secret out of a text, whoever the secret belongs to. */
export function environmentRedactor(environment: Environment): (text: string) => string {
  return redactor(environmentSecrets(environment).map((text) => secret(text)));
}

/** The values themselves; shorter ones are words, and no keys. */
export function environmentSecrets(environment: Environment): readonly string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    secretName.test(name) && value !== undefined && value.length >= minKeyLength ? [value] : [],
  );
}

/** The person's own editor, as a command line of the shell. */
export const editorOf = (environment: Environment): string | null =>
  environment['VISUAL'] || environment['EDITOR'] || null;
