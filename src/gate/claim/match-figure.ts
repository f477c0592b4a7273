/**
 * Decides whether a figure of a claim equals a figure of the lines: exactly, rounded, or with the unit in the name
 * before it.
 */
import type { Dimension, Figure } from './figures.ts';

function isSame(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
}

/**
 * same: both figures are equal. unit_open: the source has the number without a unit, and the claim adds a plausible
 * one.
 */
type FigureMatch = 'same' | 'unit_open' | null;

/** `named` is the text before the source's figure; a name in it may give the unit: `timeout_ms = 15000`. */
export function matchFigure(claimed: Figure, figure: Figure, named = '', around = ''): FigureMatch {
  const { dimension } = claimed;
  const isNear = (value: number): boolean => roundsTo(claimed, figure, value);
  if (dimension === figure.dimension) {
    // `0 ms` may be a rounded time; `0 minutes` says less. Nothing is the same in units of another length.
    if (claimed.value === 0 && figure.value === 0 && claimed.tolerance > figure.tolerance * 10) return null;
    const values = [figure.value, figure.otherwise].filter((value) => value !== undefined);
    return values.some(
      (value) => isNear(value) || (claimed.otherwise !== undefined && isSame(claimed.otherwise, value)),
    )
      ? 'same'
      : null;
  }
  if (dimension === null) return isSame(claimed.number, figure.number) ? 'same' : null;
  if (figure.dimension !== null) return null;
  if (dimension === 'percent')
    return isNear(figure.number * 100) ||
      (isSame(claimed.number, figure.number) && percentWord.test(/\|/.test(around) ? around : named))
      ? 'same'
      : isSame(claimed.number, figure.number)
        ? 'unit_open'
        : null;
  const unit = findUnitInName(named, dimension);
  if (unit !== null) return isNear(figure.number * unit) ? 'same' : null;
  if (claimed.otherwise !== undefined && isSame(claimed.otherwise, figure.number) && figure.number >= 1_024)
    return 'same';
  if (figure.isPart) return null;
  const open = openUnits[dimension] ?? [];
  if (open.some((factor) => isNear(figure.number * factor))) return 'unit_open';
  // A unit that programs do not count in must be named in the lines.
  return isSame(claimed.number, figure.number) && mentionsUnit(claimed.text, around) ? 'unit_open' : null;
}

/** Whether the values are equal, or the source is more exact and rounds to the claimed value. */
function roundsTo(claimed: Figure, figure: Figure, value: number): boolean {
  if (isSame(claimed.value, value)) return true;
  return (
    /\d\.\d/.test(figure.text) &&
    figure.tolerance < claimed.tolerance &&
    Math.abs(claimed.value - value) <= claimed.tolerance * 1.000001
  );
}

/** Words of a name, of a table's head or of the line that say that it counts in hundredths. */
const percentWord =
  /%|percent|prozent|pct|per cent|(?:rate|ratio|share|usage|utili[sz]ation|fraction)(?![\p{Ll}])/iu;

function mentionsUnit(text: string, around: string): boolean {
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

/** The period that a time is the average of, and not its unit: `timeDay`. */
const periodName =
  /(?:time|latency|duration|average|avg|mean)_?(?:Day|Week|Month|Year|Hour|day|week|month|year|hour)["']?\s*[:=]\s*$/;

function findUnitInName(before: string, dimension: Dimension): number | null {
  const near = before.slice(-60);
  if (periodName.test(near)) return null;
  for (const [pattern, kind, factor] of nameUnits)
    if (kind === dimension && !/(?:^|[^\p{L}])s\s*[=:]/u.test(near.slice(-6)) && pattern.test(near))
      return factor;
  return null;
}
