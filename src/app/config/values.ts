/** Parses values of settings: text from a flag or the environment, or JSON from a file. */

/** A parser for one kind of value. Small on purpose, since every command reads the settings. */
export interface Form<Value> {
  /** Null if the value is not of this kind. */
  read(given: unknown): { readonly value: Value } | null;
  /** The same, but the value may be absent. */
  optional(): Form<Value | undefined>;
  default(defaultValue: Value): Form<Value>;
}

/** Makes a form from a function that returns the parsed value, or undefined if the value is not of this kind. */
export function form<Value>(read: (given: unknown) => Value | undefined): Form<Value> {
  const whenAbsent = <Absent>(absent: Absent): Form<Value | Absent> =>
    ({
      ...parser,
      read: (given: unknown) => (given === undefined ? { value: absent } : parser.read(given)),
    }) as Form<Value | Absent>;
  const parser: Form<Value> = {
    read(given) {
      const value = read(given);
      return value === undefined ? null : { value };
    },
    optional: () => whenAbsent(undefined),
    default: (usual) => whenAbsent(usual),
  };
  return parser;
}

const numeral = /^\d+(\.\d+)?$/;

const asNumber = (given: unknown): number | undefined => {
  const value = typeof given === 'string' && numeral.test(given.trim()) ? Number(given) : given;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
};

const between = (value: number | undefined, min: number, max: number): number | undefined =>
  value !== undefined && value >= min && value <= max ? value : undefined;

const whole = (value: number | undefined): number | undefined =>
  Number.isSafeInteger(value) ? value : undefined;

export const wholeNumber = (min: number, max: number) =>
  form((given) => between(whole(asNumber(given)), min, max));

export const amount = (min: number, max: number) => form((given) => between(asNumber(given), min, max));

const words: Readonly<Record<string, boolean>> = {
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
  form((given) => {
    if (typeof given === 'boolean') return given;
    const word = typeof given === 'string' ? given.trim().toLowerCase() : '';
    return Object.hasOwn(words, word) ? words[word] : undefined;
  });

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses `90s`, `2m`, `1.5h`, `30d`, `500ms`; a bare number is seconds. Returns milliseconds, or null. */
export function parseDuration(text: string): number | null {
  const [, count, unit] = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?$/.exec(text.trim()) ?? [];
  return count === undefined ? null : Math.round(Number(count) * units[unit ?? 's']!);
}

export const duration = (minMs: number, maxMs: number) =>
  form((given) => {
    const ms =
      typeof given === 'number' ? given * 1000 : typeof given === 'string' ? parseDuration(given) : null;
    return between(whole(ms ?? undefined), minMs, maxMs);
  });

/** Milliseconds as a person would write them: `90s`, `2m`. */
export function formatDuration(ms: number): string {
  for (const unit of ['d', 'h', 'm', 's'] as const)
    if (ms >= units[unit]! && ms % units[unit]! === 0) return `${ms / units[unit]!}${unit}`;
  return `${ms}ms`;
}

const maxTextLength = 2000;

const textIn = (given: unknown): string | undefined => {
  const trimmed = typeof given === 'string' ? given.trim() : '';
  return trimmed !== '' && trimmed.length <= maxTextLength ? trimmed : undefined;
};

const matching = (text: string | undefined, pattern: RegExp): string | undefined =>
  text !== undefined && pattern.test(text) ? text : undefined;

/** Text without control characters, which may be printed to a terminal. */
const plainIn = (given: unknown): string | undefined => matching(textIn(given), /^\P{Cc}+$/u);

export const text = () => form(textIn);

export const plain = (pattern?: RegExp) =>
  form((given) => (pattern === undefined ? plainIn(given) : matching(plainIn(given), pattern)));

export const oneOf = <const Value extends string>(...values: readonly Value[]) =>
  form((given) => values.find((value) => value === given));

/** One of these words, or a value of the form. */
export const either = <const Word extends string, Value>(word: Word, other: Form<Value>) =>
  form<Word | Value>((given) => (given === word ? word : other.read(given)?.value));

/** Protocol, host and path of an HTTP service; no credentials in it, since addresses are shown. */
export const address = () =>
  form((given) => {
    const url = URL.parse(plainIn(given) ?? '');
    return url !== null && /^https?:$/.test(url.protocol) && !hasLogin(url) ? plainIn(given) : undefined;
  });

const hasLogin = ({ username, password }: URL): boolean => username !== '' || password !== '';

/** An address, or a host with or without a port, as Ollama accepts it. */
export const host = () =>
  form((given) => {
    const value = plainIn(given) ?? '';
    const url = URL.parse(/^https?:\/\//.test(value) ? value : `http://${value}`);
    return url !== null && !hasLogin(url) ? plainIn(given) : undefined;
  });

/** Parses each value of an array; undefined if one of them does not fit, or if there are too many. */
function each<Value>(given: unknown, of: Form<Value>, max: number): readonly Value[] | undefined {
  if (!Array.isArray(given) || given.length > max) return undefined;
  const read = given.map((item) => of.read(item));
  return read.every((item) => item !== null) ? read.map(({ value }) => value) : undefined;
}

/** An array of between `min` and `max` values of a form. */
export const many = <Value>(of: Form<Value>, min: number, max: number) =>
  form((given) => {
    const found = each(given, of, max);
    return found !== undefined && found.length >= min ? found : undefined;
  });

export const list = (separator: string) =>
  form((given) =>
    each(
      typeof given === 'string' ? given.split(separator).filter((item) => item !== '') : given,
      plain(),
      100,
    ),
  );

/** An object with exactly these fields, each of its form; undefined if it does not fit. */
export function fields<Shape extends object>(
  given: unknown,
  forms: { readonly [Name in keyof Shape]-?: Form<Shape[Name] | undefined> },
): Shape | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined;
  const named = given as Readonly<Record<string, unknown>>;
  if (Object.keys(named).some((name) => !Object.hasOwn(forms, name))) return undefined;
  const read = Object.entries<Form<unknown>>(forms).map(
    ([name, of]) => [name, of.read(named[name])] as const,
  );
  if (read.some(([, found]) => found === null)) return undefined;
  const there = read.flatMap(([name, found]) => (found?.value === undefined ? [] : [[name, found.value]]));
  return Object.fromEntries(there) as Shape;
}

/** An object whose names fit one form and whose values fit another. */
export const record = <Value>(names: Form<string>, values: Form<Value>) =>
  form<Readonly<Record<string, Value>>>((given) => {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined;
    const rows = Object.entries(given).map(
      ([name, value]) => [names.read(name), values.read(value)] as const,
    );
    if (rows.some(([name, value]) => name === null || value === null)) return undefined;
    return Object.fromEntries(rows.map(([name, value]) => [name!.value, value!.value]));
  });
