import { inspect } from 'node:util';
import { removeKnownSecrets } from '../../core/index.ts';

/** A secret that only `reveal` returns. Printed, logged or serialised it is `(hidden)`. */
export interface Secret {
  reveal(): string;
  toString(): string;
  toJSON(): string;
}

export const hidden = '(hidden)';

/** `readCurrent`: for a secret from a file, reads the file again if it has changed. */
export function secret(text: string, readCurrent: () => string = () => text): Secret {
  return Object.freeze({
    reveal: () => readCurrent(),
    toString: () => hidden,
    toJSON: () => hidden,
    [inspect.custom]: () => hidden,
  });
}

/** Characters. Shorter values are not redacted: they occur in ordinary text, and no provider issues such short keys. */
export const minKeyLength = 8;

/**
 * Returns a function that replaces the secrets in a text, also where they are encoded. It is the last protection before
 * text leaves the process.
 */
export function redactor(secrets: readonly Secret[]): (text: string) => string {
  const values = secrets.map((secret) => secret.reveal()).filter((value) => value.length >= minKeyLength);
  return (text) => removeKnownSecrets(text, values, () => hidden);
}
