/** The code of a changed line: without comments, and without the texts in it that people read. */

/** Expressions within a text: `${id}`, `#{id}`, `{id}` and `\(id)`. */
const interpolation = /\$\{[^}]*\}|#\{[^}]*\}|\{[\w.[\]()]+\}|\\\([^)]*\)|\$[A-Za-z_]\w*/g;

const statementForm =
  /\b(?:SELECT|INSERT INTO|DELETE FROM|ALTER TABLE|LOCK TABLE|FROM|WHERE|JOIN|ORDER BY|GROUP BY|FOR UPDATE|FOR SHARE|LIMIT|VALUES|INDEX|TABLE)\b|^\s*(?:select\b.*\bfrom\b|insert into\b|update\b.*\bset\b|delete from\b|alter table\b|create (?:table|unique|index|view)\b|drop (?:table|index|column|view)\b|lock table\b|where\b|for (?:update|share)\b|order by\b|group by\b|limit\b|and\b.*[=<>?:])/;

/** Words of a quantity, such as `every 5 minutes`, which is a setting, not prose. */
const quantityWord =
  /^(?:every|each|per|in|a|an|interval|milliseconds?|seconds?|minutes?|hours?|days?|weeks?|months?)$/i;

/** Whether a text is written for people: two words or more, and no statement, path, pattern or quantity. */
export function isProse(text: string): boolean {
  if (/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]{2}/u.test(text)) return true;
  if (statementForm.test(text)) return false;
  const parts =
    text
      .replace(interpolation, ' ')
      .replace(/%[\w.]+/g, ' ')
      .match(/\S+/g) ?? [];
  const words = parts
    .map((part) => part.replace(/^[("'¿¡]+|[.,;:!?…)"']+$/gu, ''))
    .filter((part) => /^\p{L}[\p{L}\p{M}'’]*$/u.test(part) && !quantityWord.test(part));
  return words.length >= 2 && words.length * 2 >= parts.length;
}

/** A text in quotation marks, or a comment behind code. */
const textOrComment =
  /(["'`])((?:\\.|(?!\1)[^\\\n])*\\?)\1|(?<=^|[\s;,){}])\/\/.*$|\/\*.*?\*\/|<!--.*?-->|(?<=\s)(?:#|--)\s.*$/g;
/** The text between two tags. */
const betweenTags = /(<\/?[A-Za-z][^<>]*>)[^<>{}=;()]*\p{L}[^<>{}=;()]*(?=<\/?[A-Za-z])/gu;
/** A line of a text that begins and ends on other lines. */
const sentenceLine = /^\p{Lu}[\p{L}'’]*(?:,? \p{Ll}[\p{L}'’]*)+[.,!?…:]?$/u;

export function extractCode(line: string): string {
  if (sentenceLine.test(line.trim()) && isProse(line)) return '';
  return line
    .replace(textOrComment, (whole, mark: string | undefined, text: string | undefined) => {
      if (mark === undefined || text === undefined) return '';
      return isProse(text) ? `${mark}${(text.match(interpolation) ?? []).join(' ')}${mark}` : whole;
    })
    .replace(betweenTags, '$1');
}

/** A text that only labels something for people: `label = 'Purchase'`, `title: "Buy"`. */
export const isCaption = (line: string, text: string): boolean =>
  /^\p{Lu}\p{Ll}+$/u.test(text) &&
  /(?:label|title|caption|heading|headline|placeholder|tooltip|button|legend|text|alt|hint|copy)\w*["']?\s*[:=(]/i.test(
    line,
  );
