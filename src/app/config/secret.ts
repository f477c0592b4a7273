import { inspect } from 'node:util';
import { withoutSecrets } from '../../core/index.ts';

/** A key that shows itself only when asked to: printed, logged or serialised it is `(hidden)`. */
export interface Secret {
  reveal(): string;
  toString(): string;
  toJSON(): string;
}

export const hidden = '(hidden)';

/** `current` gives what its file holds by now, where it came out of one. */
export function secret(text: string, current: () => string = () => text): Secret {
  return Object.freeze({
    reveal: () => current(),
    toString: () => hidden,
    toJSON: () => hidden,
    [inspect.custom]: () => hidden,
  });
}

/** Shorter values occur in ordinary text, and no provider issues keys that short. */
export const minKeyLength = 8;

/** Replaces the secrets in whatever form they come back: the last line of defence before text leaves the process. */
export function redactor(secrets: readonly Secret[]): (text: string) => string {
  const values = secrets.map((one) => one.reveal()).filter((value) => value.length >= minKeyLength);
  return (text) => withoutSecrets(text, values, () => hidden);
}
