/** Which lines of many to show: those that matter, in the order of time, within a cap and bounded memory. */
import type { IncidentWindow, LogLine } from '../../core/index.ts';
import { isBad, type LogRecord, recordText } from './record.ts';

export interface LineFilter {
  readonly service?: string | undefined;
  /** Only WARN and above. */
  readonly bad?: boolean | undefined;
  /** Only lines that hold this, case ignored. */
  readonly contains?: string | undefined;
}

export interface LineChoice {
  add(record: LogRecord): void;
  /** Lines that fit the filter and the window. */
  readonly total: number;
  readonly untimed: number;
  lines(): readonly LogLine[];
}

/** If there are more than `max` lines: the bad ones first, then the others sampled evenly. */
export function chooseLines(window: IncidentWindow, filter: LineFilter, max: number): LineChoice {
  const bad = evenSample<LogLine>(max);
  const other = evenSample<LogLine>(max);
  const wanted = lineFilter(filter);
  let total = 0;
  let untimed = 0;
  return {
    get total() {
      return total;
    },
    get untimed() {
      return untimed;
    },
    add(record) {
      const { at, service, level } = record;
      if (at === null) untimed++;
      else if (at < window.from || at >= window.to) return;
      if (!wanted(record)) return;
      total++;
      (isBad(level) ? bad : other).add({ at, service, level, text: recordText(record) });
    },
    lines() {
      const first = bad.items();
      const others = thin(other.items(), Math.max(0, max - first.length));
      return [...first, ...others].sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
    },
  };
}

export function lineFilter({ service, bad, contains }: LineFilter): (record: LogRecord) => boolean {
  const name = service?.toLowerCase();
  const text = contains?.toLowerCase();
  return (record) =>
    (name === undefined || record.service?.toLowerCase() === name) &&
    (bad !== true || isBad(record.level)) &&
    (text === undefined || recordText(record).toLowerCase().includes(text));
}

interface Sample<Item> {
  add(item: Item): void;
  items(): readonly Item[];
}

/**
 * Every n-th item of a stream of unknown length: at twice `max` items every second one is dropped, and n is doubled.
 */
function evenSample<Item>(max: number): Sample<Item> {
  let kept: Item[] = [];
  let each = 1;
  let seen = 0;
  return {
    add(item) {
      if (seen++ % each !== 0) return;
      kept.push(item);
      if (kept.length < max * 2 || max < 1) return;
      kept = kept.filter((_, k) => k % 2 === 0);
      each *= 2;
    },
    items: () => thin(kept, max),
  };
}

function thin<Item>(items: readonly Item[], max: number): readonly Item[] {
  if (items.length <= max) return items;
  return Array.from({ length: max }, (_, k) => items[Math.floor((k * items.length) / max)]!);
}
