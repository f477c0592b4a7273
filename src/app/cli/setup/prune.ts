import { Command } from 'commander';
import { SondeError } from '../../../core/index.ts';
import type { PruneReport } from '../../prune/prune.ts';
import { jsonOption } from '../flags.ts';

interface PruneFlags {
  readonly olderThan?: string;
  readonly keep?: string;
  readonly yes?: true;
  readonly json?: true;
}

const defaultAge = '30d';

export function pruneCommand(): Command {
  return new Command('prune')
    .description(
      'show which finished runs and unused indexes would be removed; with --yes, remove them. Runs in progress, runs that wait, and runs that a page of a workspace cites are kept',
    )
    .option(
      '--older-than <duration>',
      `only runs and indexes unused for this long, such as 12h or 90d (default: ${defaultAge}, or any age with --keep)`,
    )
    .option(
      '--keep <n>',
      'keep this many of the newest finished runs; without --older-than, all others are removed',
    )
    .option('--yes', 'remove the listed runs and indexes')
    .addOption(jsonOption('print the report as one JSON object'))
    .action(async (flags: PruneFlags) => {
      const { prune } = await import('../../prune/prune.ts');
      const { loadConfiguration, processEnvironment, thisUser } = await import('../../config/index.ts');
      const { print, printJson, tellNote } = await import('../terminal.ts');
      const report = await prune(loadConfiguration({ environment: processEnvironment() }), {
        terms: await parseTerms(flags),
        remove: flags.yes === true,
        now: Date.now(),
        by: thisUser(),
      });
      if (flags.json === true) return printJson(report);
      await print(await pruneText(report));
      for (const note of report.notes) await tellNote(note);
    });
}

async function parseTerms({ olderThan, keep }: PruneFlags) {
  const { parseDuration } = await import('../../config/index.ts');
  const age = olderThan ?? (keep === undefined ? defaultAge : null);
  const ms = age === null ? null : parseDuration(age);
  if (age !== null && ms === null)
    throw new SondeError('bad_argument', {
      message: `--older-than is ${JSON.stringify(age)}, not a duration`,
      remedy: 'Give a duration, such as 12h or 30d.',
    });
  if (keep !== undefined && (!/^\d+$/.test(keep) || !Number.isSafeInteger(Number(keep))))
    throw new SondeError('bad_argument', {
      message: `--keep is ${JSON.stringify(keep)}, not a whole number`,
      remedy: 'Give a whole number from 0.',
    });
  return { olderThan: ms, keep: Number(keep ?? 0) };
}

async function pruneText({ removed, runs, days, indexes, kept, bytes }: PruneReport): Promise<string> {
  const { formatCount, plainLine } = await import('../../../core/index.ts');
  const removalLines = [
    ...days.map(({ schema, day }) => `${day}: the tables of this day of ${schema} are dropped`),
    ...runs.map(
      ({ run_id, created, bytes: size, question }) =>
        `${run_id}  ${created}  ${formatSize(size).padStart(9)}  ${plainLine(question).slice(0, 60)}`,
    ),
    ...indexes.map(
      ({ root, folder, used, bytes: size }) =>
        `index of ${plainLine(root ?? folder)}, used last ${used}, ${formatSize(size)}`,
    ),
  ];
  const totalText = `${formatCount(runs.length, 'run')} and ${formatCount(indexes.length, 'index', 'indexes')}, ${formatSize(bytes)}`;
  const keptLine = `Kept: ${kept.recent} recent, ${kept.unfinished} running or waiting, ${kept.behind_pages} cited by pages.`;
  if (removalLines.length === 0) return `Nothing to remove.\n${keptLine}`;
  const summaryLine = removed
    ? `Removed: ${totalText}.`
    : `Would be removed: ${totalText}. Add --yes to remove them.`;
  return [...removalLines, '', summaryLine, keptLine].join('\n');
}

function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${(bytes / 1000).toFixed(1)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
