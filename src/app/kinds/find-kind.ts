/** Finds the kind of a run whose kind is not known beforehand. */
import { SondeError } from '../../core/index.ts';
import type { RunRow } from '../../store/index.ts';
import type { RunKind } from '../runs/run-kind.ts';
import { kinds } from './kinds.ts';

export const allKinds = (): readonly RunKind[] => Object.values(kinds);

/** Null for a turn of a conversation, which is no kind of run. */
export function findKind(shape: string): RunKind | null {
  const all: Readonly<Record<string, RunKind>> = kinds;
  return Object.hasOwn(all, shape) ? all[shape]! : null;
}

/** Throws `run_state` if this version has no such kind of run. */
export function requireKind({ id, shape }: Pick<RunRow, 'id' | 'shape'>): RunKind {
  const kind = findKind(shape);
  if (kind !== null) return kind;
  throw new SondeError('run_state', {
    message: `${id} is a run of the shape ${shape}, which is not taken up by itself`,
    remedy: 'Open it with the command that started it.',
  });
}
