/**
 * Finds lines that assign a value to a name, in any notation: `port: 8080`, `MAX_SIZE = 20`, `"retries": 3`, `Time to
 * recovery: 31 minutes`.
 */

import { splitName, splitWords, toComparable, type Word } from '../words/words.ts';
import { cacheByKey, indentOf, proseFile, type Segment, type Source } from './source.ts';

/** A name with its value, on one line. */
export interface Field {
  readonly segment: Segment;
  /** Words of the name, without those of its type and unit. */
  readonly key: ReadonlySet<string>;
  /** The words of the enclosing sections, and of the names that identify the record. */
  readonly around: ReadonlySet<string>;
  /** The words of the section that the claim must mention. */
  readonly sections: ReadonlySet<string>;
  readonly value: string;
  /** The position of the value in the segment. */
  readonly at: number;
}

/** Words before a name, or words of its type. They do not say what the name means. */
const bareNames =
  'const let var val final static public private protected export default readonly int integer long short float double bool boolean string str char unsigned size_t u8 u16 u32 u64 usize i32 i64 number define set env arg value values option options setting settings config configuration conf properties props spec data attributes attr param parameter parameters args field fields constant variable defaults the a an of to for in on by at and given configured current currently own its item entry attribute meta metadata';
const commonNameWords = new Set(bareNames.split(' ').flatMap((word) => [word, toComparable(word)]));
const units = new Set(
  'ms msec millis milliseconds millisecond s sec secs seconds second minutes minute min mins hours hour days day bytes byte kb mb gb kib mib gib percent pct ns us'
    .split(' ')
    .flatMap((word) => [word, toComparable(word)]),
);

const keyForm = '["\'`]?(?<key>[@$]?[\\p{L}_][\\p{L}\\p{N}_$./ -]{0,60}?)["\'`]?(?:\\*\\*)?';
const forms: readonly RegExp[] = [
  // const NAME: type = VALUE, NAME := VALUE, self.name = VALUE, #define NAME VALUE
  new RegExp(
    `^\\s*(?:[+]\\s*)?(?:[\\p{L}_]+(?:<[^>]*>)?\\s+){0,4}?${keyForm}\\s*(?::\\s*[\\p{L}_][\\p{L}\\p{N}_.<>\\[\\]| ]*)?\\s*(?::=|=>|\\?=|=)\\s*(?<value>[^=].*)$`,
    'u',
  ),
  /^\s*#\s*define\s+(?<key>[\p{L}_][\p{L}\p{N}_]*)\s+(?<value>.+)$/u,
  // name: VALUE, "name": VALUE, **Name**: VALUE, - name: VALUE
  new RegExp(`^\\s*(?:[-*+]\\s+)?(?:\\*\\*)?${keyForm}\\s*:(?:\\*\\*)?\\s+(?<value>\\S.*)$`, 'u'),
  // | name | VALUE |
  /^\s*\|\s*\**(?<key>[\p{L}_`][^|]{0,60}?)\**\s*\|\s*(?<value>[^|]+?)\s*\|?\s*$/u,
];
/** Several fields on one line: `Query_time: 0.01  Lock_time: 0.02`, `a=1 b=2`. */
const severalFields =
  /(?<![\p{L}\p{N}_.$-])["']?(?<key>[\p{L}_][\p{L}\p{N}_.-]*)["']?(?:=|:\s?)(?<value>"[^"]*"|'[^']*'|[^\s,;{}()[\]]+)/gu;

const isComment = (text: string): boolean =>
  /^\s*(?:#(?!\s*define\b)|\/\/|--|;|\/\*|\*(?!\*)|<!--|%|rem\b)/i.test(text);

const bases = (name: string): readonly string[] =>
  name
    .split(/[^\p{L}\p{N}]+/u)
    .flatMap(splitName)
    .map((part) => part.toLowerCase())
    .filter((part) => !commonNameWords.has(part) && !units.has(part) && !/^\d+$/.test(part))
    .map(toComparable);

export const findFields = cacheByKey((source: Source): readonly Field[] => {
  const found: Field[] = [];
  // Names of the sections around the line, each with its indentation.
  let open: { readonly indent: number; readonly words: readonly string[] }[] = [];
  let section: readonly string[] = [];
  let currentSection = -1;
  for (const segment of source.segments) {
    if (segment.source !== currentSection) [open, section, currentSection] = [[], [], segment.source];
    const { text } = segment;
    const header = /^\s*\[{1,2}([^\]=]+)\]{1,2}\s*$/.exec(text)?.[1];
    if (header !== undefined) {
      section = bases(header);
      open = [];
      continue;
    }
    if (!segment.isCode && !isFieldLine(text)) continue;
    if (isComment(text) || isCommentedOut(segment, source)) continue;
    const indent = indentOf(text);
    open = open.filter((one) => one.indent < indent);
    const head =
      /^\s*(?:[-*]\s+)?(?:[\p{L}_]+\s+){0,3}["'`]?(?<key>[\p{L}_][\p{L}\p{N}_.$/ -]*?)["'`]?(?:\([^()]*\))?\s*(?:[:=]\s*[[{(]?|[{(]|:)\s*$/u.exec(
        text,
      );
    if (head !== null) {
      open.push({ indent, words: bases(head.groups!['key']!) });
      continue;
    }
    const sections = [...section, ...open.flatMap(({ words }) => words)];
    for (const { key, value, at } of findPairs(text)) {
      const own = bases(key);
      if (own.length > 0 && own.length < 8)
        found.push({
          ...{ segment, value, at, key: new Set(own) },
          around: new Set([...sections, ...findRecordNames(segment, source)]),
          sections: new Set(sections),
        });
    }
  }
  return found;
});

/** Whether a line of prose gives a name a value: `Time to recovery: 31 minutes`, or a row of two cells. */
const isFieldLine = (text: string): boolean =>
  /^\s*(?:[-*+]\s+)?(?:\*\*)?[\p{L}][\p{L}\p{N}_` /-]{0,50}(?:\*\*)?:(?:\*\*)?\s+\S.{0,80}$/u.test(text) ||
  /^\s*\|[^|]+\|[^|]+\|?\s*$/.test(text);

function findPairs(
  text: string,
): readonly { readonly key: string; readonly value: string; readonly at: number }[] {
  const many = [...text.matchAll(severalFields)];
  if (
    many.length > 1 &&
    !/^\s*(?:[\p{L}_]+\s+)*(?:function|def|fn|func|class|if|for|while|return|import)\b/u.test(text)
  )
    return many.map(({ index, 0: whole, groups }) => ({
      key: groups!['key']!,
      value: groups!['value']!,
      at: index + whole.length - groups!['value']!.length,
    }));
  for (const form of forms) {
    const match = form.exec(text);
    if (match === null || match.groups === undefined) continue;
    const [key, given] = [match.groups['key']!, match.groups['value']!];
    const value = given.replace(/\s+(?:#|\/\/|--|;).*$|[,;]\s*$/, '').replace(/[,;]\s*$/, '');
    // In `size_t name = 4`, the words before the name are its type.
    const name = /^[^:|]*=/.test(text) ? key.trim().split(' ').at(-1)! : key;
    return [{ key: name, value, at: text.lastIndexOf(given) }];
  }
  return [];
}

/** Names that identify the record of a line, such as `"name": "checkout"` within the same braces or item. */
function findRecordNames(segment: Segment, { segments }: Source): readonly string[] {
  const at = segments.indexOf(segment);
  const indent = indentOf(segment.text);
  const found: string[] = [];
  for (const step of [-1, 1])
    for (let next = at + step; segments[next]?.source === segment.source; next += step) {
      const { text } = segments[next]!;
      const own = indentOf(text.replace(/^(\s*)-\s/, '$1  '));
      if (own < indent || /^\s*[}\]]/.test(text)) break;
      if (own > indent) continue;
      const name =
        /^\s*(?:-\s+)?["']?(?:name|id|service|title|label|metric|host|key|operation)["']?\s*[:=]\s*["']?(.+?)["']?,?\s*$/i.exec(
          text,
        )?.[1];
      if (name !== undefined) found.push(...bases(name), ...splitWords(name).map(({ base }) => base));
      // The next item of a list begins another record.
      if (/^\s*-\s/.test(text) && step < 0) break;
      if (/^\s*-\s/.test(segments[next + 1]?.text ?? '') && step > 0) break;
    }
  return found;
}

/** Whether the setting is commented out. The comment signs were already removed from the text. */
export const isCommentedOut = ({ isCode, text, source }: Segment, { paths }: Source): boolean =>
  !isCode &&
  /^\s*["']?[\p{L}_][\p{L}\p{N}_.-]*["']?\s*[:=]\s*\S+[,;]?$/u.test(text) &&
  !proseFile.test(paths[source] ?? '');

/** Whether a word is so common in names that it says nothing. */
export const isCommonInNames = ({ text, base }: Word): boolean =>
  commonNameWords.has(text.toLowerCase()) || commonNameWords.has(base) || units.has(text.toLowerCase());
