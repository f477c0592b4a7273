/** Refuses options that a function of the library does not take. In plain JavaScript no compiler would say so. */
import { SondeError } from '../../core/index.ts';

/** The names of all options of a function. A name that is missing, or too much, is a type error. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

/** Throws `bad_argument` for options that are no object, for names that `known` has not, and for values of a wrong kind. */
export function checkOptions(name: string, options: unknown, known: Readonly<Record<string, true>>): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new SondeError('bad_argument', {
      message: `${name} takes its options as an object`,
      remedy: formatKnown(known),
    });
  // `undefined` sets nothing: such a name may stand in options that were spread from others.
  const unknown = Object.entries(options).flatMap(([key, value]) =>
    value === undefined || Object.hasOwn(known, key) ? [] : [key],
  );
  if (unknown.length > 0)
    throw new SondeError('bad_argument', {
      message: `${name} takes no option ${unknown.map((key) => JSON.stringify(key)).join(', ')}`,
      remedy: formatKnown(known),
    });
  for (const [key, value] of Object.entries(options)) {
    const kind = kindOfOption[key];
    if (kind === undefined || value === undefined || readKind(value) === kind) continue;
    throw new SondeError('bad_argument', {
      message: `${name}: ${key} must be ${kindTexts[kind]}, not ${describeValue(value)}`,
      remedy: `Give ${key} as ${kindTexts[kind]}, or leave it out.`,
    });
  }
}

/** Throws `bad_argument` where a function is not given its text. */
export function checkText(name: string, argument: string, value: unknown): void {
  if (typeof value === 'string') return;
  throw new SondeError('bad_argument', {
    message: `${name} takes ${argument} as a text, not ${describeValue(value)}`,
    remedy: 'Give it as a string; options follow as an object.',
  });
}

type Kind = 'string' | 'object' | 'list' | 'function';
const kindTexts: Readonly<Record<Kind, string>> = {
  string: 'a text',
  object: 'an object',
  list: 'a list',
  function: 'a function',
};

/** Options that have one type wherever they are taken. */
const kindOfOption: Readonly<Record<string, Kind>> = {
  ...{ root: 'string', scope: 'string', replay: 'string', alert: 'string', store: 'string' },
  ...{ settings: 'object', signal: 'object', tools: 'list', signals: 'list' },
  ...{ onRun: 'function', onEvent: 'function', onNote: 'function', onText: 'function' },
};

const readKind = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;

function describeValue(value: unknown): string {
  const kind = readKind(value);
  if (value === null || value === undefined) return String(value);
  return kindTexts[kind as Kind] ?? `a ${kind}`;
}

const formatKnown = (known: Readonly<Record<string, true>>): string =>
  `It takes: ${Object.keys(known).join(', ')}.`;
