/** What a reader who asks about a program wants first: sources, then texts about them, then copies of them. */
import { fileKind, isProgram, isTranslation } from '../../core/index.ts';

/** How far a file stands behind others that were found with it: 0 first. */
export function setback(path: string): 0 | 1 | 2 | 3 {
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
