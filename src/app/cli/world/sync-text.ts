/** Formats the report of a sync for people. */
import { plainLine } from '../../../core/index.ts';
import type { SyncReport } from '../../../world/index.ts';
import type { ExitCode } from '../exit-codes.ts';
import { listSection } from './vault-text.ts';

/** 1 if something could not be written, else 3 if there are conflicts, else 0. */
export function exitCodeOfSync({ problems, conflicts, dryRun }: SyncReport): ExitCode {
  if (!dryRun && problems.some(({ kind }) => kind === 'not_written')) return 1;
  return conflicts.length > 0 ? 3 : 0;
}

export function syncText(report: SyncReport): string {
  const { root, pulled, pushed, merged, renamed, deleted, conflicts, waiting, problems, unchanged } = report;
  const { dryRun, attachments } = report;
  const outcomeText = (text: string) => (dryRun ? `would be ${text}` : text);
  const counts = [
    [pulled.length, outcomeText('pulled')],
    [pushed.length, outcomeText('pushed')],
    [merged.length, outcomeText('merged')],
    [renamed.length, outcomeText('renamed')],
    [deleted.length, outcomeText('deleted')],
    [conflicts.length, conflicts.length === 1 ? 'conflict' : 'conflicts'],
    [unchanged, 'unchanged'],
  ] as const;
  const totals = counts
    .filter(([count, name]) => count > 0 || name === 'unchanged')
    .map(([count, name]) => `${count} ${name}`);
  const attachmentCount = attachments.new + attachments.changed + attachments.removed;
  const trashText = dryRun ? 'would be moved to .trash' : 'moved to .trash';
  return [
    `${plainLine(root)}: ${totals.join(', ')}`,
    ...(attachmentCount > 0
      ? [
          `attachments: ${attachments.new} new, ${attachments.changed} changed, ${attachments.removed} removed`,
        ]
      : []),
    ...listSection('From the folder:', pulled),
    ...listSection('Into the folder:', pushed),
    ...listSection('Changed on both sides, and merged:', merged),
    ...listSection(
      'Renamed:',
      renamed.map(({ from, to, by }) => `${from} is ${to} (renamed in the ${by})`),
    ),
    ...listSection(
      'Deleted:',
      deleted.map(({ file, by }) =>
        by === 'workspace'
          ? `${file}: its page was deleted; ${trashText}`
          : `${file}: it was removed from the folder`,
      ),
    ),
    ...listSection(
      'Changed in the same place on both sides; neither was overwritten, and you decide:',
      conflicts.map(({ file, id }) => (id === '' ? file : `${file}: sonde world inbox ${id}`)),
    ),
    ...listSection('Still being written by another program; left for the next sync:', waiting),
    ...listSection(
      'Notes:',
      problems.map(({ path, kind, message }) => `${path}: ${kind}: ${message}`),
    ),
    ...(dryRun ? ['', 'Nothing was written.'] : []),
  ].join('\n');
}
