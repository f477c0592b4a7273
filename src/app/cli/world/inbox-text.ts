/** Formats items of the inbox for people. */
import { formatCount, plainLine, toPlainText } from '../../../core/index.ts';
import { formatDiff, type InboxItem } from '../../../world/index.ts';
import { isPrintable } from '../terminal.ts';

/** Maximum lines printed of each item in a list. */
const maxLines = 12;

/** The commands that decide each kind of item, with the printed revision. */
const decisionCommands = {
  candidate: (id: string) => `sonde world promote ${id}   or   sonde world reject ${id}`,
  deviation: (id: string) => `sonde world resolve ${id} --accept   or   --keep   or   --text FILE`,
  conflict: (id: string) => `sonde world resolve ${id} --keep   or   --text FILE`,
  flag: (id: string) => `sonde world resolve ${id}   when you have looked at it`,
} as const;

type Length = 'short' | 'whole';

/** Whether the item is printed in full. Only then does it count as shown, and only shown items can be decided. */
export function isPrintedInFull(item: InboxItem, length: Length): boolean {
  const { path, before, after, conflicts } = item;
  const texts = [
    path,
    before ?? '',
    after ?? '',
    ...conflicts.flatMap(({ base, ours, theirs }) => [base, ours, theirs]),
  ];
  return texts.every(isPrintable) && (length === 'whole' || itemLines(item).length <= maxLines);
}

export function itemText(item: InboxItem, length: Length): string {
  const { kind, id, path, standing, revision, note, conflicts } = item;
  const allLines = itemLines(item);
  const shownLines = length === 'whole' ? allLines : allLines.slice(0, maxLines);
  const decision = conflicts.length > 0 ? 'conflict' : kind;
  return [
    `${kind}  ${plainLine(path)}  revision ${revision}  standing ${standing.toFixed(2)}`,
    `  ${plainLine(note)}`,
    ...shownLines.map((line) => `    ${line}`),
    ...(shownLines.length < allLines.length
      ? [`    … ${formatCount(allLines.length - shownLines.length, 'more line')}: sonde world inbox ${id}`]
      : []),
    `  ${decisionCommands[decision](kind === 'flag' ? id : `${id}@${revision}`)}`,
  ].join('\n');
}

function itemLines({ before, after, conflicts }: InboxItem): readonly string[] {
  const diffLines = before === null && after === null ? [] : formatDiff(before, after).split('\n');
  const conflictLines = conflicts.flatMap(({ base, ours, theirs }) => [
    'conflict: both sides changed this, and neither change was overwritten',
    ...sideLines('before', base),
    ...sideLines('present', ours),
    ...sideLines('submitted', theirs),
  ]);
  return [...diffLines, ...conflictLines];
}

const sideLines = (name: string, text: string): readonly string[] => [
  `  ${name}:`,
  ...toPlainText(text)
    .replace(/\n+$/, '')
    .split('\n')
    .map((line) => `    ${line}`),
];
