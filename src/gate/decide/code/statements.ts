/** Finds the statements of a definition, each with the branches around it. */

import { countOpenBrackets, findDefinitions } from '../../lines/definition.ts';
import { indentOf, type Source } from '../../lines/source.ts';

/** One test around a statement, and whether the statement runs if the test passes. */
export interface Guard {
  readonly test: string;
  readonly isTrue: boolean;
  /** Whether it is a loop: the statement runs in each iteration. */
  readonly isLoop?: true;
}

export interface Statement {
  /** The whole statement on one line, without a branch before it on the same line. */
  readonly text: string;
  readonly at: number;
  /** What it returns, as written; for a bare return the language's word for nothing, such as `None`. */
  readonly returned?: string;
  /**
   * From the outermost; null if the lines around it do not tell when it runs: a case, a handler, an inner function.
   */
  readonly guards: readonly Guard[] | null;
  /** Tests before it whose branches leave the body, or the iteration of the loop. */
  readonly passed: readonly Guard[];
}

/** The body of one definition, or all lines of code. */
export interface CodeScope {
  readonly statements: readonly Statement[];
  /** The parameters of the definition, as written. */
  readonly parameters: string | null;
  readonly head: number | null;
  /** Whether the lines hold all of it. */
  readonly isWhole: boolean;
  /** Whether no line of it, nor a comment, returns anything, in a language where that must be written. */
  readonly isSilent: boolean;
}

/** The only definition of a name; null for none, or for several. */
export function findScopeOfName(name: string, owner: string | null, source: Source): CodeScope | null {
  const isPrivate = name.startsWith('#');
  const bare = name.replace(/^#/, '');
  // `#set` is another than `set`.
  const all = findDefinitions(bare, source).filter(
    ({ segments, head }) => segments.length > 1 && head.includes(`#${bare}`) === isPrivate,
  );
  const found = all.length > 1 && owner !== null ? all.filter(({ head }) => hasWord(head, owner)) : all;
  const [one] = found;
  if (one === undefined || found.length > 1) return null;
  const head = one.segments[0]!;
  const path = source.paths[source.segments[head]!.source]!;
  const statements = findStatements(one.segments.slice(1), head, source);
  return {
    statements: lastValuePath.test(path) ? addLastValue(statements, source) : statements,
    parameters: one.parameters,
    head,
    isWhole: one.isWhole || leavesAtEnd(statements, one.segments.at(-1)!),
    isSilent:
      explicitReturnPath.test(path) &&
      !one.segments.some((at) => /return|yield|=>|lambda/i.test(source.segments[at]!.text)),
  };
}

/** Whether the last line of the body always returns or raises. */
function leavesAtEnd(statements: readonly Statement[], end: number): boolean {
  const last = statements.at(-1);
  return (
    last !== undefined &&
    last.at === end &&
    last.guards?.length === 0 &&
    /^\s*(?:return|raise|throw)\b/.test(last.text)
  );
}

const explicitReturnPath = /\.(?:py|go|java|php|js|mjs|ts|tsx|cs|c|cc|cpp)$/i;
const lastValuePath = /\.(?:rs|rb)$/i;

/** In some languages the last expression of a body is what it returns. */
function addLastValue(statements: readonly Statement[], { segments }: Source): readonly Statement[] {
  const ownStatements = statements.filter(({ text }) => !/^\s*(?:\}|end\b)/.test(text));
  const last = ownStatements.at(-1);
  if (
    last === undefined ||
    last.guards?.length !== 0 ||
    !/^\s*[\p{L}_@][\p{L}\p{N}_.:()@?]*$/u.test(last.text)
  )
    return statements;
  if (
    indentOf(segments[last.at]!.text) >
    Math.min(...ownStatements.map(({ at }) => indentOf(segments[at]!.text)))
  )
    return statements;
  return statements.map((one) => (one === last ? { ...one, returned: one.text.trim() } : one));
}

/** All cited lines of code, if they are of one file. */
export function createScopeOfLines(source: Source): CodeScope | null {
  if (source.paths.length !== 1) return null;
  const lines = [...source.segments.keys()];
  return {
    statements: findStatements(lines, null, source),
    parameters: null,
    head: null,
    isWhole: false,
    isSilent: false,
  };
}

const hasWord = (text: string, word: string): boolean =>
  new RegExp(`(?<![\\p{L}\\p{N}_$])${RegExp.escape(word)}(?![\\p{L}\\p{N}_$])`, 'u').test(text);

const innerFunction =
  /=>\s*[{(]?\s*$|\b(?:function|func|fn|def|lambda|class|struct|impl|trait|interface)\b|\|[^|]*\|\s*\{?\s*$|\bdo\s*(?:\|[^|]*\|)?\s*$/u;
const quotedText = /"[^"]*"|'[^']*'/g;
/** The head of a method: `feed(hay: Hay): Meal {`. */
const methodHead =
  /^(?!\s*(?:if|for|while|switch|catch|else|with|match|select)\b)[^(){}=]*[\p{L}\p{N}_$>]\s*\([^{}]*\)\s*(?:(?::|->|throws\b)[^{}=]*)?\{\s*$/u;
const branchHead = /^\s*if\b\s*(?<test>.+?)\s*(?:[{:]|\bthen\b)?\s*(?:(?:\/\/|#\s).*)?$/u;
const unlessHead = /^\s*unless\b\s*(?<test>.+?)\s*(?:\bthen\b)?\s*$/u;
const elseHead = /^\s*(?:\}\s*)?else\s*[{:]?\s*$/u;
const plainBlock =
  /^\s*(?:try\s*[{:]|\{|begin|unsafe \{|with\b.*:|using\s?\(.*\{|synchronized\s?\(.*\{)\s*$/u;
const loopHead = /^\s*(?:\}\s*)?(?:for|while|loop|until|do)\b.*(?:[{:]|do|\p{L})\s*$/u;
const inlineBranch = /^\s*if\s*\((?<test>[^{}]*?)\)\s+(?<then>[^{\s].*)$/u;
const postfixBranch = /^(?<then>\s*(?:return|raise|next|break)\b.*?)\s(?<word>if|unless)\s(?<test>[^'"]+)$/u;

function findStatements(lines: readonly number[], head: number | null, source: Source): readonly Statement[] {
  const found: Statement[] = [];
  let lastJoined = -1;
  for (const at of lines) {
    const { text, isCode, isRecord, isText } = source.segments[at]!;
    if (!isCode || isRecord || isText || at <= lastJoined || text.trim() === '') continue;
    const { whole: written, end } = joinLines(at, source);
    const whole = written.replace(trailingComment, '');
    lastJoined = end;
    const { guards, passed } = findGuards(at, head, source);
    const addStatement = (text: string, around: readonly Guard[] | null): void => {
      const value = returnForm.exec(text)?.groups?.['value'];
      const returned = value === '' ? bareReturnValue(source.paths[source.segments[at]!.source]!) : value;
      found.push({ text, at, guards: around, passed, ...(returned !== undefined && { returned }) });
    };
    const inlineGroups = inlineBranch.exec(whole)?.groups;
    const postfixGroups = /\.rb$/.test(source.paths[source.segments[at]!.source]!)
      ? postfixBranch.exec(whole)?.groups
      : undefined;
    if (inlineGroups !== undefined && countOpenBrackets(`(${inlineGroups['test']!})`) === 0)
      addStatement(inlineGroups['then']!, addGuard(guards, { test: inlineGroups['test']!, isTrue: true }));
    else if (postfixGroups !== undefined)
      addStatement(
        postfixGroups['then']!,
        addGuard(guards, { test: postfixGroups['test']!, isTrue: postfixGroups['word'] === 'if' }),
      );
    else addStatement(whole, guards);
  }
  return found;
}

const returnForm = /^\s*return\b\s*(?<value>.*?);?\s*$/u;
/** What a bare return returns, in the language of the file. */
const bareReturnValue = (path: string): string =>
  /\.(?:js|mjs|cjs|jsx|ts|tsx|mts)$/.test(path) ? 'undefined' : /\.py$/.test(path) ? 'None' : 'nil';

/** A comment behind a statement. */
const trailingComment = /\s+(?:\/\/|#\s).*$/u;

const addGuard = (guards: readonly Guard[] | null, guard: Guard): readonly Guard[] | null =>
  guards === null ? null : [...guards, guard];

const maxLines = 12;

/** A line joined with the next ones as long as a bracket is open. */
function joinLines(at: number, { segments }: Source): { readonly whole: string; readonly end: number } {
  let whole = segments[at]!.text;
  let end = at;
  while (
    countOpenBrackets(whole) > 0 &&
    !/[{:]\s*$/.test(whole) &&
    end - at < maxLines &&
    segments[end + 1]?.source === segments[at]!.source
  ) {
    end += 1;
    if (segments[end]!.isCode) whole = `${whole} ${segments[end]!.text.trim()}`;
  }
  return { whole, end };
}

/**
 * The branches around a line, null if something else than a plain branch is around it; and the tests that it has
 * passed.
 */
function findGuards(
  at: number,
  head: number | null,
  source: Source,
): { readonly guards: readonly Guard[] | null; readonly passed: readonly Guard[] } {
  const { segments } = source;
  const segment = segments[at]!;
  const guards: Guard[] = [];
  const passed: Guard[] = [];
  let indent = indentOf(segment.text);
  for (let above = at - 1; above > (head ?? -1) && segments[above]!.source === segment.source; above -= 1) {
    const { text, isCode } = segments[above]!;
    if (!isCode || text.trim() === '' || indentOf(text) > indent) continue;
    if (indentOf(text) === indent) {
      const leavingTest = findLeavingTest(above, source);
      if (leavingTest !== null) passed.push({ test: leavingTest, isTrue: false });
      continue;
    }
    indent = indentOf(text);
    // The cited lines may begin with the definition itself.
    if (innerFunction.test(text.replace(quotedText, '""')) || methodHead.test(text))
      return { guards: head === null ? guards : null, passed };
    if (plainBlock.test(text)) continue;
    if (loopHead.test(text)) {
      guards.unshift({ test: `${above}`, isTrue: true, isLoop: true });
      continue;
    }
    const isElse = elseHead.test(text);
    if (isElse) {
      above = findBranchOfElse(above, source);
      if (above === -1) return { guards: null, passed };
    }
    const line = segments[above]!.text;
    const test = branchHead.exec(line)?.groups?.['test'] ?? unlessHead.exec(line)?.groups?.['test'];
    if (test === undefined) return { guards: head === null && /^\S/.test(text) ? guards : null, passed };
    guards.unshift({
      test: toBareTest(test),
      isTrue: (unlessHead.test(line) ? 1 : 0) + (isElse ? 1 : 0) !== 1,
    });
  }
  return { guards, passed };
}

const leavingForm = /^\s*(?:return|raise|throw|continue|break|panic!?\()/u;

/** The test of a branch that ends by leaving the body and has no `else`; null for any other line. */
function findLeavingTest(at: number, source: Source): string | null {
  const { segments } = source;
  const { text, source: of } = segments[at]!;
  const inlineGroups = inlineBranch.exec(text)?.groups;
  if (inlineGroups !== undefined)
    return leavingForm.test(inlineGroups['then']!) ? inlineGroups['test']! : null;
  const test = branchHead.exec(text)?.groups?.['test'];
  if (test === undefined) return null;
  let last = '';
  for (let below = at + 1; below < segments.length && segments[below]!.source === of; below += 1) {
    const one = segments[below]!;
    if (!one.isCode || one.text.trim() === '') continue;
    if (indentOf(one.text) <= indentOf(text)) {
      // A branch that goes on elsewhere may not leave.
      if (/^\s*(?:\}\s*)?(?:else|elif|elsif|catch|except)\b/.test(one.text)) return null;
      break;
    }
    last = indentOf(one.text) === findFirstIndent(at, source) ? one.text : last;
  }
  return leavingForm.test(last) ? toBareTest(test) : null;
}

/** The indent of the first line of code below a line. */
const findFirstIndent = (at: number, { segments }: Source): number => {
  const first = segments.slice(at + 1).find(({ isCode, text }) => isCode && text.trim() !== '');
  return first === undefined ? 0 : indentOf(first.text);
};

/** The line of the branch that an `else` belongs to; -1 if there are others between them. */
function findBranchOfElse(at: number, { segments }: Source): number {
  const indent = indentOf(segments[at]!.text);
  for (let above = at - 1; above >= 0 && segments[above]!.source === segments[at]!.source; above -= 1) {
    const { text, isCode } = segments[above]!;
    if (!isCode || text.trim() === '' || indentOf(text) > indent) continue;
    return indentOf(text) === indent && (branchHead.test(text) || unlessHead.test(text)) ? above : -1;
  }
  return -1;
}

/** A test without a statement before it: `err != nil` for `err := f(); err != nil`. */
const toBareTest = (test: string): string => test.replace(/^.*;\s*/u, '').trim();

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
