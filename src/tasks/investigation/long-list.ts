/** A list that is the answer and is too long to be passed on: an artifact of the run, of which the answer names a part. */
import type { ComputedAnswer, ComputedValue, ListArtifact, ListItem } from '../../core/index.ts';
import { maxAnswer } from './limits.ts';

/** Bytes of JSON that FINAL takes where the answer is a list. */
export const maxList = 262_144;
/** Bytes of the items that are named, and characters of one. */
const shownBytes = 1_500;
const maxItemLength = 200;
/** Spans kept of one item. */
const maxSpans = 12;
const name = 'list';

export const isLongList = (answer: unknown): answer is readonly unknown[] =>
  Array.isArray(answer) && answer.length > 1 && Buffer.byteLength(JSON.stringify(answer)) > maxAnswer;

/** Each item with the lines that flowed into it, or into what it holds. */
export function listArtifact(answer: readonly unknown[], computed: ComputedAnswer | null): ListArtifact {
  const values = computed?.again === 'same' ? computed.values : [];
  const whole = values.find(({ at, stretch }) => at.length === 0 && stretch === undefined);
  const byItem = Map.groupBy(values, ({ at }) => at[0]);
  return {
    name,
    items: answer.map((value, at): ListItem => {
      const own = byItem.get(at) ?? [];
      return {
        value,
        spans: spansOf(own),
        flow: flowOf(own) ?? (whole?.flow === 'literal' ? 'literal' : 'lost'),
      };
    }),
  };
}

function spansOf(values: readonly ComputedValue[]): ListItem['spans'] {
  const all = values.flatMap(({ spans }) => spans);
  const unique = new Map(all.map((span) => [`${span.path}:${span.start}-${span.end}`, span]));
  return [...unique.values()].slice(0, maxSpans);
}

/** Of an item with several values: by what came into any of them, the least trusted first. */
function flowOf(values: readonly ComputedValue[]): ComputedValue['flow'] | null {
  const flows = new Set(values.map(({ flow }) => flow));
  return (['model', 'lost', 'material', 'literal'] as const).find((flow) => flows.has(flow)) ?? null;
}

/** What is passed on of it. */
export function listText({ items }: ListArtifact, run: string): string {
  const shown: string[] = [];
  let bytes = 0;
  for (const { value } of items) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const item = `- ${text.length > maxItemLength ? `${text.slice(0, maxItemLength).toWellFormed()}…` : text}`;
    bytes += Buffer.byteLength(item) + 1;
    if (bytes > shownBytes) break;
    shown.push(item);
  }
  const first = shown.length === 1 ? 'the first' : `the first ${shown.length}`;
  return [
    `${items.length} items, ${first}:`,
    ...shown,
    `All of them, each with its lines: sonde show ${run} --artifact ${name}`,
  ].join('\n');
}
