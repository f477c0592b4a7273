/** What a sync did, for people. */
import { plainLine } from '../../../core/index.ts';
import type { SyncReport } from '../../../world/index.ts';
import type { ExitCode } from '../exit-codes.ts';
import { list } from './vault-text.ts';

/** 1 if something could not be written, else 3 if there are conflicts, else 0. */
export function exitCodeOfSync({ problems, conflicts, dryRun }: SyncReport): ExitCode {
  if (!dryRun && problems.some(({ kind }) => kind === 'not_written')) return 1;
  return conflicts.length > 0 ? 3 : 0;
}

export function syncText(report: SyncReport): string {
  const { root, pulled, pushed, merged, renamed, deleted, conflicts, waiting, problems, unchanged } = report;
  const { dryRun, attachments } = report;
  const would = (text: string) => (dryRun ? `would be ${text}` : text);
  const counts = [
    [pulled.length, would('pulled')],
    [pushed.length, would('pushed')],
    [merged.length, would('merged')],
    [renamed.length, would('renamed')],
    [deleted.length, would('deleted')],
    [conflicts.length, conflicts.length === 1 ? 'conflict' : 'conflicts'],
    [unchanged, 'unchanged'],
  ] as const;
  const totals = counts
    .filter(([n, name]) => n > 0 || name === 'unchanged')
    .map(([n, name]) => `${n} ${name}`);
  const files = attachments.new + attachments.changed + attachments.removed;
  const trashed = dryRun ? 'would be moved to .trash' : 'moved to .trash';
  return [
    `${plainLine(root)}: ${totals.join(', ')}`,
    ...(files > 0
      ? [
          `attachments: ${attachments.new} new, ${attachments.changed} changed, ${attachments.removed} removed`,
        ]
      : []),
    ...list('From the folder:', pulled),
    ...list('Into the folder:', pushed),
    ...list('Changed on both sides, and merged:', merged),
    ...list(
      'Renamed:',
      renamed.map(({ from, to, by }) => `${from} is ${to} (renamed in the ${by})`),
    ),
    ...list(
      'Deleted:',
      deleted.map(({ file, by }) =>
        by === 'workspace'
          ? `${file}: its page was deleted; ${trashed}`
          : `${file}: it was removed from the folder`,
      ),
    ),
    ...list(
      'Changed in the same place on both sides; neither was overwritten, and you decide:',
      conflicts.map(({ file, id }) => (id === '' ? file : `${file}: sonde world inbox ${id}`)),
    ),
    ...list('Still being written by another program; left for the next sync:', waiting),
    ...list(
      'Notes:',
      problems.map(({ path, kind, message }) => `${path}: ${kind}: ${message}`),
    ),
    ...(dryRun ? ['', 'Nothing was written.'] : []),
  ].join('\n');
}
