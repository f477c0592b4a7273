/**
 * The port of a server to its agent, for commands of the same user on the same machine: the agent-event channel over a
 * socket, one line of JSON for each message. A message that begins a turn is stored in the server's queue first, so that
 * the same message, sent again after either side was killed, does not start a second turn. An implementer must not: let
 * another user in, confuse the ends of two turns, use `tools` that a command names, or end the agent.
 */
import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { openFileLock } from '../../../store/lock.ts';

/** The first line that a server sends. Other versions may add fields, or use another protocol after it. */
export const portGreeting = z.object({
  type: z.literal('port'),
  version: z.string(),
  /** The folder of code that its agent may read. */
  root: z.string().nullable().optional(),
  /** True: the server hosts a team's workspace, and its conversations are in the shared store. */
  shared: z.boolean().optional(),
});
export type PortGreeting = z.output<typeof portGreeting>;

/** Maximum length of a line. Characters. */
export const maxLine = 4_000_000;

/** The path of a socket has to fit into 108 bytes, on some systems into 104. */
const maxPathBytes = 100;

/** The private folder for sockets whose path beside the workspace would be too long. */
export const portFolderPath = (): string => join(tmpdir(), `sonde-ports-${process.getuid?.() ?? ''}`);

export function portPath(workspace: string): string {
  const besideWorkspace = `${workspace}.agent`;
  if (process.platform !== 'win32' && Buffer.byteLength(besideWorkspace) <= maxPathBytes)
    return besideWorkspace;
  const folder = dirname(workspace);
  const realFile = join(existsSync(folder) ? realpathSync(folder) : folder, basename(workspace));
  const name = createHash('sha256').update(realFile).digest('hex').slice(0, 24);
  return process.platform === 'win32' ? `\\\\.\\pipe\\sonde-${name}` : join(portFolderPath(), name);
}

/** The file that a server locks while it has the workspace open. */
export const servingLock = (workspace: string): string => `${workspace}.serving`;

export function isServed(workspace: string): boolean {
  if (!existsSync(servingLock(workspace))) return false;
  const lock = openFileLock(servingLock(workspace));
  try {
    return !lock.tryTake();
  } finally {
    lock.release();
  }
}
