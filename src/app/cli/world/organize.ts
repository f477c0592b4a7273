import { Command } from 'commander';
import { jsonOption } from '../flags.ts';
import { type WorldFlags, workspaceOption } from './flags.ts';

const pageHelp = 'its path, an alias or its id';
const jsonShape = 'print one JSON array of {page, from, to, write_id}; page: its id';
const movedShape = `${jsonShape}; from, to: its path before and after`;
const deletedShape = `${jsonShape}; from: the path it had; to: null`;

export const renameCommand = (): Command =>
  organizeCommand(
    new Command('rename')
      .description('give a page another name; links to it are changed, and the pages below it move with it')
      .argument('<page>', pageHelp)
      .argument('<name>', 'the new name: the last part of its new path'),
    movedShape,
    ([name = '', to = '']) => [{ op: 'rename_page', name, to }],
  );

export const moveCommand = (): Command =>
  organizeCommand(
    new Command('move')
      .description('give a page another path; links to it are changed, and the pages below it move with it')
      .argument('<page>', pageHelp)
      .argument('<to>', 'its whole new path, such as Projects/Plan'),
    movedShape,
    ([name = '', to = '']) => [{ op: 'move_page', name, to: to.replace(/^\/+/, '') }],
  );

export const deleteCommand = (): Command =>
  organizeCommand(
    new Command('delete')
      .description('delete pages, all of them or none; their history and the pages below them are kept')
      .argument('<page...>', pageHelp),
    deletedShape,
    (names) => names.map((name) => ({ op: 'delete_page', name })),
  );

type BuildChanges = (names: readonly string[]) => readonly import('./organize-pages.ts').PageChange[];

function organizeCommand(command: Command, jsonHelp: string, buildChanges: BuildChanges): Command {
  return command
    .addOption(workspaceOption())
    .addOption(jsonOption(jsonHelp))
    .action(async (...values: unknown[]) => {
      const { withWorkspace } = await import('../../workspace/workspace.ts');
      const { organizePages } = await import('./organize-pages.ts');
      const { print, printJson } = await import('../terminal.ts');
      const { plainLine } = await import('../../../core/index.ts');
      const flags = command.opts<WorldFlags>();
      // Commander passes the flags and the command after the arguments.
      const names = values.slice(0, -2).flat() as readonly string[];
      await withWorkspace(flags.workspace, async ({ world }) => {
        const organizedPages = await organizePages(world, buildChanges(names));
        if (flags.json === true) return printJson(organizedPages);
        const lines = organizedPages.map(({ from, to }) =>
          to === null ? `${from} was deleted` : `${from} is ${to} now`,
        );
        await print(lines.map(plainLine).join('\n'));
      });
    });
}
