import type { SignalRows } from './signal.ts';

/** The rows of an observation as a list, whatever their kind: whole series, lines, patterns, changes. */
export function listRows(rows: SignalRows): readonly unknown[] {
  switch (rows.kind) {
    case 'series':
      return rows.series;
    case 'lines':
      return rows.lines;
    case 'patterns':
      return rows.patterns;
    case 'changes':
      return rows.changes;
    case 'spans':
      return rows.spans;
    case 'alerts':
      return rows.alerts;
    case 'table':
      return rows.rows;
  }
}

/** Whether two hashes name the same commit. Hashes are often cut, so that one may be the beginning of the other. */
export const isSameCommit = (a: string, b: string): boolean => {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length >= 7 && long.startsWith(short);
};
