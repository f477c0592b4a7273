/** Gives each delegated call a run of its own, which the same call finds again in any process. */
import { isSondeError, sha256 } from '../core/index.ts';
import type { Store } from '../store/index.ts';
import type { DefinedRun, RunRequest, RunTypes } from './define-run.ts';
import type { LifeSetting } from './run-life.ts';
import type { TaskContext } from './shape.ts';

/** Continues the run that the same call started before a crash. `request` is called only if there is none. */
export async function runAsOwn<Types extends RunTypes>(
  kind: Pick<DefinedRun<Types>, 'start' | 'resume'>,
  { thread, subThread }: Pick<TaskContext, 'thread' | 'subThread'>,
  setting: LifeSetting & Types['ports'],
  request: (own: Pick<RunRequest, 'id' | 'extra'>) => Types['request'],
): Promise<Types['end']> {
  const id = `run-${sha256(`${thread}\0${subThread}`).slice(0, 15)}`;
  if (await isThere(setting.store, id)) return kind.resume(id, setting);
  return kind.start(request({ id, extra: { thread, sub_thread: subThread } }), setting);
}

async function isThere({ runs }: Pick<Store, 'runs'>, id: string): Promise<boolean> {
  try {
    return (await runs.get(id)).id === id;
  } catch (error) {
    if (isSondeError(error, 'not_found')) return false;
    throw error;
  }
}
