/** The definition of a name in lines of code: its head, its parameters and its body. */
import { indentOf, type Source } from './source.ts';

export interface Definition {
  /** The complete header on one line: `def fire(batch, cone=6) -> Pot:`. */
  readonly head: string;
  /** The text between the brackets after its name; null if there are none. */
  readonly parameters: string | null;
  /** The head without the parameters and the name. */
  readonly rest: string;
  /** The segments of its head and body. */
  readonly segments: readonly number[];
  /** Whether the lines contain the whole body: they also show its last bracket, or code after it. */
  readonly isWhole: boolean;
}

const keyword =
  '(?:def|class|func|function\\*?|fn|fun|sub|interface|struct|trait|enum|type|impl|module|object|protocol|record|const|let|var|val)';

const leading = /^`?(?<name>[\p{L}_$][\p{L}\p{N}_$]*)`?/u;

/** The rest of a text that begins with a name which the lines define; null if it begins with none. */
export function dropDefinedName(text: string, source: Source): string | null {
  const found = leading.exec(text);
  const name = found?.groups?.['name'] ?? '';
  if (found === null || !source.names.has(name) || findDefinitions(name, source).length === 0) return null;
  return text.slice(found[0].length);
}

/** The definitions of the name in the lines, prototypes without a body included. */
export function findDefinitions(name: string, source: Source): readonly Definition[] {
  const own = RegExp.escape(name);
  const form = new RegExp(
    // func (s *Store) open(, class Open, const open =
    `\\b${keyword}\\s+(?:\\([^)]*\\)\\s*)?(?:[\\p{L}\\p{N}_]+(?:::|\\.))*${own}(?![\\p{L}\\p{N}_$])` +
      // open: function, open = (a) =>
      `|(?<![\\p{L}\\p{N}_$.])${own}\\s*[:=]\\s*(?:async\\s*)?(?:function\\b|\\([^()]*\\)\\s*(?::[^=]*)?=>|[\\p{L}_$][\\p{L}\\p{N}_$]*\\s*=>)` +
      // async open(a: A): B {   |   static int open(const char *p)
      `|^\\s*(?:<[^<>]*>\\s+|\\p{Lu}[\\p{Lu}\\p{N}_]*\\([^()]*\\)\\s+|(?!return\\b|await\\b|throw\\b|raise\\b|assert\\b|del\\b|new\\b|else\\b|yield\\b|go\\b|defer\\b|if\\b|while\\b)[\\p{L}_][\\p{L}\\p{N}_<>,:\\[\\]?]*[\\s*&]+)*(?:[\\p{L}_][\\p{L}\\p{N}_]*::)*[~#]?${own}\\s*(?:<[^>]*>)?\\((?![^;]*;\\s*$)`,
    'u',
  );
  const found: Definition[] = [];
  for (const [at, segment] of source.segments.entries()) {
    const match = segment.isCode && segment.text.includes(name) ? form.exec(segment.text) : null;
    if (match === null) continue;
    const head = readHead(at, source);
    const isCall =
      !/^\s*[\p{L}_][^=(]*\s/u.test(match[0]) &&
      !new RegExp(keyword).test(match[0]) &&
      !/[:=]/.test(match[0]);
    // `open(path)` on a line of its own is a call, unless a body follows.
    if (isCall && !/[{:]\s*$|=>|\)\s*(?:const|noexcept|override)?\s*$/.test(head.text)) continue;
    const { segments, isWhole } = readBody(at, head.end, source);
    if (isCall && segments.length <= head.end - at + 1 && !/[{:]\s*$/.test(head.text)) continue;
    found.push({ head: head.text, ...splitHead(head.text, name), segments, isWhole });
  }
  return found;
}

/** The head of a definition, which goes on while a bracket is open. */
function readHead(at: number, { segments }: Source): { readonly text: string; readonly end: number } {
  let text = segments[at]!.text;
  let end = at;
  while (countOpenBrackets(text) > 0 && end - at < 30 && segments[end + 1]?.source === segments[at]!.source) {
    if (/[{:]\s*$/.test(text) && countOpenBrackets(text.replace(/\{\s*$/, '')) <= 0) break;
    end += 1;
    text += ` ${segments[end]!.text.trim()}`;
  }
  return { text, end };
}

/** Round and square brackets that are open at the end of the text. */
export function countOpenBrackets(text: string): number {
  let depth = 0;
  for (const [sign] of text.replace(/"[^"]*"|'[^']*'|`[^`]*`/g, '').matchAll(/[()[\]]/g))
    depth += sign === '(' || sign === '[' ? 1 : -1;
  return depth;
}

/** A line that belongs to the definition although it is indented like the head. */
const continuesDefinition = /^\s*(?:[)\]}{]|(?:rescue|ensure|else|elsif|catch|finally|where|requires)\b)/;

const hasLabels = /\.(?:go|c|cc|cpp|cxx|h|hpp)$/i;
const label = /^[\p{L}_][\p{L}\p{N}_]*:\s*$/u;

function readBody(
  at: number,
  headEnd: number,
  { segments, paths }: Source,
): Pick<Definition, 'segments' | 'isWhole'> {
  const found = [at];
  const indent = indentOf(segments[at]!.text);
  for (let next = at + 1; next < segments.length; next += 1) {
    const segment = segments[next]!;
    if (segment.source !== segments[at]!.source) break;
    const isContinued =
      continuesDefinition.test(segment.text) ||
      (hasLabels.test(paths[segment.source]!) && label.test(segment.text));
    if (next > headEnd && segment.isCode && indentOf(segment.text) <= indent && !isContinued)
      return { segments: found, isWhole: true };
    found.push(next);
  }
  const isWhole = found.some(
    (one) =>
      one > headEnd && indentOf(segments[one]!.text) === indent && /^\s*[)\]}]/.test(segments[one]!.text),
  );
  return { segments: found, isWhole };
}

function splitHead(
  head: string,
  name: string,
): { readonly parameters: string | null; readonly rest: string } {
  const at = head.search(new RegExp(`(?<![\\p{L}\\p{N}_$])${RegExp.escape(name)}(?![\\p{L}\\p{N}_$])`, 'u'));
  const before = head.slice(0, at);
  const after = head.slice(at + name.length);
  const open = after.indexOf('(');
  if (open === -1) return { parameters: null, rest: `${before} ${after}` };
  let depth = 0;
  for (let index = open; index < after.length; index += 1) {
    if (after[index] === '(') depth += 1;
    else if (after[index] === ')') depth -= 1;
    if (depth === 0)
      return {
        parameters: after.slice(open + 1, index),
        rest: `${before} ${after.slice(0, open)} ${after.slice(index + 1)}`,
      };
  }
  return { parameters: after.slice(open + 1), rest: `${before} ${after.slice(0, open)}` };
}
