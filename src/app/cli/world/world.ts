import { Command } from 'commander';
import { type CommandTable, loadCommands } from '../command-table.ts';

/** Commands in the order of the help. */
const commands: CommandTable = {
  new: async () => (await import('./workspace-file.ts')).newCommand(),
  import: async () => (await import('./import.ts')).importCommand(),
  sync: async () => (await import('./sync.ts')).syncCommand(),
  analyse: async () => (await import('./analyse.ts')).analyseCommand(),
  ls: async () => (await import('./ls.ts')).lsCommand(),
  read: async () => (await import('./read.ts')).readCommand(),
  search: async () => (await import('./search.ts')).worldSearchCommand(),
  history: async () => (await import('./history.ts')).historyCommand(),
  edit: async () => (await import('./edit.ts')).editCommand(),
  rename: async () => (await import('./organize.ts')).renameCommand(),
  move: async () => (await import('./organize.ts')).moveCommand(),
  delete: async () => (await import('./organize.ts')).deleteCommand(),
  inbox: async () => (await import('./inbox.ts')).inboxCommand(),
  promote: async () => (await import('./promote.ts')).promoteCommand(),
  reject: async () => (await import('./promote.ts')).rejectCommand(),
  resolve: async () => (await import('./resolve.ts')).resolveCommand(),
  export: async () => (await import('./export.ts')).exportCommand(),
  undo: async () => (await import('./undo.ts')).undoCommand(),
  backup: async () => (await import('./workspace-file.ts')).backupCommand(),
  restore: async () => (await import('./workspace-file.ts')).restoreCommand(),
  check: async () => (await import('./workspace-file.ts')).checkCommand(),
  salvage: async () => (await import('./workspace-file.ts')).salvageCommand(),
};

/** Creates `sonde world` with only the requested command, or with all if none is requested. */
export async function worldCommand(subcommand: string | undefined): Promise<Command> {
  const world = new Command('world').description(
    'manage the pages of a workspace: import notes, read, search and edit them, decide on what agents wrote',
  );
  for (const command of await loadCommands(commands, subcommand)) world.addCommand(command);
  return world.helpCommand(false);
}
