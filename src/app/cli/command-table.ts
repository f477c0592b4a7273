/** Commands by their names, each loaded when it is asked for: who searches a folder does not load a server. */
import type { Command } from 'commander';

export type CommandTable = Readonly<Record<string, () => Promise<Command>>>;

/** The one that is asked for; all of them, in the order of the table, where it holds no such name. */
export async function commandsOf(
  table: CommandTable,
  asked: string | undefined,
): Promise<readonly Command[]> {
  const one = asked !== undefined && Object.hasOwn(table, asked) ? table[asked] : undefined;
  return Promise.all((one === undefined ? Object.values(table) : [one]).map((load) => load()));
}
