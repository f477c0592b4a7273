/** The process environment as a value. This file is the only place in Sonde that reads it. */
import { userInfo } from 'node:os';
import type { Actor } from '../../store/index.ts';
import { currentProcess } from '../current-process.ts';
import { minKeyLength, redactor, secret } from './secret.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export const processEnvironment = (): Environment => currentProcess().env;

/** The name of the user of this machine. The user id where it has no name, as in a container. */
export function userName(ofSystem: () => { readonly username: string } = userInfo): string {
  try {
    return ofSystem().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

/** The user of this machine, in the form that the audit uses. */
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

/** A function that removes from texts the values of all variables whose names look like those of secrets. */
export function environmentRedactor(environment: Environment): (text: string) => string {
  return redactor(environmentSecrets(environment).map((text) => secret(text)));
}

/** The values of variables whose names look like secrets. Values below `minKeyLength` may be ordinary words. */
export function environmentSecrets(environment: Environment): readonly string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    secretName.test(name) && value !== undefined && value.length >= minKeyLength ? [value] : [],
  );
}

/** The user's editor, as a command line for the shell. */
export const editorOf = (environment: Environment): string | null =>
  environment['VISUAL'] || environment['EDITOR'] || null;
