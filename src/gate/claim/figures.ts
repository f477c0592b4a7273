/** Figures in a text, with their units, as comparable values: 15 s equals 15,000 ms. */

export type Dimension = 'time' | 'bytes' | 'percent' | 'money' | null;

export interface Figure {
  /** The figure as written, with its unit. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The number as written, with its letter (1.5k) applied. */
  readonly number: number;
  /** The value in milliseconds, bytes or hundredths; without a unit, the number itself. */
  readonly value: number;
  readonly dimension: Dimension;
  /** Half of the last written digit, in the units of `value`. */
  readonly tolerance: number;
  /**
   * A second possible value: with 1,024 bytes to a kilobyte, with the point as a separator of thousands, or, for the
   * `12h` of `12h30m`, the whole duration.
   */
  readonly otherwise?: number;
  /** Whether the figure is only a part of a larger one: `10` of `10 * time.Second`. */
  readonly isPart?: true;
  /** Whether it is a word, such as `three`: the author often counted the items rather than read the number. */
  readonly isWord: boolean;
}

/** A twelfth of a year, so that 12 months are a year. */
const monthMs = 8.64e7 * 30.4375;

const units: readonly (readonly [Dimension, number, string])[] = [
  ['time', 1e-6, 'ns|nanos(?:econds?)?'],
  ['time', 1e-3, 'µs|μs|us|micros(?:econds?)?'],
  ['time', 1, 'ms|msecs?|millis(?:econds?)?'],
  ['time', 1e3, 's|secs?|seconds?|sekunden?'],
  ['time', 6e4, 'm|mins?|minutes?|minuten?'],
  ['time', 3.6e6, 'h|hrs?|hours?|stunden?'],
  ['time', 8.64e7, 'd|days?|tagen?|tage?'],
  ['time', 6.048e8, 'w|wks?|weeks?|wochen?'],
  ['time', monthMs, 'months?|monate?n?'],
  ['time', 12 * monthMs, 'yrs?|years?|jahre?n?'],
  ['bytes', 1, 'b|bytes?'],
  ['bytes', 1e3, 'kb|kbytes?|kilobytes?'],
  ['bytes', 1024, 'ki|kib|kibibytes?'],
  ['bytes', 1e6, 'mb|mbytes?|megabytes?'],
  ['bytes', 1024 ** 2, 'mi|mib|mebibytes?'],
  ['bytes', 1e9, 'gb|gbytes?|gigabytes?'],
  ['bytes', 1024 ** 3, 'gi|gib|gibibytes?'],
  ['bytes', 1e12, 'tb|terabytes?'],
  ['bytes', 1024 ** 4, 'ti|tib|tebibytes?'],
  ['percent', 1, '%|percent|per cent|prozent|pct|percentage points?|pp'],
];
const letterFactors: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, g: 1e9, b: 1e9, bn: 1e9, t: 1e12 };
const wordFactors: Readonly<Record<string, number>> = {
  hundred: 100,
  thousand: 1e3,
  million: 1e6,
  billion: 1e9,
};
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
/** Characters after a unit that show a hash (`5972d9592f`), not a duration (`12h30m`). */
const longer = `\\p{N}{3}|\\p{N}+(?!(?:${unitWords})(?![\\p{L}_]))\\p{L}`;
/** Not within a name (`utf8`), a version (1.2.3), a time (10:30) or a date (2024-01-02). */
const form = new RegExp(
  `(?<![\\p{L}\\p{N}_$#]|(?<!\\d\\.)\\.|\\p{N}:|[\\p{L}_]-|\\d{4}-(?:\\d\\d-)?)(?<sign>[$€£])?(?<number>${number})(?![\\d_]|\\.\\d)` +
    `(?:(?<letter>[kKMGBT]|bn)(?![\\p{L}\\p{N}_])|[x×](?![\\p{L}\\p{N}_])|[\\s-]?(?<unit>${unitWords})(?![\\p{L}_]|${longer})|` +
    `\\s(?<larger>hundred|thousand|million|billion)\\b(?:\\s(?<unit2>${unitWords})(?![\\p{L}\\p{N}_]))?)?(?![\\p{L}_]|:\\d|-\\d+-)`,
  'giu',
);
const wordForm = new RegExp(
  `(?<![\\p{L}\\p{N}_-])(?<word>${[...wordValues.keys()].join('|')})(?:[\\s-](?<larger>hundred|thousand|million|billion))?` +
    `(?:[\\s-](?<unit>${unitWords}))?(?![\\p{L}\\p{N}_])`,
  'giu',
);

const uuid = /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/giu;

/** The rest of a duration: `30m` of `12h30m`. */
const restOfLength = /^(?:\d+(?:\.\d+)?(?:h|m|s|ms))+(?![\p{L}\p{N}_])/u;
const sumDuration = (text: string): number =>
  [...text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g)].reduce(
    (sum, [, number, unit]) => sum + Number(number) * findUnit(unit!)[1],
    0,
  );

export function findFigures(text: string): readonly Figure[] {
  const found: Figure[] = [];
  const ids = [...text.matchAll(uuid)];
  for (const match of text.matchAll(form)) {
    if (ids.some(({ index, 0: id }) => match.index >= index && match.index < index + id.length)) continue;
    const { sign, number: digits = '', letter, unit, unit2, larger: times } = match.groups!;
    const plain = digits.replace(/[,_'\u2019]/g, '');
    // `5m` is five minutes, `5M` and `$5m` are five million.
    const isMinutes = letter === 'm' && sign === undefined;
    const factor =
      (letter === undefined || isMinutes ? 1 : letterFactors[letter.toLowerCase()]!) *
      (wordFactors[times?.toLowerCase() ?? ''] ?? 1);
    const below = isBelowZero(text, match.index);
    const own = createFigure(
      below ? `-${match[0]}` : match[0],
      below ? match.index - 1 : match.index,
      (below ? -1 : 1) * Number(plain) * factor,
      unit ?? unit2 ?? (isMinutes ? letter : undefined),
      weighLastDigit(plain) * factor,
      sign !== undefined,
    );
    const rest = own.dimension === 'time' ? (restOfLength.exec(text.slice(own.end))?.[0] ?? '') : '';
    found.push(rest === '' ? own : { ...own, otherwise: own.value + sumDuration(rest) });
  }
  return joinFigures(found.length < 2 ? found : joinDecimalCommas(found, text), text);
}

/** What an amount with a decimal comma counts: `3,5 Mio. Euro`, `2,5 GB`. */
const countedUnit = /^\s?(?:mio|mrd|mln|mld|mill?i\p{L}+|euros?|eur|€|zł|%|kg|[kcm]?m|km\/h|°|[kmg]?w\b)/iu;

/** Joins the two parts of `3,5 Mio.`, where a unit or a counted thing follows. In code, `f(3,5)` has two figures. */
function joinDecimalCommas(found: readonly Figure[], text: string): readonly Figure[] {
  const joined: Figure[] = [];
  for (const figure of found) {
    const before = joined.at(-1);
    const isPart =
      before !== undefined &&
      before.dimension === null &&
      before.end + 1 === figure.start &&
      text[before.end] === ',' &&
      /^\d{1,3}$/.test(before.text) &&
      /^\d{1,2}(?!\d)/.test(figure.text) &&
      /(?:^|[\s~≈(])$/.test(text.slice(0, before.start)) &&
      (figure.dimension !== null || countedUnit.test(text.slice(figure.end)));
    if (!isPart) {
      joined.push(figure);
      continue;
    }
    const digits = /^\d+/.exec(figure.text)![0];
    const factor = figure.value / figure.number;
    const number = Number(`${before.text}.${digits}`);
    joined[joined.length - 1] = {
      ...{ ...figure, text: text.slice(before.start, figure.end), start: before.start },
      ...{ number, value: number * factor, tolerance: (10 ** -digits.length * factor) / 2 },
    };
  }
  return joined;
}

/**
 * A minus sign at the beginning of a value. In other places it may join a range, a flag (`head -3`) or the parts of a
 * name.
 */
const beforeValue =
  /(?:[=:([{,<>*/+"'`]|\b(?:is|are|was|were|of|to|at|by|from|than|below|above|case|when|for|with|on|and|or|value|code|status|return(?:s|ing)?|yield(?:s|ing)?|gives?|equals?|becomes?))\s*[-\u2212]$/iu;
const isBelowZero = (text: string, at: number): boolean =>
  /[-\u2212]/.test(text[at - 1] ?? '') &&
  (beforeValue.test(text.slice(Math.max(0, at - 20), at)) ||
    // `initialized -22.777 PPM`
    (/\p{Ll}{3} [-\u2212]$/u.test(text.slice(Math.max(0, at - 5), at)) && /^\d+\.\d/.test(text.slice(at))));

/** Joins figures: `3 hours, 12 minutes` is one figure. In `6-7 hours`, the first figure gets the unit too. */
function joinFigures(found: readonly Figure[], text: string): readonly Figure[] {
  const figures: Figure[] = [];
  for (const figure of found) {
    const before = figures.at(-1);
    const between = before === undefined ? '' : text.slice(before.end, figure.start);
    if (
      before?.dimension === 'time' &&
      figure.dimension === 'time' &&
      /^(?:,? and |, | )?$/.test(between) &&
      figure.value < before.value
    ) {
      const value = before.value + figure.value;
      const whole = {
        text: text.slice(before.start, figure.end),
        end: figure.end,
        number: value,
        value,
      };
      figures[figures.length - 1] = { ...before, ...whole, tolerance: 0 };
    } else if (
      before !== undefined &&
      before.dimension === null &&
      figure.dimension !== null &&
      /^\s?(?:-|to|or|and)\s?$/.test(between)
    ) {
      const factor = figure.value / figure.number;
      figures[figures.length - 1] = {
        ...before,
        dimension: figure.dimension,
        value: before.number * factor,
        tolerance: before.tolerance * factor,
      };
      figures.push(figure);
    } else figures.push(figure);
  }
  return figures;
}

/** Numbers that are written as words. `one` is rarely a figure and is left out. */
export function findWordFigures(text: string): readonly Figure[] {
  return [...text.matchAll(wordForm)].flatMap((match) => {
    const { word = '', larger: times, unit } = match.groups!;
    const value = wordValues.get(word.toLowerCase())! * (wordFactors[times?.toLowerCase() ?? ''] ?? 1);
    if (word.toLowerCase() === 'one' && unit === undefined && times === undefined) return [];
    return [{ ...createFigure(match[0], match.index, value, unit, 1, false), isWord: true }];
  });
}

function createFigure(
  text: string,
  at: number,
  value: number,
  unit: string | undefined,
  digit: number,
  isMoney: boolean,
): Figure {
  const [dimension, factor] = unit === undefined ? [isMoney ? ('money' as const) : null, 1] : findUnit(unit);
  const tolerance = (digit * factor) / 2;
  const otherwise = toBinaryBytes(text, value, dimension) ?? parseThousands(text);
  return {
    text,
    start: at,
    end: at + text.length,
    number: value,
    value: value * factor,
    dimension,
    tolerance,
    isWord: false,
    ...(otherwise !== null && { otherwise }),
  };
}

function toBinaryBytes(text: string, value: number, dimension: Dimension): number | null {
  const prefix = dimension === 'bytes' ? /([kmgt])(?:b|ilo|ega|iga|era)[a-z]*$/i.exec(text)?.[1] : undefined;
  return prefix === undefined ? null : value * 1024 ** ('kmgt'.indexOf(prefix.toLowerCase()) + 1);
}

function parseThousands(text: string): number | null {
  return /^\d{1,3}(?:\.\d{3})+$/.test(text) ? Number(text.replaceAll('.', '')) : null;
}

function findUnit(name: string): readonly [Dimension, number] {
  const folded = name.toLowerCase();
  const found = units.find(([, , names]) => new RegExp(`^(?:${names})$`).test(folded));
  return found === undefined ? [null, 1] : [found[0], found[1]];
}

/** The weight of the last digit: 0.01 for 1.25, and 1 for 1500. */
function weighLastDigit(plain: string): number {
  const fraction = /\.(\d+)/.exec(plain)?.[1];
  return fraction === undefined ? 1 : 10 ** -fraction.length;
}
