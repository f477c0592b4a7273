/** The purpose of a line of code, judged by its form. */
type LineClass = 'blank' | 'import' | 'comment' | 'closing' | 'other';

const imports =
  /^\s*(?:import\b|from\s+\S+\s+import\b|use\s|#include\b|package\s|(?:const|let|var)\s.*\brequire\()/;
const comment = /^\s*(?:\/\/|#(?!\s*(?:include|if|endif|define))|\*|\/\*|"""|'''|--)/;
const closing = /^[\s\])};,]*$/;
/** A line that imports a name, or passes it on as an argument, does not say what becomes of it. */
const handsOn =
  /^\s*(?:import\b|from\s+\S+\s+import\b|use\s|#include\b|[\w$.]+,?$|([\w$]+)\s*[:=]\s*\1\s*,?\s*$)/;

export function lineClass(line: string): LineClass {
  if (line.trim() === '') return 'blank';
  if (imports.test(line)) return 'import';
  if (comment.test(line)) return 'comment';
  return closing.test(line) ? 'closing' : 'other';
}

export const isHandedOn = (line: string): boolean => handsOn.test(line);
