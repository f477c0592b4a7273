/** Formats reports of imports and exports for people. */
import { formatCount, plainLine } from '../../../core/index.ts';
import type {
  ExportReport,
  FileState,
  UndoReport,
  VaultAnalysis,
  VaultImport,
  VaultReport,
} from '../../../world/index.ts';

/** For each state of a file: its text before the import (a dry run), and after it. */
const stateTexts: readonly (readonly [FileState, string, string])[] = [
  ['new', 'would be new', 'new'],
  ['changed', 'would be updated', 'updated'],
  [
    'conflicting',
    'changed in the workspace too, and would wait for you',
    'changed in the workspace too, and wait for you',
  ],
  [
    'promoted',
    'changed, but you accepted their pages, and would wait for you',
    'changed, but you accepted their pages, and wait for you',
  ],
  ['told', 'wait for you since an earlier import', 'wait for you since an earlier import'],
  [
    'taken',
    'would not be imported: another page has their path',
    'were not imported: another page has their path',
  ],
  ['deleted_here', 'were deleted in the workspace', 'were deleted in the workspace'],
  [
    'adopted',
    'are in the workspace already, with the same text',
    'are in the workspace already, with the same text',
  ],
  ['edited_here', 'changed only in the workspace', 'changed only in the workspace'],
  ['unchanged', 'are unchanged', 'unchanged'],
];

/** For files whose text the workspace refused: the text before the import, and after it. */
const refusedTexts = ['would be refused: the notes say why', 'were refused: the notes say why'] as const;

/** Maximum lines of a section. */
const maxLines = 10;

export function listSection(title: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  const shownLines = lines.slice(0, maxLines).map((line) => `  ${plainLine(line)}`);
  const moreLine =
    lines.length > maxLines ? [`  … and ${lines.length - maxLines} more (--json has all)`] : [];
  return ['', title, ...shownLines, ...moreLine];
}

/** `column`: the text in `stateTexts`, 1 before the import, 2 after it. */
function reportLines(report: VaultReport, column: 1 | 2): readonly string[] {
  const { pages, attachments, changes, problems, removed } = report;
  const pageCount = Object.values(pages).reduce((sum, count) => sum + count, 0);
  const refusedPaths = new Set(problems.flatMap(({ path, kind }) => (kind === 'refused' ? [path] : [])));
  const refusedChanges = changes.filter(({ path, state }) => state === 'taken' && refusedPaths.has(path));
  const waitingChanges = changes.filter(
    (change) =>
      ['conflicting', 'promoted', 'taken', 'deleted_here'].includes(change.state) &&
      !refusedChanges.includes(change),
  );
  return [
    `${plainLine(report.root)}: ${formatCount(pageCount, 'page')}, ${formatCount(attachments.new + attachments.changed + attachments.unchanged, 'attachment')} (${(attachments.bytes / 1e6).toFixed(1)} MB)`,
    ...stateTexts
      .map(
        ([state, ...texts]) =>
          [pages[state] - (state === 'taken' ? refusedChanges.length : 0), ...texts] as const,
      )
      .filter(([count]) => count > 0)
      .map((row) => `  ${row[0]} ${row[column]}`),
    ...(refusedChanges.length > 0 ? [`  ${refusedChanges.length} ${refusedTexts[column - 1]}`] : []),
    ...listSection(
      'Look at these:',
      waitingChanges.map(
        ({ path, state }) => `${path}: ${stateTexts.find(([name]) => name === state)![column]}`,
      ),
    ),
    ...listSection('Removed from the folder, and still in the workspace:', removed),
    ...listSection(
      'Notes:',
      problems.map(({ path, kind, message }) => `${path}: ${kind}: ${message}`),
    ),
  ];
}

export function vaultAnalysisText(report: VaultAnalysis): string {
  const { resolved, unresolved } = report.links;
  return [
    ...reportLines(report, 1),
    '',
    `Links: ${resolved} lead to a page or file, ${unresolved} do not.`,
    'Nothing was written.',
  ].join('\n');
}

export function importText(report: VaultImport): string {
  const { run, interrupted, resumed, deviations, deleted, attachments } = report;
  return [
    ...reportLines(report, 2),
    ...listSection('Deleted from the workspace, since the file was removed:', deleted),
    '',
    ...(deviations.length > 0 ? [`${deviations.length} wait for you: sonde world inbox`] : []),
    interrupted
      ? 'Interrupted: run the same command again to continue.'
      : report.changes.length === 0 && attachments.new + attachments.changed === 0
        ? 'Nothing had changed.'
        : `${resumed ? 'Continued' : 'This was'} import ${run}; sonde world undo ${run} undoes it.`,
  ].join('\n');
}

export function undoText({ run, deleted, restored, attachments, left }: UndoReport): string {
  return [
    `Import ${run}: ${formatCount(deleted.length, 'page')} deleted, ${restored.length} restored, ${formatCount(attachments, 'attachment')} removed.`,
    ...listSection(
      'Left as they are:',
      left.map(({ path, reason }) => `${path}: ${reason}`),
    ),
  ].join('\n');
}

export function exportText({ to, pages, attachments, problems }: ExportReport): string {
  return [
    `${plainLine(to)}: ${formatCount(pages.written, 'page')} written, ${pages.replaced} replaced, ${pages.unchanged} unchanged; ${formatCount(attachments.copied, 'attachment')} copied, ${attachments.unchanged} unchanged`,
    ...listSection(
      'Not written:',
      problems.map(({ path, message }) => `${path}: ${message}`),
    ),
  ].join('\n');
}
