/**
 * Finds the name that a line of code defines, in bytes and without a parser: the name after `func`, `class`, `def` ... at
 * the start of a line, and, in languages with braces, the name before the parameters of a line that opens a body. Precise
 * enough for weights; never shown to users.
 */

/** The role of an identifier at the start of a line. */
export const definer = 1;
export const modifier = 2;

const definers =
  'func function def class interface type struct enum trait impl fn mod namespace macro_rules module object ' +
  'protocol extension record union defmodule defp defun sub message service rpc fun val var let const define ' +
  'typedef procedure macro';
const modifiers =
  'export default pub public private protected static async abstract unsafe inline extern override readonly ' +
  'final sealed partial virtual declare mut local internal open data case crate global lazy suspend explicit ' +
  'friend typename';

export const definitionWords: readonly (readonly [word: string, role: number])[] = [
  ...definers.split(' ').map((word) => [word, definer] as const),
  ...modifiers.split(' ').map((word) => [word, modifier] as const),
];

/** How definitions are found in a file. */
export type DefinitionStyle = 'none' | 'keywords' | 'braces';

const proseAndData = new Set(
  (
    'md markdown mdx rst txt text adoc asciidoc org tex bib log csv tsv json jsonl ndjson json5 yaml yml xml ' +
    'html htm svg toml ini cfg conf lock sum properties po pot css scss less diff patch'
  ).split(' '),
);
const braceLanguages = new Set(
  'c h cc cpp cxx hpp hh java cs js jsx ts tsx mjs cjs mts cts dart groovy php sh bash'.split(' '),
);

/** The part after the last dot of the last path segment, in lower case; empty if there is none. */
export function extensionOf(path: string): string {
  const dot = path.lastIndexOf('.');
  return dot > path.lastIndexOf('/') + 1 ? path.slice(dot + 1).toLowerCase() : '';
}

export function findDefinitionStyle(path: string): DefinitionStyle {
  const extension = extensionOf(path);
  if (proseAndData.has(extension)) return 'none';
  return braceLanguages.has(extension) ? 'braces' : 'keywords';
}

const space = 32;
const tab = 9;
const newline = 10;
const openParenthesis = 40;
const closeParenthesis = 41;
const openBrace = 123;
const lessThan = 60;
const greaterThan = 62;
const asterisk = 42;

/** Maximum bytes of a receiver or a list of type parameters before a name. */
const bracketReach = 200;

function skipBracket(bytes: Uint8Array, at: number, end: number, close: number): number {
  const limit = Math.min(end, at + bracketReach);
  for (let i = at + 1; i < limit && bytes[i] !== newline; i++) if (bytes[i] === close) return i + 1;
  return -1;
}

/**
 * The offset of the name after a defining keyword that ends at `from`, or -1. Skips spaces, `*`, a Go receiver
 * `(s *Server)`, Rust type parameters `<T>`, and the `!` of `macro_rules!`.
 */
export function findNameAfter(bytes: Uint8Array, from: number, end: number, byteClass: Uint8Array): number {
  let at = from;
  while (at < end) {
    const byte = bytes[at]!;
    if (byteClass[byte] !== 0) return at;
    if (byte === space || byte === tab || byte === asterisk || byte === 33) at++;
    else if (byte === openParenthesis) at = skipBracket(bytes, at, end, closeParenthesis);
    else if (byte === lessThan) at = skipBracket(bytes, at, end, greaterThan);
    else return -1;
    if (at < 0) return -1;
  }
  return -1;
}

const keywords = new Set(
  (
    'if for while switch catch return else do try with function func match loop unless until foreach using lock ' +
    'synchronized new await yield throw assert sizeof typeof in of and or not'
  ).split(' '),
);

export interface ByteSpan {
  start: number;
  end: number;
}

function decodeWord(bytes: Uint8Array, start: number, end: number): string {
  return end - start > 16
    ? ''
    : Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
}

/** The name before the first parenthesis of a line that opens a body, e.g. `int main(int argc) {`. */
function findNameInSignature(
  bytes: Uint8Array,
  start: number,
  end: number,
  byteClass: Uint8Array,
  found: ByteSpan,
): boolean {
  let from = start;
  while (from < end && byteClass[bytes[from]!] === 0) from++;
  let firstEnd = from;
  while (firstEnd < end && byteClass[bytes[firstEnd]!] !== 0) firstEnd++;
  if (keywords.has(decodeWord(bytes, from, firstEnd))) return false;
  let open = from;
  while (open < end && bytes[open] !== openParenthesis) open++;
  if (open === end) return false;
  let nameEnd = open;
  while (nameEnd > from && bytes[nameEnd - 1] === space) nameEnd--;
  let name = nameEnd;
  while (name > from && byteClass[bytes[name - 1]!] !== 0) name--;
  // A call such as `app.get('/', () => {` or `register(function () {` opens a body too, and defines nothing.
  let argument = open + 1;
  while (argument < end && byteClass[bytes[argument]!] !== 0) argument++;
  const quoted = bytes[open + 1] === 39 || bytes[open + 1] === 34 || bytes[open + 1] === 96;
  if (nameEnd - name < 3 || quoted || bytes[name - 1] === 46) return false;
  if (keywords.has(decodeWord(bytes, name, nameEnd)) || keywords.has(decodeWord(bytes, open + 1, argument)))
    return false;
  for (let i = from; i < end - 1; i++) {
    if (bytes[i] === 61 && (i < name || bytes[i + 1] === greaterThan)) return false;
  }
  found.start = name;
  found.end = nameEnd;
  return true;
}

/** An opening brace alone on its line belongs to a signature at most this many lines above. */
const signatureReach = 6;

/**
 * Writes the name that the line `[start, end)` defines into `found`; false if it defines none. The line ends with `{`. If
 * it is only a brace, the lines above are searched, from `firstOffset`.
 */
export function findNameBeforeBrace(
  bytes: Uint8Array,
  firstOffset: number,
  start: number,
  end: number,
  byteClass: Uint8Array,
  found: ByteSpan,
): boolean {
  let first = start;
  while (first < end && (bytes[first] === space || bytes[first] === tab)) first++;
  if (bytes[first] !== openBrace) return findNameInSignature(bytes, start, end, byteClass, found);
  const indent = first - start;
  let lineEnd = start - 1;
  for (let k = 0; k < signatureReach && lineEnd > firstOffset; k++) {
    let line = lineEnd;
    while (line > firstOffset && bytes[line - 1] !== newline) line--;
    let text = line;
    while (text < lineEnd && (bytes[text] === space || bytes[text] === tab)) text++;
    if (text - line === indent && text < lineEnd)
      return findNameInSignature(bytes, line, lineEnd, byteClass, found);
    lineEnd = line - 1;
  }
  return false;
}
