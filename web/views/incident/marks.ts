/** Events of an incident, placed on the time axis of its chart. */
import type { Schemas } from '../../../src/client.ts';

export type IncidentSeries = Schemas['IncidentSeries'];
export type SeriesLine = Schemas['IncidentSeriesLine'];

export interface Mark {
  readonly kind: 'blamed' | 'change' | 'onset' | 'failure' | 'alert';
  readonly at: number;
  readonly label: string;
  readonly title: string;
  readonly evidence: string | null;
}

export function marksOf({ changes, onset, first_failure, alert }: IncidentSeries): readonly Mark[] {
  const marks: Mark[] = changes.map(({ kind, id, at, service, author, title, evidence, blamed }) => ({
    kind: blamed ? 'blamed' : 'change',
    at,
    label: `${kind} ${shortened(id)}`,
    title: [title, service, author].filter((part) => part !== null && part !== '').join(' · '),
    evidence,
  }));
  if (onset !== null)
    marks.push({
      ...{ kind: 'onset', at: onset.at, label: 'onset', evidence: null },
      title: onset.from === 'series' ? 'The first series leaves its course' : 'The alert says so',
    });
  if (first_failure !== null && first_failure.at !== null)
    marks.push({
      ...{ kind: 'failure', at: first_failure.at, evidence: first_failure.evidence },
      label: `${first_failure.service} fails`,
      title: 'The first service to fail',
    });
  if (alert !== null)
    marks.push({
      kind: 'alert',
      at: alert,
      label: 'alert',
      title: 'The alert begins to fire',
      evidence: null,
    });
  return marks.toSorted((a, b) => a.at - b.at);
}

const isHash = /^[0-9a-f]{12,64}$/;
const shortened = (id: string): string => (isHash.test(id) ? id.slice(0, 10) : id);

export interface Placed extends Mark {
  /** Part of the width, from 0 to 1. */
  readonly x: number;
  /** Null: its label does not fit here, and only the list shows it. */
  readonly row: number | null;
  /** The label is left of the line, since there is no room on the right. */
  readonly isLeft: boolean;
}

/** The width of a letter in a label, and the minimum gap between two labels. Pixels. */
const letter = 6.6;
const gap = 14;
const maxLabel = 26;
/** Rows of labels for changes that are not blamed, since a busy day has hundreds. */
const maxRows = 4;

/** Labels that would cover one another stand in rows; what matters takes its place first. `width`: pixels. */
export function placedMarks(marks: readonly Mark[], { from, to }: Span, width: number): readonly Placed[] {
  const taken: [start: number, end: number][][] = [];
  const place = (mark: Mark): Placed => {
    const label = mark.label.length > maxLabel ? `${mark.label.slice(0, maxLabel - 1)}…` : mark.label;
    const x = (mark.at - from) / Math.max(1, to - from);
    const long = label.length * letter + gap;
    const isLeft = x * width + long > width && x > 0.5;
    const [start, end] = isLeft ? [x * width - long, x * width] : [x * width, x * width + long];
    let row = 0;
    while (taken[row]?.some(([first, last]) => start < last && end > first)) row += 1;
    if (mark.kind === 'change' && row >= maxRows) return { ...mark, label, x, row: null, isLeft };
    taken[row] = [...(taken[row] ?? []), [start, end]];
    return { ...mark, label, x, row, isLeft };
  };
  const [plain, weighty] = [true, false].map((isPlain) =>
    marks.filter(({ at, kind }) => at >= from && at <= to && (kind === 'change') === isPlain),
  );
  return [...weighty!.map(place), ...plain!.map(place)].toSorted((a, b) => a.at - b.at);
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The part of the axis that is shown first: the window and a little before it, since the calm can be much longer. */
export function aroundOnset({ axis, window: seen, changes }: IncidentSeries): Span | null {
  if (axis === null || seen === null) return axis;
  const blamed = changes.filter((one) => one.blamed).map(({ at }) => at);
  const before = (seen.to - seen.from) / 5;
  return { from: Math.max(axis.from, Math.min(seen.from - before, ...blamed)), to: axis.to };
}

/** In UTC, as the systems tell it. */
export const hourOf = (at: number): string => new Date(at).toISOString().slice(11, 16);

/** A value in the short form for an axis. */
export function amountOf(value: number, unit: SeriesLine['unit']): string {
  const size = Math.abs(value);
  const plain = (of: number): string =>
    of === 0 ? '0' : String(Number(of.toPrecision(Math.abs(of) >= 100 ? 4 : 3)));
  const scaled = (names: readonly string[], step: number): string => {
    let [left, n] = [value, 0];
    while (Math.abs(left) >= step && n < names.length - 1) [left, n] = [left / step, n + 1];
    return `${plain(left)}${names[n]}`;
  };
  if (unit === 'bytes') return scaled([' B', ' KiB', ' MiB', ' GiB', ' TiB'], 1_024);
  if (unit === 'percent') return `${plain(value)} %`;
  if (unit === 'seconds' && size < 1 && size > 0) return `${plain(value * 1_000)} ms`;
  if (unit === 'seconds') return `${plain(value)} s`;
  if (unit === 'milliseconds') return size >= 1_000 ? `${plain(value / 1_000)} s` : `${plain(value)} ms`;
  if (unit === 'microseconds') return size >= 1_000 ? `${plain(value / 1_000)} ms` : `${plain(value)} µs`;
  return `${scaled(['', 'k', 'M', 'G'], 1_000)}${unit === 'per second' ? '/s' : ''}`;
}
