/**
 * The order in which files are worth reading for a question about a program: sources, then documents, then copies of
 * them.
 */
import { fileKind, isProgram, isTranslation } from '../../core/index.ts';

/** How many places a file is ranked lower because of its kind: 0 for sources. */
export function readingPenalty(path: string): 0 | 1 | 2 | 3 {
  if (isTranslation(path)) return 3;
  switch (fileKind(path)) {
    case 'code':
      return isProgram(path) ? 0 : 2;
    case 'docs':
    case 'config':
      return 1;
    case 'test':
    case 'example':
      return 2;
    case 'generated':
      return 3;
  }
}
