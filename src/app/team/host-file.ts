/** Checks that a file is the team's workspace: the store records which file the last host wrote, and its last write. */
import { SondeError } from '../../core/index.ts';
import type { HostFile } from '../../store/index.ts';
import type { World } from '../../world/index.ts';

export function readHostFile(world: Pick<World, 'workspace' | 'head' | 'events'>): HostFile {
  const writes = world.head();
  const [last] = world.events(writes - 1, 1);
  return {
    id: world.workspace.id,
    writes,
    last: last === undefined ? null : { id: last.write_id, at: last.at },
  };
}

/**
 * Throws `run_state` unless the file is the one that the last host wrote, or continues it. Another workspace of the same
 * name would show its pages to the whole team, and an older copy would lose later writes.
 */
export function requireHostFile(
  world: Pick<World, 'workspace' | 'head' | 'events'>,
  recordedFile: HostFile | null,
  { workspace, path }: { readonly workspace: string; readonly path: string },
): void {
  if (recordedFile === null) return;
  const { id } = world.workspace;
  if (id !== recordedFile.id)
    throw new SondeError('run_state', {
      message: `${path} is not the workspace ${workspace} of this store: its id is ${id}, and that of the store is ${recordedFile.id}`,
      remedy:
        'Start this worker without --workspaces, or under a name that the team does not use; bring pages in with sonde world import.',
    });
  const { last } = recordedFile;
  if (last === null) return;
  const [write] = world.events(recordedFile.writes - 1, 1);
  if (write?.write_id === last.id) return;
  const missingWrites = recordedFile.writes - world.head();
  throw new SondeError('run_state', {
    message:
      missingWrites > 0
        ? `${path} is an older copy of the workspace ${workspace}: it lacks the last ${missingWrites} of ${recordedFile.writes} writes, until ${new Date(last.at).toISOString()}`
        : `${path} is a copy of the workspace ${workspace} that others went on with: it lacks the write of ${new Date(last.at).toISOString()}`,
    remedy: `Start the worker where the newest file is. If that is lost: sonde world restore ${workspace} --from FILE.`,
  });
}
