import { sep } from 'node:path';
import { scopeMatcher } from '../core/index.ts';

/**
 * The paths from which a run may take evidence. All results of ports are checked against it, so that neither a port
 * that ignores the scope nor a model that asks for another one can exceed it.
 */
export interface Scope {
  /** As written by the caller; undefined if the whole tree is in scope. */
  readonly text: string | undefined;
  admits(path: string): boolean;
}

/** Throws `bad_pattern`. */
export function createScope(text: string | undefined): Scope {
  const matches = scopeMatcher(text);
  return {
    text: text === undefined || text.trim() === '' ? undefined : text,
    admits: (given) => {
      const path = toFilePath(given);
      return isInside(path) && matches(path);
    },
  };
}

/** A change in a commit counts as being at the path of its file. */
const toFilePath = (path: string): string => path.replace(/^diff:[0-9a-f]{4,64}:/i, '');

/** `c:1.py` is an ordinary name where drives have no letters. */
const absolute = sep === '\\' ? /^(?:\/|[A-Za-z]:)/ : /^(?:\/|[A-Za-z]:\/)/;

/** Whether a path is relative, uses `/`, and has no step upwards, as every path from a port should be. */
function isInside(path: string): boolean {
  return (
    path !== '' &&
    !absolute.test(path) &&
    !/[\\\0]/.test(path) &&
    !path.split('/').some((part) => part === '..' || part === '.' || part === '')
  );
}
