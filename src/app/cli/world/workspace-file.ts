/** Commands that maintain the file of a workspace: new, backup, restore, check, salvage. */
import { Command } from 'commander';
import { currentProcess } from '../../current-process.ts';
import { jsonOption } from '../flags.ts';
import { type WorldFlags, workspaceOption } from './flags.ts';

export function newCommand(): Command {
  return new Command('new')
    .description('make an empty workspace')
    .argument('<name>', 'a name (letters, digits, space, _ and -), or the path of the new file')
    .addOption(jsonOption('print one JSON object'))
    .action(async (name: string, flags: WorldFlags) => {
      const { createWorkspace: newWorkspace } = await import('../../workspace/maintain-workspace.ts');
      const { workspacePath } = await import('../../workspace/workspace.ts');
      const { print, printJson } = await import('../terminal.ts');
      const created = await newWorkspace(workspacePath(name));
      await (flags.json === true ? printJson(created) : print(`made ${created.path}`));
    });
}

export function backupCommand(): Command {
  return new Command('backup')
    .description('copy the workspace into a file; safe while other processes write to the workspace')
    .argument('<file>', 'the copy: a file that does not exist yet')
    .addOption(workspaceOption())
    .addOption(jsonOption('print one JSON object'))
    .action(async (file: string, flags: WorldFlags) => {
      const { resolve } = await import('node:path');
      const { backupWorkspace } = await import('../../workspace/maintain-workspace.ts');
      const { workspacePath } = await import('../../workspace/workspace.ts');
      const { formatCount } = await import('../../../core/index.ts');
      const { print, printJson } = await import('../terminal.ts');
      const { pages } = await backupWorkspace(workspacePath(flags.workspace), file);
      const to = resolve(file);
      if (flags.json === true) return printJson({ to, pages });
      await print(
        `${formatCount(pages, 'page')} copied to ${to}; attachments stay where they were imported from`,
      );
    });
}

export function restoreCommand(): Command {
  return new Command('restore')
    .description(
      'check a copy of a workspace, then put it in the place of the workspace; refused while a server or another process has the workspace open. The old file is kept beside it',
    )
    .argument('<name>', 'the workspace: a name, or the path of its file')
    .requiredOption(
      '--from <file>',
      'a copy made by sonde world backup, or by a server or worker (setting backup_folder)',
    )
    .addOption(jsonOption('print {path, pages, copied, last_write, replaced, lost: {writes, minutes}}'))
    .action(async (name: string, { from, json }: { readonly from: string; readonly json?: true }) => {
      const { restoreWorkspace } = await import('../../workspace/restore-workspace.ts');
      const { loadConfiguration, processEnvironment } = await import('../../config/index.ts');
      const { formatCount } = await import('../../../core/index.ts');
      const { print, printJson } = await import('../terminal.ts');
      const configuration = loadConfiguration({ environment: processEnvironment() });
      const restored = await restoreWorkspace(configuration, { workspace: name, from });
      if (json === true) return printJson(restored);
      const { path, pages, copied, replaced, lost } = restored;
      const minutesAgo = Math.ceil((Date.now() - Date.parse(copied)) / 60_000);
      await print(
        [
          `restored ${path}: ${formatCount(pages, 'page')}, from a copy made at ${copied}`,
          lost === null
            ? `everything written in the ${formatCount(minutesAgo, 'minute')} since the copy is lost`
            : lost.writes === 0
              ? 'nothing was written after the copy'
              : `lost: ${formatCount(lost.writes, 'write')} of the ${formatCount(lost.minutes, 'minute')} after the copy`,
          ...(replaced === null ? [] : [`the replaced file is ${replaced}`]),
        ].join('\n'),
      );
    });
}

export function checkCommand(): Command {
  return new Command('check')
    .description(
      'compare every page of a workspace with the log of its writes; exits with 1 if something is damaged',
    )
    .addOption(workspaceOption())
    .addOption(jsonOption('print {ok, pages, damaged: [{page, block, what}]}'))
    .action(async (flags: WorldFlags) => {
      const { checkWorkspace } = await import('../../workspace/maintain-workspace.ts');
      const { workspacePath } = await import('../../workspace/workspace.ts');
      const { formatCount, plainLine } = await import('../../../core/index.ts');
      const { print, printJson } = await import('../terminal.ts');
      const path = workspacePath(flags.workspace);
      const report = await checkWorkspace(path);
      if (!report.ok) currentProcess().exitCode = 1;
      if (flags.json === true) return printJson(report);
      const { pages, damaged } = report;
      if (damaged.length === 0) return print(`${formatCount(pages, 'page')}, all as they were written`);
      await print(
        [
          ...damaged.map(({ page, block, what }) =>
            [page === null ? null : plainLine(page), block, what].filter((part) => part !== null).join(': '),
          ),
          '',
          `${damaged.length} damaged. Keep ${path} as it is; sonde world salvage ${path} OUT saves what can be read.`,
        ].join('\n'),
      );
    });
}

export function salvageCommand(): Command {
  return new Command('salvage')
    .description(
      'save what can be read of a damaged workspace into a new file; exits with 1 if something is lost',
    )
    .argument('<file>', 'the damaged file; it is only read')
    .argument('<out>', 'the new file, which must not exist yet')
    .addOption(jsonOption('print one JSON object'))
    .action(async (file: string, out: string, flags: { readonly json?: true }) => {
      const { salvageWorkspace } = await import('../../workspace/maintain-workspace.ts');
      const { formatCount, plainLine } = await import('../../../core/index.ts');
      const { print, printJson } = await import('../terminal.ts');
      const report = await salvageWorkspace(file, out);
      const { saved, lost, doubtful, to } = report;
      if (lost.events + lost.rows + lost.file_pages + lost.tables.length + doubtful.length > 0)
        currentProcess().exitCode = 1;
      if (flags.json === true) return printJson(report);
      await print(
        [
          `saved into ${to}: ${formatCount(saved.pages, 'page')}, ${formatCount(saved.blocks, 'block')}, ${formatCount(saved.events, 'write')} of the log, ${formatCount(saved.other_rows, 'other row')}`,
          ...(saved.from_log > 0 ? [`pages and blocks restored from the log: ${saved.from_log}`] : []),
          `lost: ${formatCount(lost.events, 'write')} of the log, ${formatCount(lost.rows, 'row')}, ${formatCount(lost.file_pages, 'part')} of the file${lost.tables.map((name) => `, table ${plainLine(name)}`).join('')}`,
          ...doubtful.map(
            (path) =>
              `look at ${plainLine(path)}: its text and the log differed; both are in sonde world history`,
          ),
        ].join('\n'),
      );
    });
}
