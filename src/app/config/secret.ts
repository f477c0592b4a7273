import { inspect } from 'node:util';
import { removeKnownSecrets } from '../../core/index.ts';

/** A key that only `reveal` returns. Printed, logged or serialised it is `(hidden)`. */
export interface Secret {
  reveal(): string;
  toString(): string;
  toJSON(): string;
}

export const hidden = '(hidden)';

/** `current`: for a key from a file, reads the present content of the file. */
export function secret(text: string, current: () => string = () => text): Secret {
  return Object.freeze({
    reveal: () => current(),
    toString: () => hidden,
    toJSON: () => hidden,
    [inspect.custom]: () => hidden,
  });
}

/** Shorter values are not redacted: they occur in ordinary text, and no provider issues such short keys. */
export const minKeyLength = 8;

/**
 * Returns a function that replaces the secrets in a text, also in other encodings. It is the last protection before text
 * leaves the process.
 */
export function redactor(secrets: readonly Secret[]): (text: string) => string {
  const values = secrets.map((secret) => secret.reveal()).filter((value) => value.length >= minKeyLength);
  return (text) => removeKnownSecrets(text, values, () => hidden);
}
