/** For tools of a run without a folder: reading fails, and says why. */
import type { CodeContext } from '../../catalogue/index.ts';
import { createScope } from '../../catalogue/index.ts';
import { SondeError } from '../../core/index.ts';

export function contextWithoutFiles(signal?: AbortSignal): CodeContext {
  const rejectRead = () =>
    Promise.reject(
      new SondeError('not_found', {
        message: 'There are no files here',
        remedy: 'Name a folder with `root`.',
      }),
    );
  return {
    ports: { search: { search: rejectRead }, text: { readText: rejectRead } },
    scope: createScope(undefined),
    pieces: 0,
    pieceLines: 0,
    held: [],
    ...(signal && { signal }),
    path: (path) => path,
    collect: async (finds) => ({
      evidence: [],
      notes: finds.length === 0 ? [] : ['There are no files here that could be read again.'],
      cut: false,
    }),
  };
}
