/** Figures that a source writes as an expression: `5 * time.Second`, `24 * 60 * 60`, `1 << 20`, `3 of 12`, `5/20`. */
import type { Figure } from './figures.ts';

const product =
  /(?<![\p{L}\p{N}_.])(\d[\d_]*(?:\.\d+)?)((?:\s*\*\s*\d[\d_]*(?:\.\d+)?)+)(?![\p{L}\p{N}_.])/gu;
const duration =
  /(?<![\p{L}\p{N}_.])(?:(\d[\d_]*(?:\.\d+)?)\s*\*\s*)?(?:time\.|Duration\.|TimeUnit\.|chrono::)(?:of|from_)?(Nanosecond|Microsecond|Millisecond|Second|Minute|Hour|Day|nano|micro|milli|millis|sec|min)s?\(?(\d[\d_]*(?:\.\d+)?)?/giu;
const keywordArguments =
  /\b(?:timedelta|Duration|delta|relativedelta)\(\s*((?:(?:weeks|days|hours|minutes|seconds|milliseconds)\s*[=:]\s*\d[\d_.]*\s*,?\s*)+)/g;
const shift = /(?<![\p{L}\p{N}_.])(\d+)\s*<<\s*(\d{1,2})(?!\d)/gu;
const power = /(?<![\p{L}\p{N}_.])(\d+)\s*(?:\*\*|\^)\s*(\d{1,2})(?!\d)/gu;
const ratio =
  /(?<![\p{L}\p{N}_.])(\d[\d,]*(?:\.\d+)?)\s*(?:\/|of|out of)\s*(\d[\d,]*(?:\.\d+)?)(?![\p{L}\d_/])/gu;
/** A duration as a clock shows it. */
const clockDuration = /(?<![\d:T-])(\d{1,3}):([0-5]\d):([0-5]\d(?:\.\d+)?)(?![\d:])/g;
/** The same as `time` prints it: `0m5.566s`. */
const timeOutput = /(?<![\p{L}\p{N}_.])(?:(\d+)h)?(\d+)m([0-5]?\d(?:\.\d+)?)s(?![\p{L}\p{N}_])/gu;
const perUnit: Readonly<Record<string, number>> = {
  nanosecond: 1e-6,
  nano: 1e-6,
  microsecond: 1e-3,
  micro: 1e-3,
  millisecond: 1,
  milli: 1,
  milliseconds: 1,
  second: 1e3,
  sec: 1e3,
  minute: 6e4,
  min: 6e4,
  hour: 3.6e6,
  day: 8.64e7,
  week: 6.048e8,
};

export function findComputed(text: string): readonly Figure[] {
  const found: Figure[] = [];
  const add = (
    match: RegExpMatchArray,
    value: number,
    dimension: Figure['dimension'],
    tolerance = 0,
  ): void => {
    if (!Number.isFinite(value)) return;
    const at = match.index ?? 0;
    const shared = { text: match[0], start: at, end: at + match[0].length, isWord: false };
    found.push({ ...shared, number: value, value, dimension, tolerance });
  };
  const plain = (digits: string): number => Number(digits.replace(/[,_]/g, ''));
  for (const match of text.matchAll(product)) {
    const rest = match[2]!
      .split('*')
      .slice(1)
      .map((part) => plain(part.trim()));
    add(
      match,
      rest.reduce((whole, part) => whole * part, plain(match[1]!)),
      null,
    );
  }
  for (const match of text.matchAll(duration)) {
    const count = match[1] ?? match[3] ?? '1';
    add(match, plain(count) * (perUnit[match[2]!.toLowerCase().replace(/s$/, '')] ?? Number.NaN), 'time');
  }
  for (const match of text.matchAll(keywordArguments)) {
    const parts = [...match[1]!.matchAll(/(\p{L}+)\s*[=:]\s*([\d_.]+)/gu)];
    const value = parts.reduce(
      (sum, [, unit, count]) => sum + plain(count!) * (perUnit[unit!.replace(/s$/, '')] ?? Number.NaN),
      0,
    );
    add(match, value, 'time');
  }
  for (const match of text.matchAll(clockDuration)) {
    const [, hours, minutes, seconds] = match;
    add(match, (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000, 'time');
  }
  for (const match of text.matchAll(timeOutput)) {
    const [, hours = '0', minutes, seconds] = match;
    add(match, (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000, 'time');
  }
  for (const match of text.matchAll(shift)) add(match, Number(match[1]) * 2 ** Number(match[2]), null);
  for (const match of text.matchAll(power)) add(match, Number(match[1]) ** Number(match[2]), null);
  for (const match of text.matchAll(ratio)) {
    const [part, whole] = [plain(match[1]!), plain(match[2]!)];
    if (whole > 0 && part <= whole) add(match, (part / whole) * 100, 'percent');
  }
  return found;
}
