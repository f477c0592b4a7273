/** Joins statements of code over several lines, and finds the origins of the values in them. */

import { findNamesInCode } from '../claim/terms.ts';
import { countOpenBrackets } from './definition.ts';
import type { Source } from './source.ts';

/** Whether a word is part of a text of several words, such as the message of an error. */
export const isInMessage = (line: string, at: number): boolean =>
  [...line.matchAll(/(["'`])[^"'`]*\s[^"'`]*\1/g)].some(
    ({ index, 0: message }) => at > index && at < index + message.length,
  );

const maxLines = 12;

/** The statement at a line: the line with the lines before it that leave a bracket open. */
export function joinStatement(at: number, { segments }: Source): string {
  let text = segments[at]!.text;
  for (let before = at - 1; before >= at - maxLines && before >= 0; before -= 1) {
    const segment = segments[before]!;
    if (!segment.isCode || segment.source !== segments[at]!.source || countOpenBrackets(segment.text) <= 0)
      break;
    text = `${segment.text} ${text.trim()}`;
  }
  return text;
}

/**
 * The statements with this word, and the statements that may set a name in them: an assignment, a loop, a pattern, a
 * method call. The result has too many rather than too few.
 */
export function findStatements(word: RegExp, segments: readonly number[], source: Source): readonly string[] {
  const statements = segments
    .filter((at) => source.segments[at]!.isCode)
    .map((at) => joinStatement(at, source));
  const found = new Set(statements.filter((text) => word.test(text)));
  const names = new Set<string>();
  for (const text of found)
    for (const name of findNamesInCode(text)) {
      if (names.has(name)) continue;
      names.add(name);
      // A set may grow during the loop: added statements are visited too.
      for (const one of statements) if (maySet(one, name)) found.add(one);
    }
  return [...found];
}

const gives =
  /[^=!<>]=(?!=)|:=|<-|\.\p{L}|\[|^\s*(?:for|while|if|with|match|switch|case|catch|except|rescue|using|try)\b/u;

const maySet = (statement: string, name: string): boolean =>
  gives.test(statement) && findNamesInCode(statement).includes(name);
