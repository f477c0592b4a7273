/** The tables of `bench/claims.ts`: shares with their intervals, by what was made wrong. */
import { exactMutations, isCarried, isCaught, type Row, type Verdict } from './set.ts';

export interface Judged {
  readonly row: Row;
  readonly verdict: Verdict;
}

/** Wilson's interval of 95 % for a share, in percent. */
export function wilson(part: number, all: number): readonly [low: number, high: number] {
  if (all === 0) return [0, 100];
  const z = 1.96;
  const share = part / all;
  const centre = (share + (z * z) / (2 * all)) / (1 + (z * z) / all);
  const half = (z * Math.sqrt((share * (1 - share)) / all + (z * z) / (4 * all * all))) / (1 + (z * z) / all);
  return [100 * Math.max(0, centre - half), 100 * Math.min(1, centre + half)];
}

function shareOf(judged: readonly Judged[], wanted: (verdict: Verdict) => boolean): string {
  if (judged.length === 0) return '';
  const part = judged.filter(({ verdict }) => wanted(verdict)).length;
  const [low, high] = wilson(part, judged.length);
  return `${((100 * part) / judged.length).toFixed(1)} % (${low.toFixed(0)}-${high.toFixed(0)})`;
}

const lineOf = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;

function falseLine(name: string, judged: readonly Judged[]): string {
  const let_ = (verdict: Verdict): boolean => isCarried(verdict);
  return lineOf([
    name,
    judged.length,
    shareOf(judged, isCaught),
    shareOf(judged, (verdict) => verdict === 'unclear'),
    shareOf(judged, let_),
  ]);
}

function trueLine(name: string, judged: readonly Judged[]): string {
  return lineOf([
    name,
    judged.length,
    shareOf(judged, isCaught),
    shareOf(judged, (verdict) => verdict === 'unclear'),
    shareOf(judged, isCarried),
  ]);
}

const grouped = (
  judged: readonly Judged[],
  by: (row: Row) => string,
): readonly (readonly [string, readonly Judged[]])[] =>
  [...Map.groupBy(judged, ({ row }) => by(row))].sort(([a], [b]) => a.localeCompare(b));

/** All that is printed for one checker. */
export function tableOf(name: string, judged: readonly Judged[]): string {
  const right = judged.filter(({ row }) => row.truth);
  const wrong = judged.filter(({ row }) => !row.truth);
  const isExact = ({ row }: Judged): boolean => exactMutations.includes(row.mutation ?? '');
  return [
    `\n## ${name}\n`,
    lineOf(['false claims', 'number', 'caught', 'unclear', 'let through']),
    lineOf(['---', '--:', '--:', '--:', '--:']),
    falseLine('**what can be compared**', wrong.filter(isExact)),
    falseLine(
      '**what has to be understood**',
      wrong.filter((one) => !isExact(one)),
    ),
    ...grouped(wrong, ({ mutation = '?' }) => mutation).map(([kind, some]) => falseLine(kind, some)),
    '',
    lineOf(['true claims', 'number', 'refused', 'unclear', 'carried']),
    lineOf(['---', '--:', '--:', '--:', '--:']),
    trueLine('**all**', right),
    ...grouped(right, ({ kind }) => kind).map(([kind, some]) => trueLine(kind, some)),
    ...grouped(right, ({ wording = '?' }) => `worded as: ${wording}`).map(([kind, some]) =>
      trueLine(kind, some),
    ),
  ].join('\n');
}
