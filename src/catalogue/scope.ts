import { scopeMatcher } from '../core/index.ts';

/**
 * The paths a run may take evidence from. Whatever a port returns is checked against this, so that a port
 * that forgets the scope, or a reply that asks for another, changes nothing.
 */
export interface Scope {
  /** As the caller wrote it; undefined where the whole tree is in scope. */
  readonly text: string | undefined;
  admits(path: string): boolean;
}

/** Throws `bad_pattern`. */
export function scopeOf(text: string | undefined): Scope {
  const matches = scopeMatcher(text);
  return {
    text: text === undefined || text.trim() === '' ? undefined : text,
    admits: (given) => {
      const path = changedPath(given);
      return isInside(path) && matches(path);
    },
  };
}

/** What a commit changed in a file lies where the file does. */
const changedPath = (path: string): string => path.replace(/^diff:[0-9a-f]{4,64}:/i, '');

/** Relative, with `/`, and without a step upwards: what a well-behaved port gives. */
function isInside(path: string): boolean {
  return (
    path !== '' &&
    !/^(?:\/|[A-Za-z]:)/.test(path) &&
    !/[\\\0]/.test(path) &&
    !path.split('/').some((part) => part === '..' || part === '.' || part === '')
  );
}
