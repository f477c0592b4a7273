/** Compares the fields of a claim with the values of a record: values with units, times, texts. */
import { type Figure, findFigures } from '../claim/figures.ts';
import { matchFigure } from '../claim/match-figure.ts';
import { findMoments, isSameMoment } from '../claim/times.ts';
import { collapseSpaces, normalizeUnicode } from '../words/normal.ts';

/** Whether a claimed value equals a number. `unit` is the unit in the name of the series. */
export function isSameValue(claimed: string, held: number, unit = ''): boolean {
  const [figure] = findFigures(claimed);
  if (figure === undefined) return false;
  const forms = [`${held}`, ...(unit === '' ? [] : [`${held} ${unit}`])];
  return forms.some((form) => {
    const [given] = findFigures(form);
    return given !== undefined && (matchFigure(figure, given) === 'same' || isRounded(figure, given));
  });
}

/** Whether the claimed figure is the given one rounded to the digits shown, at least two. */
function isRounded(claimed: Figure, figure: Figure): boolean {
  if (claimed.dimension !== figure.dimension) return false;
  const digits = claimed.text.replace(/[^\d]/g, '').replace(/^0+/, '').length;
  return digits > 1 && Math.abs(claimed.value - figure.value) <= claimed.tolerance * 1.000001;
}

export function findUnitOfMetric(metric: string): string {
  const name = metric.toLowerCase();
  if (/_(ms|millis|milliseconds)(_|$)/.test(name)) return 'ms';
  if (/_(s|secs|seconds)$/.test(name) && !/per_second/.test(name)) return 's';
  if (/_(pct|percent|percentage)(_|$)/.test(name)) return '%';
  if (/_(mb|mib)(_|$)/.test(name)) return 'MiB';
  if (/_bytes(_|$)/.test(name) && !/per_second/.test(name)) return 'bytes';
  return '';
}

/** Whether a line holds a value: figures by value, anything else literally. */
export function containsValue(claimed: string, line: string): boolean {
  const [figure, second] = findFigures(claimed);
  if (figure !== undefined && second === undefined && collapseSpaces(claimed) === collapseSpaces(figure.text))
    return findFigures(line).some(
      (given) => matchFigure(figure, given, line.slice(0, given.start), line) !== null,
    );
  return normalizeText(line).includes(normalizeText(claimed));
}

export const isSameTime = (claimed: string, held: string): boolean =>
  findMoments(claimed).some((moment) => findMoments(held).some((given) => isSameMoment(moment, given)));

/** Drops quotation marks, diff marks and case: names are written in many ways. */
export const normalizeText = (text: string): string =>
  collapseSpaces(normalizeUnicode(text))
    .replace(/^["'`]+|["'`]+$/g, '')
    .toLowerCase();

/** Whether a text contains a whole name: `feed` does not occur in `feed-db`. */
export function containsName(text: string, name: string): boolean {
  const wanted = RegExp.escape(normalizeText(name));
  return wanted !== '' && new RegExp(`(?<![\\w-])${wanted}(?![\\w-])`).test(normalizeText(text));
}

/** Whether two ids are the same. A hash may be abbreviated. */
export const isSameId = (claimed: string, id: string): boolean => {
  const [a, b] = [normalizeText(claimed), normalizeText(id)];
  return a === b || (a.length >= 7 && /^[0-9a-f]+$/.test(a) && b.startsWith(a));
};
