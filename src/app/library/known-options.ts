/** Refuses options that a function of the library does not take. In plain JavaScript no compiler would say so. */
import { SondeError } from '../../core/index.ts';

/** The names of all options of a function. A name that is missing, or too much, is a type error. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

/** Throws `bad_argument` for options that are no object, for names that `known` has not, and for paths that are no text. */
export function checkOptions(name: string, options: unknown, known: Readonly<Record<string, true>>): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new SondeError('bad_argument', {
      message: `${name} takes its options as an object`,
      remedy: takes(known),
    });
  // `undefined` sets nothing: such a name may stand in options that were spread from others.
  const unknown = Object.entries(options).flatMap(([key, value]) =>
    value === undefined || Object.hasOwn(known, key) ? [] : [key],
  );
  if (unknown.length > 0)
    throw new SondeError('bad_argument', {
      message: `${name} takes no option ${unknown.map((key) => JSON.stringify(key)).join(', ')}`,
      remedy: takes(known),
    });
  for (const [key, value] of Object.entries(options))
    if (textOptions.has(key) && value !== undefined && typeof value !== 'string')
      throw new SondeError('bad_argument', {
        message: `${name}: ${key} must be a text, not ${value === null ? 'null' : `a ${typeof value}`}`,
        remedy: `Give ${key} as a string, or leave it out.`,
      });
}

/** Have one type wherever they are taken. */
const textOptions: ReadonlySet<string> = new Set(['root', 'scope', 'replay']);

const takes = (known: Readonly<Record<string, true>>): string =>
  `It takes: ${Object.keys(known).join(', ')}.`;
