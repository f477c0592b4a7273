/** Numbers with their units, as people, metrics and diffs write them, and when two of them are the same. */
import { unitOf } from '../../brief/diff.ts';

/** Times are held in milliseconds, sizes in bytes. */
export interface Quantity {
  /** As it stands there, with its unit. */
  readonly text: string;
  readonly value: number;
  /** null: no unit stands beside it. */
  readonly unit: 'time' | 'size' | '%' | null;
  /** The place of its last digit, in the unit of `value`: 0.1 for 3.8. */
  readonly place: number;
  /** Where it begins. */
  readonly at: number;
  readonly end: number;
  /** A word before it says that it is not exact. */
  readonly loose: boolean;
}

const shape =
  /(?<![\w.$])([-+]?\d+(?:[,_]\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?)(?:\s?(%|percent\b)|\s*\*\s*(?:time\.|Duration\.|TimeUnit\.)?([A-Za-z]+)\b|[\s-]?(ns|us|ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?|[KMG]i?B?|kB)\b|\s(thousand|million|billion)\b|x(?!\w))?(?![\w])/g;
const thousands: Readonly<Record<string, number>> = { thousand: 1e3, million: 1e6, billion: 1e9 };
const hedge =
  /(?:about|around|roughly|nearly|almost|some|approximately|approx\.?|over|under|above|below|more than|less than|up to|~|≈)\s*$/i;
const sizes = /^[KMG]i?B?$|^kB$/;

export function quantitiesIn(text: string): readonly Quantity[] {
  return [...text.matchAll(shape)].map((match) => {
    const [whole, digits = '', percent, product, suffix, many] = match;
    const bare = digits.replace(/[,_]/g, '');
    const name = product ?? suffix;
    const isSize = name !== undefined && sizes.test(name);
    const scale = many !== undefined ? thousands[many.toLowerCase()]! : name === undefined ? 1 : unitOf(name);
    const decimals = /\.(\d+)/.exec(bare)?.[1]?.length ?? 0;
    return {
      text: whole,
      value: Number(bare) * scale,
      unit:
        percent !== undefined
          ? '%'
          : name === undefined || (scale === 1 && !isTime(name))
            ? null
            : isSize
              ? 'size'
              : 'time',
      place: 10 ** -decimals * scale,
      at: match.index,
      end: match.index + whole.length,
      loose: hedge.test(text.slice(0, match.index)),
    };
  });
}

const isTime = (name: string): boolean => /^(ms|milli)/i.test(name);

/** A hedged number may be this far off. */
const nearly = 0.05;
/** And one of two digits, if it is what the other is rounded to: 95 for 94.6, and not 18 for 17.6. */
const closely = 0.01;

/**
 * Whether a number that is claimed is the one that stands there. `unit` is that of the metric, where only its name
 * tells it. A number may be rounded to the digits that it shows, if these are three or more (two behind a
 * point, or hardly off), or if it is hedged.
 */
export function isSame(claimed: Quantity, held: Quantity, unit: Quantity['unit'] = null, scale = 1): boolean {
  const heldUnit = held.unit ?? unit;
  const value = held.unit === null ? held.value * scale : held.value;
  if (claimed.unit === '%' && heldUnit === null)
    return near(claimed, held.value) || near({ ...claimed, place: claimed.place }, held.value * 100);
  if (claimed.unit !== null && heldUnit !== null && claimed.unit !== heldUnit) return false;
  // Without a unit of its own a number is read as the evidence writes it.
  return near(claimed, claimed.unit === null ? held.value / (held.unit === null ? 1 : scaleOf(held)) : value);
}

/** What one of the unit is that stands beside it: the text of a diff is `15 * time.Second`, a claim may say 15. */
const scaleOf = ({ text, value }: Quantity): number => {
  const bare = Number(/[-+]?\d[\d,_]*(?:\.\d+)?/.exec(text)?.[0]?.replace(/[,_]/g, '') ?? value);
  return bare === 0 ? 1 : value / bare;
};

function near({ value, place, loose }: Quantity, held: number): boolean {
  const off = Math.abs(Math.abs(value) - Math.abs(held));
  if (off <= 1e-9 * Math.max(1, Math.abs(held))) return true;
  if (loose && off <= nearly * Math.abs(held)) return true;
  const digits = Math.round(Math.abs(value) / place).toString().length;
  return (
    (digits >= 3 || (digits >= 2 && (place < 1 || off <= closely * Math.abs(held))) || loose) &&
    off <= place / 2 + 1e-9
  );
}
