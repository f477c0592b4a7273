/** The contract of a rule: it runs only if the text holds one of its keywords. */

/** A range of a text: `[start, end)`. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  /** The kind of secret: lower case with underscores. */
  readonly kind: string;
}

export interface SecretRule {
  readonly kind: string;
  /** In ASCII; case is ignored. */
  readonly keywords: readonly string[];
  /**
   * Returns the secret at the keyword that begins at `at`, or several in order if one header names them; null if there
   * is none. Searches only the text near `at`, to keep the cost per keyword small.
   */
  find(text: string, at: number): SecretSpan | readonly SecretSpan[] | null;
}

/** Makes a rule from a pattern whose first group precedes the secret, and whose second is the secret. */
export function patternRule(
  kind: string,
  keywords: readonly string[],
  /** Sticky, tried where a keyword begins. */
  shape: RegExp,
  accepts: (secret: string, text: string, at: number) => boolean = () => true,
): SecretRule {
  return {
    kind,
    keywords,
    find(text, at) {
      shape.lastIndex = at;
      const match = shape.exec(text);
      if (match === null) return null;
      const start = at + match[1]!.length;
      const secret = match[2]!;
      return accepts(secret, text, at) ? { start, end: start + secret.length, kind } : null;
    },
  };
}

/** Whether a word may begin here: not after a letter or a digit, except the letter of an escape (`\\n`). */
export function beginsWord(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  if (!isWord(before)) return true;
  return text[at - 2] === '\\' && 'nrt'.includes(text[at - 1]!);
}

/** ASCII letters and digits, like `\w`. The code before the first character is NaN, which is no word character. */
function isWord(code: number): boolean {
  return (
    (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95
  );
}
