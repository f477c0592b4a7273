/** Parses values of settings: text from a flag or the environment, or JSON from a file. */

/** A parser for one kind of value. It is used instead of zod because every command loads it. */
export interface ValueParser<Value> {
  /** Null if the value is not of this kind. */
  read(given: unknown): { readonly value: Value } | null;
  /** Returns the same parser, but the value may be absent. */
  optional(): ValueParser<Value | undefined>;
  /** Returns the same parser with a value for an absent one. */
  default(defaultValue: Value): ValueParser<Value>;
}

/** Makes a parser from a function that returns the parsed value, or undefined if the value is not of this kind. */
export function makeParser<Value>(read: (given: unknown) => Value | undefined): ValueParser<Value> {
  const withAbsentValue = <Absent>(absentValue: Absent): ValueParser<Value | Absent> =>
    ({
      ...parser,
      read: (given: unknown) => (given === undefined ? { value: absentValue } : parser.read(given)),
    }) as ValueParser<Value | Absent>;
  const parser: ValueParser<Value> = {
    read(given) {
      const value = read(given);
      return value === undefined ? null : { value };
    },
    optional: () => withAbsentValue(undefined),
    default: (defaultValue) => withAbsentValue(defaultValue),
  };
  return parser;
}

const numberPattern = /^\d+(\.\d+)?$/;

const parseNumber = (given: unknown): number | undefined => {
  const value = typeof given === 'string' && numberPattern.test(given.trim()) ? Number(given) : given;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
};

const checkRange = (value: number | undefined, min: number, max: number): number | undefined =>
  value !== undefined && value >= min && value <= max ? value : undefined;

const checkInteger = (value: number | undefined): number | undefined =>
  Number.isSafeInteger(value) ? value : undefined;

export const wholeNumber = (min: number, max: number) =>
  makeParser((given) => checkRange(checkInteger(parseNumber(given)), min, max));

export const numberBetween = (min: number, max: number) =>
  makeParser((given) => checkRange(parseNumber(given), min, max));

const booleanWords: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  1: true,
  false: false,
  no: false,
  off: false,
  0: false,
};

export const yesOrNo = () =>
  makeParser((given) => {
    if (typeof given === 'boolean') return given;
    const word = typeof given === 'string' ? given.trim().toLowerCase() : '';
    return Object.hasOwn(booleanWords, word) ? booleanWords[word] : undefined;
  });

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses `90s`, `2m`, `1.5h`, `30d`, `500ms`; a bare number is seconds. Returns milliseconds, or null. */
export function parseDuration(text: string): number | null {
  const [, count, unit] = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?$/.exec(text.trim()) ?? [];
  return count === undefined ? null : Math.round(Number(count) * units[unit ?? 's']!);
}

export const duration = (minMs: number, maxMs: number) =>
  makeParser((given) => {
    const ms =
      typeof given === 'number' ? given * 1000 : typeof given === 'string' ? parseDuration(given) : null;
    return checkRange(checkInteger(ms ?? undefined), minMs, maxMs);
  });

/** Milliseconds as a person would write them: `90s`, `2m`. */
export function formatDuration(ms: number): string {
  for (const unit of ['d', 'h', 'm', 's'] as const)
    if (ms >= units[unit]! && ms % units[unit]! === 0) return `${ms / units[unit]!}${unit}`;
  return `${ms}ms`;
}

const maxTextLength = 2000;

const parseText = (given: unknown): string | undefined => {
  const trimmed = typeof given === 'string' ? given.trim() : '';
  return trimmed !== '' && trimmed.length <= maxTextLength ? trimmed : undefined;
};

const checkPattern = (text: string | undefined, pattern: RegExp): string | undefined =>
  text !== undefined && pattern.test(text) ? text : undefined;

/** Text without control characters, so that it can be printed to a terminal. */
const parsePlainText = (given: unknown): string | undefined => checkPattern(parseText(given), /^\P{Cc}+$/u);

export const text = () => makeParser(parseText);

export const plainText = (pattern?: RegExp) =>
  makeParser((given) =>
    pattern === undefined ? parsePlainText(given) : checkPattern(parsePlainText(given), pattern),
  );

export const oneOf = <const Value extends string>(...values: readonly Value[]) =>
  makeParser((given) => values.find((value) => value === given));

/** Accepts the given word, or a value that `other` accepts. */
export const wordOr = <const Word extends string, Value>(word: Word, other: ValueParser<Value>) =>
  makeParser<Word | Value>((given) => (given === word ? word : other.read(given)?.value));

/** Accepts an http or https URL without credentials, since addresses are shown. */
export const address = () =>
  makeParser((given) => {
    const url = URL.parse(parsePlainText(given) ?? '');
    return url !== null && /^https?:$/.test(url.protocol) && !hasLogin(url)
      ? parsePlainText(given)
      : undefined;
  });

const hasLogin = ({ username, password }: URL): boolean => username !== '' || password !== '';

/** Accepts an address, or a host with or without a port, as Ollama does. */
export const host = () =>
  makeParser((given) => {
    const value = parsePlainText(given) ?? '';
    const url = URL.parse(/^https?:\/\//.test(value) ? value : `http://${value}`);
    return url !== null && !hasLogin(url) ? parsePlainText(given) : undefined;
  });

/** Parses each value of an array; undefined if one is not accepted, or if there are more than `max`. */
function parseItems<Value>(
  given: unknown,
  itemParser: ValueParser<Value>,
  max: number,
): readonly Value[] | undefined {
  if (!Array.isArray(given) || given.length > max) return undefined;
  const read = given.map((item) => itemParser.read(item));
  return read.every((item) => item !== null) ? read.map(({ value }) => value) : undefined;
}

/** Accepts an array of `min` to `max` values, each of which the parser accepts. */
export const arrayOf = <Value>(itemParser: ValueParser<Value>, min: number, max: number) =>
  makeParser((given) => {
    const items = parseItems(given, itemParser, max);
    return items !== undefined && items.length >= min ? items : undefined;
  });

export const parseSeparatedList = (separator: string) =>
  makeParser((given) =>
    parseItems(
      typeof given === 'string' ? given.split(separator).filter((item) => item !== '') : given,
      plainText(),
      100,
    ),
  );

/** Parses an object that may have only these fields; undefined if it has others, or if one is not accepted. */
export function parseFields<Shape extends object>(
  given: unknown,
  fieldParsers: { readonly [Name in keyof Shape]-?: ValueParser<Shape[Name] | undefined> },
): Shape | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined;
  const input = given as Readonly<Record<string, unknown>>;
  if (Object.keys(input).some((name) => !Object.hasOwn(fieldParsers, name))) return undefined;
  const read = Object.entries<ValueParser<unknown>>(fieldParsers).map(
    ([name, itemParser]) => [name, itemParser.read(input[name])] as const,
  );
  if (read.some(([, found]) => found === null)) return undefined;
  const presentFields = read.flatMap(([name, found]) =>
    found?.value === undefined ? [] : [[name, found.value]],
  );
  return Object.fromEntries(presentFields) as Shape;
}

/** Accepts an object whose names one parser accepts and whose values the other. */
export const recordOf = <Value>(names: ValueParser<string>, values: ValueParser<Value>) =>
  makeParser<Readonly<Record<string, Value>>>((given) => {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined;
    const rows = Object.entries(given).map(
      ([name, value]) => [names.read(name), values.read(value)] as const,
    );
    if (rows.some(([name, value]) => name === null || value === null)) return undefined;
    return Object.fromEntries(rows.map(([name, value]) => [name!.value, value!.value]));
  });
