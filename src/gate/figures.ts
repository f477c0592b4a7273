/** Figures in a text, with their units, as values that can be compared: 15 s and 15,000 ms are the same. */

type Dimension = 'time' | 'bytes' | 'percent' | 'money' | null;

export interface Figure {
  /** As it is written, unit included. */
  readonly text: string;
  readonly at: number;
  readonly end: number;
  /** The number that is written, its letter (1.5k) worked in. */
  readonly number: number;
  /** In milliseconds, bytes, hundredths; the number itself where there is no unit. */
  readonly value: number;
  readonly dimension: Dimension;
  /** Half of the last digit that is written, in the units of `value`. */
  readonly tolerance: number;
  /** Its value where a kilobyte has 1,024 bytes, or a point parts thousands. */
  readonly otherwise?: number;
  /** Whether it is but a part of a larger one: `10` of `10 * time.Second`. */
  readonly isPart?: true;
  /** A word, such as `three`: often counted by whoever wrote it, not read. */
  readonly isWord: boolean;
}

const units: readonly (readonly [Dimension, number, string])[] = [
  ['time', 1e-6, 'ns|nanos(?:econds?)?'],
  ['time', 1e-3, 'µs|μs|us|micros(?:econds?)?'],
  ['time', 1, 'ms|msecs?|millis(?:econds?)?'],
  ['time', 1e3, 's|secs?|seconds?|sekunden?'],
  ['time', 6e4, 'm|mins?|minutes?|minuten?'],
  ['time', 3.6e6, 'h|hrs?|hours?|stunden?'],
  ['time', 8.64e7, 'd|days?|tagen?|tage?'],
  ['time', 6.048e8, 'w|wks?|weeks?|wochen?'],
  ['bytes', 1, 'b|bytes?'],
  ['bytes', 1e3, 'kb|kilobytes?'],
  ['bytes', 1024, 'ki|kib|kibibytes?'],
  ['bytes', 1e6, 'mb|megabytes?'],
  ['bytes', 1024 ** 2, 'mi|mib|mebibytes?'],
  ['bytes', 1e9, 'gb|gigabytes?'],
  ['bytes', 1024 ** 3, 'gi|gib|gibibytes?'],
  ['bytes', 1e12, 'tb|terabytes?'],
  ['bytes', 1024 ** 4, 'ti|tib|tebibytes?'],
  ['percent', 1, '%|percent|per cent|prozent|pct|percentage points?|pp'],
];
const letters: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, g: 1e9, b: 1e9, bn: 1e9, t: 1e12 };
const larger: Readonly<Record<string, number>> = { hundred: 100, thousand: 1e3, million: 1e6, billion: 1e9 };
const words = [
  ...['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven'],
  ...['twelve', 'thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen', 'twenty'],
];
const wordValues: ReadonlyMap<string, number> = new Map([
  ...words.map((word, value) => [word, value] as const),
  ...['thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'].map(
    (word, index) => [word, (index + 3) * 10] as const,
  ),
  ['twice', 2],
  ['thrice', 3],
]);

const number =
  "0x[0-9a-fA-F_]+|\\d{1,3}(?:[,'\u2019]\\d{3})+(?:\\.\\d+)?|\\d[\\d_]*(?:\\.\\d+)?(?:e[+-]?\\d+)?|\\.\\d+";
const unitWords = units.map(([, , names]) => names).join('|');
/** Not within a name (`utf8`), a version (1.2.3), a time (10:30) or a date (2024-01-02). */
const form = new RegExp(
  `(?<![\\p{L}\\p{N}_.$#]|\\p{N}:|[\\p{L}_]-|\\d{4}-(?:\\d\\d-)?)(?<sign>[$€£])?(?<number>${number})(?![\\d_]|\\.\\d)` +
    `(?:(?<letter>[kKMGBT]|bn)(?![\\p{L}\\p{N}_])|[x×](?![\\p{L}\\p{N}_])|[\\s-]?(?<unit>${unitWords})(?![\\p{L}_])|` +
    `\\s(?<larger>hundred|thousand|million|billion)\\b(?:\\s(?<unit2>${unitWords})(?![\\p{L}\\p{N}_]))?)?(?![\\p{L}_]|:\\d|-\\d+-)`,
  'giu',
);
const wordForm = new RegExp(
  `(?<![\\p{L}\\p{N}_-])(?<word>${[...wordValues.keys()].join('|')})(?:[\\s-](?<larger>hundred|thousand|million|billion))?` +
    `(?:[\\s-](?<unit>${unitWords}))?(?![\\p{L}\\p{N}_])`,
  'giu',
);

export function figuresIn(text: string): readonly Figure[] {
  const found: Figure[] = [];
  for (const match of text.matchAll(form)) {
    const { sign, number: digits = '', letter, unit, unit2, larger: times } = match.groups!;
    const plain = digits.replace(/[,_'\u2019]/g, '');
    const factor =
      (letter === undefined ? 1 : letters[letter.toLowerCase()]!) * (larger[times?.toLowerCase() ?? ''] ?? 1);
    found.push(
      figure(
        match[0],
        match.index,
        Number(plain) * factor,
        unit ?? unit2,
        lastDigit(plain) * factor,
        sign !== undefined,
      ),
    );
  }
  return joinFigures(found, text);
}

/** `3 hours, 12 minutes` is one figure; of `6-7 hours` the first has the unit too. */
function joinFigures(found: readonly Figure[], text: string): readonly Figure[] {
  const figures: Figure[] = [];
  for (const one of found) {
    const before = figures.at(-1);
    const between = before === undefined ? '' : text.slice(before.end, one.at);
    if (
      before?.dimension === 'time' &&
      one.dimension === 'time' &&
      /^(?:,? and |, | )?$/.test(between) &&
      one.value < before.value
    ) {
      const value = before.value + one.value;
      const whole = {
        text: text.slice(before.at, one.end),
        at: before.at,
        end: one.end,
        number: value,
        value,
      };
      figures[figures.length - 1] = { ...before, ...whole, tolerance: 0 };
    } else if (
      before !== undefined &&
      before.dimension === null &&
      one.dimension !== null &&
      /^\s?(?:-|to|or|and)\s?$/.test(between)
    ) {
      const factor = one.value / one.number;
      figures[figures.length - 1] = {
        ...before,
        dimension: one.dimension,
        value: before.number * factor,
        tolerance: before.tolerance * factor,
      };
      figures.push(one);
    } else figures.push(one);
  }
  return figures;
}

/** Numbers that are written as words. `one` is rarely a figure and is left out. */
export function wordFiguresIn(text: string): readonly Figure[] {
  return [...text.matchAll(wordForm)].flatMap((match) => {
    const { word = '', larger: times, unit } = match.groups!;
    const value = wordValues.get(word.toLowerCase())! * (larger[times?.toLowerCase() ?? ''] ?? 1);
    if (word.toLowerCase() === 'one' && unit === undefined && times === undefined) return [];
    return [{ ...figure(match[0], match.index, value, unit, 1, false), isWord: true }];
  });
}

function figure(
  text: string,
  at: number,
  value: number,
  unit: string | undefined,
  digit: number,
  isMoney: boolean,
): Figure {
  const [dimension, factor] = unit === undefined ? [isMoney ? ('money' as const) : null, 1] : unitOf(unit);
  const tolerance = (digit * factor) / 2;
  const otherwise = binaryOf(text, value, dimension) ?? thousandsOf(text);
  return {
    text,
    at,
    end: at + text.length,
    number: value,
    value: value * factor,
    dimension,
    tolerance,
    isWord: false,
    ...(otherwise !== null && { otherwise }),
  };
}

function binaryOf(text: string, value: number, dimension: Dimension): number | null {
  const prefix = dimension === 'bytes' ? /([kmgt])(?:b|ilo|ega|iga|era)[a-z]*$/i.exec(text)?.[1] : undefined;
  return prefix === undefined ? null : value * 1024 ** ('kmgt'.indexOf(prefix.toLowerCase()) + 1);
}

function thousandsOf(text: string): number | null {
  return /^\d{1,3}(?:\.\d{3})+$/.test(text) ? Number(text.replaceAll('.', '')) : null;
}

function unitOf(name: string): readonly [Dimension, number] {
  const folded = name.toLowerCase();
  const found = units.find(([, , names]) => new RegExp(`^(?:${names})$`).test(folded));
  return found === undefined ? [null, 1] : [found[0], found[1]];
}

/** What the last digit written is worth: 0.01 of 1.25, and 1 of 1500. */
function lastDigit(plain: string): number {
  const fraction = /\.(\d+)/.exec(plain)?.[1];
  return fraction === undefined ? 1 : 10 ** -fraction.length;
}

export function isSame(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
}

/**
 * same: the claim's figure is the source's. unit_open: the number is there without a unit, and the claim gives it one
 * that it may have.
 */
export type FigureMatch = 'same' | 'unit_open' | null;

/** `named` is the text before the source's figure, whose name may give the unit: `timeout_ms = 15000`. */
export function matchFigure(claimed: Figure, given: Figure, named = '', around = ''): FigureMatch {
  const { dimension } = claimed;
  const isNear = (value: number): boolean => isAbout(claimed, given, value);
  if (dimension === given.dimension) {
    const values = [given.value, given.otherwise].filter((value) => value !== undefined);
    return values.some(
      (value) => isNear(value) || (claimed.otherwise !== undefined && isSame(claimed.otherwise, value)),
    )
      ? 'same'
      : null;
  }
  if (dimension === null) return isSame(claimed.number, given.number) ? 'same' : null;
  if (given.dimension !== null) return null;
  if (dimension === 'percent')
    return isNear(given.number * 100) || isSame(claimed.number, given.number) ? 'same' : null;
  const unit = unitInName(named, dimension);
  if (unit !== null) return isNear(given.number * unit) ? 'same' : null;
  if (claimed.otherwise !== undefined && isSame(claimed.otherwise, given.number) && given.number >= 1_024)
    return 'same';
  if (given.isPart) return null;
  const open = openUnits[dimension] ?? [];
  if (open.some((factor) => isNear(given.number * factor))) return 'unit_open';
  // Of a unit that programs do not count in the lines have to say it.
  return isSame(claimed.number, given.number) && saysUnit(claimed.text, around) ? 'unit_open' : null;
}

/** Equal, or the source is more exact, and rounds to it. */
function isAbout(claimed: Figure, given: Figure, value: number): boolean {
  if (isSame(claimed.value, value)) return true;
  return (
    /\d\.\d/.test(given.text) &&
    given.tolerance < claimed.tolerance &&
    Math.abs(claimed.value - value) <= claimed.tolerance * 1.000001
  );
}

function saysUnit(text: string, around: string): boolean {
  const unit = /\p{L}+$/u.exec(text)?.[0].toLowerCase().replace(/s$/, '') ?? '';
  return unit.length > 2
    ? around.toLowerCase().includes(unit.slice(0, 3))
    : new RegExp(`(?<!\\p{L})${unit}(?!\\p{L})`, 'iu').test(around);
}

const openUnits: Readonly<Record<string, readonly number[]>> = {
  time: [1e-6, 1e-3, 1, 1e3],
  bytes: [1],
};

const nameUnits: readonly (readonly [RegExp, Dimension, number])[] = [
  [
    /(?:_|\b|[a-z])(?:ns|Ns|nanos|Nanos(?:econds?)?|nanoseconds?)[\s"'\]})]*(?:[:=(]|\*|,)[^\p{L}]*$/u,
    'time',
    1e-6,
  ],
  [
    /(?:_|\b|[a-z])(?:us|Micros(?:econds?)?|microseconds?|micros)[\s"'\]})]*(?:[:=(]|\*|,)[^\p{L}]*$/u,
    'time',
    1e-3,
  ],
  [
    /(?:_|\b|[a-z])(?:ms|Ms|MS|Millis(?:econds?)?|millis(?:econds?)?|MILLIS)[\s"'\]})]*(?:[:=(]|\*|,)[^\p{L}]*$/u,
    'time',
    1,
  ],
  [
    /(?:_|\b|[a-z])(?:s|secs?|Secs?|[Ss]econds?|SECONDS?|SECS?)[\s"'\]})]*(?:[:=(]|\*|,)[^\p{L}]*$/u,
    'time',
    1e3,
  ],
  [/(?:_|\b|[a-z])(?:mins?|[Mm]inutes?|Mins?|MINUTES?)[\s"'\]})]*(?:[:=(]|\*|,)[^\p{L}]*$/u, 'time', 6e4],
  [/(?:_|\b|[a-z])(?:[Hh]ours?|hrs?|HOURS?)[\s"'\]})]*(?:[:=(]|\*|,)[^\p{L}]*$/u, 'time', 3.6e6],
  [/(?:_|\b|[a-z])(?:[Dd]ays?|DAYS?)[\s"'\]})]*(?:[:=(]|\*|,)[^\p{L}]*$/u, 'time', 8.64e7],
  [/(?:_|\b|[a-z])(?:[Bb]ytes?|BYTES?)[\s"'\]})]*(?:[:=(]|\*|,)[^\p{L}]*$/u, 'bytes', 1],
  [/(?:_|[a-z])(?:kb|Kb|KB)[\s"'\]})]*[:=(][^\p{L}]*$/u, 'bytes', 1e3],
  [/(?:_|[a-z])(?:mb|Mb|MB)[\s"'\]})]*[:=(][^\p{L}]*$/u, 'bytes', 1e6],
  [/(?:_|[a-z])(?:gb|Gb|GB)[\s"'\]})]*[:=(][^\p{L}]*$/u, 'bytes', 1e9],
];

function unitInName(before: string, dimension: Dimension): number | null {
  const near = before.slice(-60);
  for (const [pattern, kind, factor] of nameUnits)
    if (kind === dimension && !/(?:^|[^\p{L}])s\s*[=:]/u.test(near.slice(-6)) && pattern.test(near))
      return factor;
  return null;
}
