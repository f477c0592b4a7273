/** What waits for the author, as a person reads it. */
import { plainLine } from '../../../core/index.ts';
import { type InboxItem, readableDiff } from '../../../world/index.ts';

/** Lines of a difference that are shown in a list. */
const mostLines = 12;

/** What can be done about each kind. */
const acts = {
  candidate: (id: string) => `sonde world promote ${id}   or   sonde world reject ${id}`,
  deviation: (id: string) => `sonde world resolve ${id} --accept   or   --keep   or   --text FILE`,
  flag: (id: string) => `sonde world resolve ${id}   when you have looked at it`,
} as const;

export function itemText(item: InboxItem, length: 'short' | 'whole'): string {
  const { kind, id, path, standing, note, before, after } = item;
  const lines = before === null && after === null ? [] : readableDiff(before, after).split('\n');
  const shown = length === 'whole' ? lines : lines.slice(0, mostLines);
  return [
    `${kind}  ${plainLine(path)}  standing ${standing.toFixed(2)}`,
    `  ${plainLine(note)}`,
    ...shown.map((line) => `    ${line}`),
    ...(shown.length < lines.length
      ? [`    … ${lines.length - shown.length} more lines: sonde world inbox ${id}`]
      : []),
    `  ${acts[kind](id)}`,
  ].join('\n');
}
