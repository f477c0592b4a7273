/** Stores a list that is too long for an answer as an artifact of the run. The answer shows its first items. */
import type { ComputedAnswer, ComputedValue, ListArtifact, ListItem } from '../../../core/index.ts';
import { maxAnswerBytes } from '../limits.ts';

/** Maximum bytes of JSON that FINAL accepts if the answer is a list. */
export const maxListBytes = 262_144;
/** Maximum bytes of all items shown in the answer, and maximum characters of one item. */
const maxShownBytes = 1_500;
const maxItemLength = 200;
/** Maximum spans stored for one item. */
const maxSpans = 12;
/** The name of a list that is the whole answer. A list within an answer is named by the path of its keys. */
const wholeName = 'list';
/** Bytes reserved for the rest of an answer, without its long lists. */
const reservedBytes = 1_200;
const maxLists = 4;

interface LongList {
  readonly name: string;
  readonly at: readonly string[];
  readonly values: readonly unknown[];
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

/**
 * The lists that make an answer too long: the answer itself, or its largest lists, until the rest is short enough.
 */
export function longListsOf(answer: unknown): readonly LongList[] {
  if (typeof answer !== 'object' || answer === null || bytesOf(answer) <= maxAnswerBytes) return [];
  if (Array.isArray(answer)) return answer.length > 1 ? [{ name: wholeName, at: [], values: answer }] : [];
  const innerLists = findLists(answer, []).sort((a, b) => bytesOf(b.values) - bytesOf(a.values));
  const longLists: LongList[] = [];
  for (let bytes = bytesOf(answer); bytes > reservedBytes; ) {
    const [largest] = innerLists.splice(0, 1);
    if (largest === undefined || longLists.length === maxLists) return [];
    longLists.push(largest);
    bytes -= bytesOf(largest.values);
  }
  return longLists;
}

/** The lists in a value, without lists inside other lists. */
function findLists(value: object, at: readonly string[]): LongList[] {
  return Object.entries(value).flatMap(([key, item]: [string, unknown]) => {
    if (typeof item !== 'object' || item === null) return [];
    const place = [...at, key];
    if (!Array.isArray(item)) return findLists(item, place);
    return item.length > 1 ? [{ name: place.join('.'), at: place, values: item }] : [];
  });
}

export const hasLongList = (answer: unknown): boolean => longListsOf(answer).length > 0;

/** The list, with the source lines from which each item was computed. */
export function listArtifact(
  { name, at: place, values: list }: LongList,
  computed: ComputedAnswer | null,
): ListArtifact {
  const all = computed?.again === 'same' ? computed.values : [];
  const isInList = ({ at }: ComputedValue): boolean => place.every((key, index) => at[index] === key);
  const values = all.filter(isInList);
  const wholeValue =
    values.find(({ at, stretch }) => at.length === place.length && stretch === undefined) ??
    all.find(({ at, stretch }) => at.length === 0 && stretch === undefined);
  const byItem = Map.groupBy(values, ({ at }) => at[place.length]);
  return {
    name,
    items: list.map((value, index): ListItem => {
      const computedValues = byItem.get(index) ?? [];
      // Whole values are preferred: within a text, the origin of a single figure may be unknown.
      const itemValues = computedValues.some(({ stretch }) => stretch === undefined)
        ? computedValues.filter(({ stretch }) => stretch === undefined)
        : computedValues;
      return {
        value,
        spans: spansOf(itemValues),
        flow: flowOf(itemValues) ?? (wholeValue?.flow === 'literal' ? 'literal' : 'lost'),
      };
    }),
  };
}

function spansOf(values: readonly ComputedValue[]): ListItem['spans'] {
  const all = values.flatMap(({ spans }) => spans);
  const unique = new Map(all.map((span) => [`${span.path}:${span.start}-${span.end}`, span]));
  return [...unique.values()].slice(0, maxSpans);
}

/** The least trusted flow among the values of an item; null if there are none. */
function flowOf(values: readonly ComputedValue[]): ComputedValue['flow'] | null {
  const flows = new Set(values.map(({ flow }) => flow));
  return (['model', 'lost', 'material', 'literal'] as const).find((flow) => flows.has(flow)) ?? null;
}

/** The text of an answer with long lists: their lengths and first items, and the other fields unchanged. */
export function listsText(answer: unknown, lists: readonly ListArtifact[], run: string): string {
  const listTexts = lists.map((list) => listText(list, run, maxShownBytes / lists.length));
  const otherText = Array.isArray(answer) ? [] : [JSON.stringify(withoutLists(answer as object, lists, []))];
  return [...otherText, ...listTexts].join('\n');
}

/** Replaces each long list in a value with its number of items. */
function withoutLists(value: object, lists: readonly ListArtifact[], at: readonly string[]): object {
  const entries = Object.entries(value).map(([key, item]: [string, unknown]) => {
    const place = [...at, key];
    if (typeof item !== 'object' || item === null) return [key, item] as const;
    if (!Array.isArray(item)) return [key, withoutLists(item, lists, place)] as const;
    const isLong = lists.some(({ name }) => name === place.join('.'));
    return [key, isLong ? `${item.length} items` : item] as const;
  });
  return Object.fromEntries(entries);
}

function listText({ name, items }: ListArtifact, run: string, max: number): string {
  const shown: string[] = [];
  let bytes = 0;
  for (const { value } of items) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const item = `- ${text.length > maxItemLength ? `${text.slice(0, maxItemLength).toWellFormed()}…` : text}`;
    bytes += Buffer.byteLength(item) + 1;
    if (bytes > max) break;
    shown.push(item);
  }
  const firstText = shown.length === 1 ? 'the first' : `the first ${shown.length}`;
  return [
    `${name === wholeName ? '' : `${name}: `}${items.length} items, ${firstText}:`,
    ...shown,
    `All of them, each with its lines: sonde show ${run} --artifact ${name}`,
  ].join('\n');
}
