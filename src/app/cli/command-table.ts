/** Loaders of commands, by name. A command is loaded only when it is requested: `sonde search` loads no server. */
import type { Command } from 'commander';

export type CommandTable = Readonly<Record<string, () => Promise<Command>>>;

/** Loads the command of this name; if there is none, all commands in the order of the table. */
export async function loadCommands(
  table: CommandTable,
  name: string | undefined,
): Promise<readonly Command[]> {
  const loader = name !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
  return Promise.all((loader === undefined ? Object.values(table) : [loader]).map((load) => load()));
}
