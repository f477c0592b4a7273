/** The process environment as a value. This file is the only place in Sonde that reads it. */
import { userInfo } from 'node:os';
import type { Actor } from '../../store/index.ts';
import { currentProcess } from '../current-process.ts';
import { minKeyLength, redactor, secret } from './secret.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export const processEnvironment = (): Environment => currentProcess().env;

/** The name of the user who runs this process; the user id if it has no name, as in a container. */
export function userName(readUserInfo: () => { readonly username: string } = userInfo): string {
  try {
    return readUserInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

/** The user who runs this process, as the audit log names users. */
export const thisUser = (): Actor => ({ name: `user:${userName()}`, team: '' });

/**
 * Returns the environment for another process: that of this process without `parentOnly`. Removes `childOnly` from this
 * process. The operating system may still show the environment that this process was started with.
 */
export function splitEnvironment(childOnly: readonly string[], parentOnly: readonly string[]): Environment {
  const { env } = currentProcess();
  const childEnvironment = { ...env };
  for (const name of parentOnly) delete childEnvironment[name];
  for (const name of childOnly) delete env[name];
  return childEnvironment;
}

/** Stack traces are shown only on request. */
export const wantsDebug = (environment: Environment): boolean =>
  environment['SONDE_DEBUG'] !== undefined && environment['SONDE_DEBUG'] !== '';

const secretName = /(_KEY|_TOKEN|_SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i;

/** Returns a function that redacts a text: it removes the values that `environmentSecrets` finds. */
export function environmentRedactor(environment: Environment): (text: string) => string {
  return redactor(environmentSecrets(environment).map((text) => secret(text)));
}

/** The values of variables whose names look like secrets. Values shorter than `minKeyLength` may be ordinary words. */
export function environmentSecrets(environment: Environment): readonly string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    secretName.test(name) && value !== undefined && value.length >= minKeyLength ? [value] : [],
  );
}

/** The user's editor, as a command line for the shell. */
export const editorOf = (environment: Environment): string | null =>
  environment['VISUAL'] || environment['EDITOR'] || null;
