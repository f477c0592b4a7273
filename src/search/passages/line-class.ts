/** What a line of code is for, told by its form. */
type LineClass = 'blank' | 'import' | 'comment' | 'closing' | 'other';

const imports =
  /^\s*(?:import\b|from\s+\S+\s+import\b|use\s|#include\b|package\s|(?:const|let|var)\s.*\brequire\()/;
const comment = /^\s*(?:\/\/|#(?!\s*(?:include|if|endif|define))|\*|\/\*|"""|'''|--)/;
const closing = /^[\s\])};,]*$/;
/** A line that imports, names an argument or hands it on says nothing of what becomes of it. */
const handsOn =
  /^\s*(?:import\b|from\s+\S+\s+import\b|use\s|#include\b|[\w$.]+,?$|([\w$]+)\s*[:=]\s*\1\s*,?\s*$)/;

export function lineClass(line: string): LineClass {
  if (line.trim() === '') return 'blank';
  if (imports.test(line)) return 'import';
  if (comment.test(line)) return 'comment';
  return closing.test(line) ? 'closing' : 'other';
}

export const isHandedOn = (line: string): boolean => handsOn.test(line);
