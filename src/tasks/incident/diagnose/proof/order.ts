/** Whether one time is before another, as a claim says. */
import type { Clause } from './clauses.ts';

const small: Readonly<{ [word: string]: number }> = { one: 1, two: 2, three: 3, four: 4, five: 5, ten: 10 };

/** Why it is not so; null where it is. */
export function inOrder(
  { kind, by }: NonNullable<Clause['order']>,
  first: string | null,
  other: string | null,
): string | null {
  if (first === null || other === null)
    return `nothing that it names tells when ${first === null ? 'the one' : 'the other'} was, so that its order is not shown`;
  const [a, b] = comparable(first, other);
  const isSo = kind === 'before' ? a < b : a > b;
  if (!isSo) return `${first} is not ${kind} ${other}`;
  if (by === null) return null;
  const [, count = '', unit = ''] =
    /(\S+?)[\s-]([a-z]+)/i.exec(by.replace(/^(?:about|around|roughly|some) /i, '')) ?? [];
  const said =
    (small[count.toLowerCase()] ?? Number(count)) * (/^s/i.test(unit) ? 1 : /^m/i.test(unit) ? 60 : 3_600);
  const off = Math.abs(Math.abs(a - b) - said);
  return off <= Math.max(/^s/i.test(unit) ? 1 : 60, said * 0.1)
    ? null
    : `${first} and ${other} are not ${by} apart`;
}

/** In seconds: of the day where one of them has no date. */
function comparable(a: string, b: string): readonly [number, number] {
  const dated = [a, b].every((one) => one.includes('-'));
  return dated ? [seconds(a), seconds(b)] : [ofDay(a), ofDay(b)];
}
const seconds = (stamp: string): number =>
  Date.parse(/Z$/.test(stamp) ? stamp : `${stamp.replace(' ', 'T')}Z`) / 1_000;
function ofDay(stamp: string): number {
  const [hours = 0, minutes = 0, rest = 0] = clockOf(stamp).split(':').map(Number);
  return hours * 3_600 + minutes * 60 + rest;
}

/** `2026-03-05T10:14:00Z` is 10:14:00. */
export const clockOf = (stamp: string): string =>
  (/(?:[T ]|^)(\d{1,2}:\d{2}(?::\d{2})?)/.exec(stamp)?.[1] ?? '').replace(/^(?=\d:)/, '0');

/** A time that is claimed is one that stands there, as far as it is told. */
export function isSameTime(claimed: string, held: string): boolean {
  if (/^\d{4}-\d{2}-\d{2}$/.test(claimed)) return held.startsWith(claimed);
  const date = /^\d{4}-\d{2}-\d{2}/.exec(claimed)?.[0];
  if (date !== undefined && /^\d{4}/.test(held) && !held.startsWith(date)) return false;
  return clockOf(held) !== '' && clockOf(held).startsWith(clockOf(claimed));
}
