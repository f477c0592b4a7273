/**
 * What evidence holds, as records: a series, the changes, a pattern with its count, a line. What a claim says
 * together must stand in one record together. The head of a document (what was asked) is no record: it shows nothing.
 */
import { type ChangeRecord, changeIn } from './change-record.ts';
import { type Held, heldOf } from './held.ts';
import { type SeriesRecord, seriesIn } from './series-record.ts';

export interface CountRecord extends Held {
  readonly kind: 'count';
  readonly count: number;
  readonly baseline: number | null;
  readonly first: string | null;
  /** Behind its count, its service and its level. */
  readonly template: string;
  readonly owner: string | null;
}

export interface LineRecord extends Held {
  readonly kind: 'line';
  readonly owner: string | null;
}

export interface ChangesRecord extends Held {
  readonly kind: 'changes';
  readonly changes: readonly ChangeRecord[];
}

export type Record = SeriesRecord | CountRecord | LineRecord | ChangesRecord;

const head = /^(query|source|window|asked|note): /;
/** Of all evidence that one claim names: its changes are one record, since a deploy brings a commit. */
export function recordsOf(contents: readonly string[], names: ReadonlySet<string>): readonly Record[] {
  const changes: ChangeRecord[] = [];
  const rest: Record[] = [];
  for (const content of contents) {
    const change = changeIn(content);
    if (change !== null) {
      changes.push(change);
      continue;
    }
    const lines = content.split('\n').filter((line) => !head.test(line) && line.trim() !== '');
    const { series, others } = seriesIn(lines);
    rest.push(...series, ...blocksOf(others).map((block) => countOrLine(block, names)));
  }
  return changes.length === 0
    ? rest
    : [{ kind: 'changes', changes, ...heldOf(changes.map(({ text }) => text).join('\n')) }, ...rest];
}

/** A line with those below it that are indented; an object of JSON over several lines is one. */
function blocksOf(lines: readonly string[]): readonly string[] {
  const blocks: string[] = [];
  let open = false;
  for (const line of lines) {
    if (blocks.length > 0 && (open || /^\s/.test(line))) blocks[blocks.length - 1] += `\n${line}`;
    else blocks.push(line);
    if (/^[{[]$/.test(line)) open = true;
    if (/^[}\]]/.test(line)) open = false;
  }
  return blocks;
}

const counted = /^(\d+)x (?:\((new|calm ([\d.]+)x)\) )?(.*?)(?: \[(\S+) to (\S+)\])?$/s;
const lead = /^(?:\S*\d{4}-\d{2}-\d{2}\S*|-) (.*)$/s;
const level = /^(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|CRIT(?:ICAL)?|FATAL|ALERT|EMERG) /;

function countOrLine(block: string, names: ReadonlySet<string>): CountRecord | LineRecord {
  const match = counted.exec(block);
  if (match === null) {
    const rest = lead.exec(block)?.[1] ?? block;
    const span = /^trace \S+ span \S+(?: of \S+)? (\S+) /.exec(rest)?.[1] ?? rest.split(' ', 1)[0] ?? '';
    return {
      kind: 'line',
      owner: names.has(span.toLowerCase()) ? span.toLowerCase() : null,
      ...heldOf(block),
    };
  }
  const [, count, state, calm, rest = '', first] = match;
  const service = rest.split(' ', 1)[0]!.toLowerCase();
  const isOwned = names.has(service);
  const behind = isOwned ? rest.slice(service.length + 1) : rest;
  return {
    kind: 'count',
    count: Number(count),
    baseline: state === undefined ? null : state === 'new' ? 0 : Number(calm),
    first: first ?? null,
    template: behind.replace(level, ''),
    owner: isOwned ? service : null,
    ...heldOf(block),
  };
}
