import { Command } from 'commander';
import { analyseCommand } from './analyse.ts';
import { editCommand } from './edit.ts';
import { exportCommand } from './export.ts';
import { historyCommand } from './history.ts';
import { importCommand } from './import.ts';
import { inboxCommand } from './inbox.ts';
import { backupCommand, checkCommand, newCommand, salvageCommand } from './keep.ts';
import { lsCommand } from './ls.ts';
import { promoteCommand, rejectCommand } from './promote.ts';
import { readCommand } from './read.ts';
import { resolveCommand } from './resolve.ts';
import { worldSearchCommand } from './search.ts';
import { undoCommand } from './undo.ts';

export function worldCommand(): Command {
  const world = new Command('world').description(
    'a workspace of pages: import notes, read, search and edit them, decide on what agents wrote',
  );
  for (const command of [
    newCommand(),
    importCommand(),
    analyseCommand(),
    lsCommand(),
    readCommand(),
    worldSearchCommand(),
    historyCommand(),
    editCommand(),
    inboxCommand(),
    promoteCommand(),
    rejectCommand(),
    resolveCommand(),
    exportCommand(),
    undoCommand(),
    backupCommand(),
    checkCommand(),
    salvageCommand(),
  ])
    world.addCommand(command);
  return world.helpCommand(false);
}
