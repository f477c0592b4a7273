/** The run of its own in which a call's work is kept: the same call finds it again, in whichever process. */
import { isSondeError, sha256 } from '../core/index.ts';
import type { Store } from '../store/index.ts';
import type { TaskContext } from './shape.ts';

export interface OwnRun {
  readonly id: string;
  /** An earlier call, or this one before a crash, has begun it. */
  readonly begun: boolean;
}

export function ownRun(
  { runs }: Pick<Store, 'runs'>,
  { thread, subThread }: Pick<TaskContext, 'thread' | 'subThread'>,
): OwnRun {
  const id = `run-${sha256(`${thread}\0${subThread}`).slice(0, 15)}`;
  try {
    return { id, begun: runs.get(id).id === id };
  } catch (error) {
    if (isSondeError(error, 'not_found')) return { id, begun: false };
    throw error;
  }
}
