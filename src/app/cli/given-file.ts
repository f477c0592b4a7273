/** Reads whole files that the user names on the command line. */
import { readFileSync, statSync } from 'node:fs';
import { SondeError } from '../../core/index.ts';

interface GivenFileRules {
  /** Maximum size of the file, in bytes. */
  readonly maxSize: number;
  /** Remedies of the errors. `large`: also for a path that is not a file. */
  readonly remedies: { readonly missing: string; readonly large: string };
}

/** Throws `not_found` if there is no such file, and `bad_argument` if it is too large or not a file. */
export function readGivenFile(path: string, { maxSize, remedies }: GivenFileRules): Buffer {
  try {
    const stats = statSync(path);
    if (stats.isFile() && stats.size <= maxSize) return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new SondeError('not_found', {
        message: `${path}: there is no such file`,
        remedy: remedies.missing,
      });
    throw error;
  }
  throw new SondeError('bad_argument', {
    message: `${path} is not a file of at most ${maxSize} bytes`,
    remedy: remedies.large,
  });
}

const readText = (path: string): string =>
  readGivenFile(path, {
    maxSize: 4_000_000,
    remedies: {
      missing: 'Name a file.',
      large: 'Name a smaller file; put larger material into the folder that is searched.',
    },
  }).toString();

/** Returns the parsed value if the file is JSON, else its text. */
export function readJsonOrText(path: string): unknown {
  const text = readText(path);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Reads a JSON Schema. Throws `bad_argument` if the file does not contain a JSON object. */
export function readGivenSchema(path: string): Readonly<Record<string, unknown>> {
  const value = readJsonOrText(path);
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>;
  throw new SondeError('bad_argument', {
    message: `${path} does not contain a JSON Schema`,
    remedy: 'Write an object such as {"type": "integer"}.',
  });
}
