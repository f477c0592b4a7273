/** Commands by name. Each is loaded when it is asked for, so that searching a folder does not load a server. */
import type { Command } from 'commander';

export type CommandTable = Readonly<Record<string, () => Promise<Command>>>;

/** The command of this name; if there is none, all commands in the order of the table. */
export async function commandsOf(
  table: CommandTable,
  asked: string | undefined,
): Promise<readonly Command[]> {
  const one = asked !== undefined && Object.hasOwn(table, asked) ? table[asked] : undefined;
  return Promise.all((one === undefined ? Object.values(table) : [one]).map((load) => load()));
}
