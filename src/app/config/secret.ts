import { inspect } from 'node:util';

/** A key that shows itself only when asked to: printed, logged or serialised it is `(hidden)`. */
export interface Secret {
  reveal(): string;
  toString(): string;
  toJSON(): string;
}

export const hidden = '(hidden)';

export function secret(text: string): Secret {
  return Object.freeze({
    reveal: () => text,
    toString: () => hidden,
    toJSON: () => hidden,
    [inspect.custom]: () => hidden,
  });
}

/** Shorter values occur in ordinary text, and no provider issues keys that short. */
const shortestKey = 8;

/** Replaces every occurrence of the secrets: the last line of defence before text leaves the process. */
export function redactor(secrets: readonly Secret[]): (text: string) => string {
  const values = secrets
    .flatMap((one) => {
      const plain = one.reveal();
      // A key may stand in a text as it is, or escaped within JSON or a URL.
      return [plain, JSON.stringify(plain).slice(1, -1), encodeURIComponent(plain)];
    })
    .filter((value) => value.length >= shortestKey)
    .sort((a, b) => b.length - a.length);
  return (text) => values.reduce((clean, value) => clean.replaceAll(value, hidden), text);
}
