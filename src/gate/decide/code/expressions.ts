/** Reads whole expressions of code: brackets, the parts between commas, the end of a value. */

export interface ExpressionRead {
  /** The expression as written, without comments. */
  readonly text: string;
  /** Whether the expression ends before the text does, or with all its brackets closed. */
  readonly isClosed: boolean;
}

const openers = '([{';
const closers = ')]}';

interface CodeCharacter {
  readonly character: string;
  readonly depth: number;
  readonly isQuoted: boolean;
}

/** The characters of a code text with their bracket depth, without comments. A bracket has the depth around it. */
function listCharacters(code: string): readonly CodeCharacter[] {
  const characters: CodeCharacter[] = [];
  let depth = 0;
  let quote: string | null = null;
  for (let index = 0; index < code.length; index += 1) {
    const character = code[index]!;
    if (quote !== null) {
      characters.push({ character, depth, isQuoted: true });
      if (character === '\\' && index + 1 < code.length) {
        index += 1;
        characters.push({ character: code[index]!, depth, isQuoted: true });
      } else if (character === quote) quote = null;
      continue;
    }
    const isCommentStart =
      code.startsWith('//', index) || (character === '#' && (index === 0 || /[\s,]/.test(code[index - 1]!)));
    if (isCommentStart && /^(?:\/\/|#\s)/.test(code.slice(index, index + 2))) {
      const lineEnd = code.indexOf('\n', index);
      if (lineEnd === -1) break;
      index = lineEnd - 1;
      continue;
    }
    if (/["'`]/.test(character)) quote = character;
    if (closers.includes(character)) depth -= 1;
    characters.push({ character, depth, isQuoted: quote !== null });
    if (openers.includes(character)) depth += 1;
  }
  return characters;
}

/** The parts of an expression between its outermost commas. An empty last part is dropped. */
export function splitAtCommas(code: string): readonly string[] {
  const parts = [''];
  for (const { character, depth, isQuoted } of listCharacters(code))
    if (character === ',' && depth === 0 && !isQuoted) parts.push('');
    else parts[parts.length - 1] += character;
  if (parts.at(-1)!.trim() === '') parts.pop();
  return parts.map((part) => part.trim());
}

/** Reads the expression at the start of a text: to the end of its line, or to the bracket that closes around it. */
export function readExpression(code: string, stopsAtComma: boolean): ExpressionRead {
  let text = '';
  for (const { character, depth, isQuoted } of listCharacters(code)) {
    const isOutside = !isQuoted && depth <= 0;
    if (
      depth < 0 ||
      (isOutside && (character === '\n' || character === ';' || (stopsAtComma && character === ',')))
    )
      return { text: text.trim(), isClosed: true };
    text += character;
  }
  const lastDepth = listCharacters(`${code}\n;`).at(-1)!.depth;
  return { text: text.trim(), isClosed: lastDepth <= 0 };
}

/** Whether a bracket closes that the text does not open. */
export const closesEarly = (code: string): boolean => listCharacters(code).some(({ depth }) => depth < 0);
