/**
 * Chooses the lines to show, if there are too many: warnings and errors first. Memory is bounded by the number shown.
 */
import type { IncidentWindow, LogLine } from '../../core/index.ts';
import { isBad, type LogRecord, recordText } from './record.ts';

export interface LineFilter {
  readonly service?: string | undefined;
  /** Only WARN and above. */
  readonly bad?: boolean | undefined;
  /** Only lines that contain this text, ignoring case. */
  readonly contains?: string | undefined;
}

export interface LineChoice {
  add(record: LogRecord): void;
  /** Lines that fit the filter and the window. */
  readonly total: number;
  /** Lines without a time, also those that do not fit the filter. */
  readonly untimed: number;
  lines(): readonly LogLine[];
}

/**
 * Chooses at most `max` lines: bad ones first, then the others, sampled evenly. They are listed in the order of time.
 */
export function chooseLines(window: IncidentWindow, filter: LineFilter, max: number): LineChoice {
  const badLines = evenSample<LogLine>(max);
  const otherLines = evenSample<LogLine>(max);
  const isWanted = lineFilter(filter);
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
      if (!isWanted(record)) return;
      total++;
      (isBad(level) ? badLines : otherLines).add({ at, service, level, text: recordText(record) });
    },
    lines() {
      const firstLines = badLines.items();
      const others = pickEvenly(otherLines.items(), Math.max(0, max - firstLines.length));
      return [...firstLines, ...others].sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
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
 * Keeps every `step`-th item of a stream of unknown length. At twice `max` items every second one is dropped, and
 * `step` is doubled.
 */
function evenSample<Item>(max: number): Sample<Item> {
  let kept: Item[] = [];
  let step = 1;
  let seenCount = 0;
  return {
    add(item) {
      if (seenCount++ % step !== 0) return;
      kept.push(item);
      if (kept.length < max * 2 || max < 1) return;
      kept = kept.filter((_, k) => k % 2 === 0);
      step *= 2;
    },
    items: () => pickEvenly(kept, max),
  };
}

function pickEvenly<Item>(items: readonly Item[], max: number): readonly Item[] {
  if (items.length <= max) return items;
  return Array.from({ length: max }, (_, k) => items[Math.floor((k * items.length) / max)]!);
}
