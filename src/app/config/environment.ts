/** The process environment as a value. This file is the only place in Sonde that reads `process.env`. */
import { redactor, secret } from './secret.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export const processEnvironment = (): Environment => process.env;

/**
 * The environment of an agent's process: that of this one, which from now on holds the keys of the models no more.
 * What the system shows of a process's first environment is not changed by it.
 */
export function handOverModelKeys(names: readonly string[]): Environment {
  const whole = { ...process.env };
  for (const name of names) delete process.env[name];
  return whole;
}

/** Stack traces are shown on demand only. */
export const debugWanted = (environment: Environment): boolean =>
  environment['SONDE_DEBUG'] !== undefined && environment['SONDE_DEBUG'] !== '';

const secretName = /(_KEY|_TOKEN|_SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i;

/** Takes the value of every variable that is named like a secret out of a text, whoever the secret belongs to. */
export function environmentRedactor(environment: Environment): (text: string) => string {
  const values = Object.entries(environment).flatMap(([name, value]) =>
    secretName.test(name) && value ? [secret(value)] : [],
  );
  return redactor(values);
}

/** The person's own editor, as a command line of the shell. */
export const editorOf = (environment: Environment): string | null =>
  environment['VISUAL'] || environment['EDITOR'] || null;
