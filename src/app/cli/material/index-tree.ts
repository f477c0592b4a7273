import { Command } from 'commander';
import { currentProcess } from '../../current-process.ts';
import { jsonOption } from '../flags.ts';

export function indexCommand(): Command {
  return new Command('index')
    .description('update the index of a folder; ask and search do this automatically')
    .argument('[path]', 'the folder to index', '.')
    .addOption(jsonOption('print the report as one JSON object'))
    .action(async (path: string, flags: { readonly json?: true }) => {
      const { indexTree } = await import('../../search/search-tree.ts');
      const { formatCount, plainLine } = await import('../../../core/index.ts');
      const { formatProgress } = await import('../../search/index-progress.ts');
      const { print, printJson, tell, tellNote } = await import('../terminal.ts');
      const { report, notes } = await indexTree({
        root: path,
        onIndex: (progress) => {
          if (currentProcess().stderr.isTTY) void tell(formatProgress(progress));
        },
      });
      for (const note of notes) await tellNote(note);
      if (flags.json === true) return printJson(report);
      const skipped = Object.entries(report.skipped)
        .filter(([, count]) => count > 0)
        .map(([reason, count]) => `${count} ${reason}`);
      await print(
        [
          `${plainLine(report.root)}: ${formatCount(report.files, 'file')}, ${formatCount(report.chunks, 'chunk')}, ${(report.bytes / 1e6).toFixed(1)} MB`,
          `added ${report.added}, changed ${report.changed}, removed ${report.removed} in ${(report.wall_ms / 1000).toFixed(2)} s`,
          `skipped: ${skipped.length === 0 ? 'nothing' : skipped.join(', ')}`,
          ...report.notes.map((note) => `note: ${plainLine(note)}`),
        ].join('\n'),
      );
    });
}
