/** The process environment as a value. This file is the only place in Sonde that reads it. */
import { userInfo } from 'node:os';
import type { Actor } from '../../store/index.ts';
import { currentProcess } from '../current-process.ts';
import { minKeyLength, redactor, secret } from './secret.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export const processEnvironment = (): Environment => currentProcess().env;

/** The person at this machine, as the audit names one. A system may know no name for its user. */
export function thisUser(): Actor {
  let name: string;
  try {
    name = userInfo().username;
  } catch {
    name = String(process.getuid?.() ?? 'unknown');
  }
  return { name: `user:${name}`, team: '' };
}

/**
 * The environment for another process: this one's, without keys that only this process needs. Afterwards this process
 * no longer holds the keys of the other. The system may still show the environment that this process was started with.
 */
export function handOverKeys(theirs: readonly string[], own: readonly string[]): Environment {
  const { env } = currentProcess();
  const handed = { ...env };
  for (const name of own) delete handed[name];
  for (const name of theirs) delete env[name];
  return handed;
}

/** Stack traces are shown only on request. */
export const wantsDebug = (environment: Environment): boolean =>
  environment['SONDE_DEBUG'] !== undefined && environment['SONDE_DEBUG'] !== '';

const secretName = /(_KEY|_TOKEN|_SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i;

/** Removes the values of all variables with the name of a secret from texts, whichever service they are for. */
export function environmentRedactor(environment: Environment): (text: string) => string {
  return redactor(environmentSecrets(environment).map((text) => secret(text)));
}

/** The values themselves. Shorter ones are words and no keys. */
export function environmentSecrets(environment: Environment): readonly string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    secretName.test(name) && value !== undefined && value.length >= minKeyLength ? [value] : [],
  );
}

/** The person's own editor, as a command line for the shell. */
export const editorOf = (environment: Environment): string | null =>
  environment['VISUAL'] || environment['EDITOR'] || null;
