import { inspect } from 'node:util';
import { withoutSecrets } from '../../core/index.ts';

/** A key that is shown only when asked for: printed, logged or serialised it is `(hidden)`. */
export interface Secret {
  reveal(): string;
  toString(): string;
  toJSON(): string;
}

export const hidden = '(hidden)';

/** `current`: for a key from a file, what the file holds now. */
export function secret(text: string, current: () => string = () => text): Secret {
  return Object.freeze({
    reveal: () => current(),
    toString: () => hidden,
    toJSON: () => hidden,
    [inspect.custom]: () => hidden,
  });
}

/** Shorter values occur in ordinary text. No provider issues such short keys. */
export const minKeyLength = 8;

/**
 * Replaces the secrets, in all encodings in which they may come back: the last protection before text leaves the
 * process.
 */
export function redactor(secrets: readonly Secret[]): (text: string) => string {
  const values = secrets.map((secret) => secret.reveal()).filter((value) => value.length >= minKeyLength);
  return (text) => withoutSecrets(text, values, () => hidden);
}
