/** The statements of a definition, each with the branches that it is in. */

import { countOpenBrackets, findDefinitions } from '../../lines/definition.ts';
import { indentOf, type Source } from '../../lines/source.ts';

/** One test around a statement, and whether the statement is done where it holds. */
export interface Guard {
  readonly test: string;
  readonly isTrue: boolean;
  /** Whether it is a loop, of which each turn is meant. */
  readonly isLoop?: true;
}

export interface Statement {
  /** The whole statement on one line, without a branch before it on the same line. */
  readonly text: string;
  readonly at: number;
  /** What it returns, as written; what returns nothing has the word that the language has for it. */
  readonly returned?: string;
  /**
   * From the outermost; null if the lines around it do not tell when it is done: a case, a handler, an inner function.
   */
  readonly guards: readonly Guard[] | null;
  /** Tests before it, in whose branches the body, or the turn of the loop, is left. */
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
    statements: hasLastValue.test(path) ? addLastValue(statements, source) : statements,
    parameters: one.parameters,
    head,
    isWhole: one.isWhole || isEnded(statements, one.segments.at(-1)!),
    isSilent:
      writesReturns.test(path) &&
      !one.segments.some((at) => /return|yield|=>|lambda/i.test(source.segments[at]!.text)),
  };
}

/** Whether the last line of the body leaves it in any case. */
function isEnded(statements: readonly Statement[], end: number): boolean {
  const last = statements.at(-1);
  return (
    last !== undefined &&
    last.at === end &&
    last.guards?.length === 0 &&
    /^\s*(?:return|raise|throw)\b/.test(last.text)
  );
}

const writesReturns = /\.(?:py|go|java|php|js|mjs|ts|tsx|cs|c|cc|cpp)$/i;
const hasLastValue = /\.(?:rs|rb)$/i;

/** In some languages the last expression of a body is what it returns. */
function addLastValue(statements: readonly Statement[], { segments }: Source): readonly Statement[] {
  const own = statements.filter(({ text }) => !/^\s*(?:\}|end\b)/.test(text));
  const last = own.at(-1);
  if (
    last === undefined ||
    last.guards?.length !== 0 ||
    !/^\s*[\p{L}_@][\p{L}\p{N}_.:()@?]*$/u.test(last.text)
  )
    return statements;
  if (indentOf(segments[last.at]!.text) > Math.min(...own.map(({ at }) => indentOf(segments[at]!.text))))
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

const inner =
  /=>\s*[{(]?\s*$|\b(?:function|func|fn|def|lambda|class|struct|impl|trait|interface)\b|\|[^|]*\|\s*\{?\s*$|\bdo\s*(?:\|[^|]*\|)?\s*$/u;
const quoted = /"[^"]*"|'[^']*'/g;
/** The head of a method: `feed(hay: Hay): Meal {`. */
const method =
  /^(?!\s*(?:if|for|while|switch|catch|else|with|match|select)\b)[^(){}=]*[\p{L}\p{N}_$>]\s*\([^{}]*\)\s*(?:(?::|->|throws\b)[^{}=]*)?\{\s*$/u;
const branch = /^\s*if\b\s*(?<test>.+?)\s*(?:[{:]|\bthen\b)?\s*(?:(?:\/\/|#\s).*)?$/u;
const unlessBranch = /^\s*unless\b\s*(?<test>.+?)\s*(?:\bthen\b)?\s*$/u;
const otherwise = /^\s*(?:\}\s*)?else\s*[{:]?\s*$/u;
const open = /^\s*(?:try\s*[{:]|\{|begin|unsafe \{|with\b.*:|using\s?\(.*\{|synchronized\s?\(.*\{)\s*$/u;
const loop = /^\s*(?:\}\s*)?(?:for|while|loop|until|do)\b.*(?:[{:]|do|\p{L})\s*$/u;
const inlineBranch = /^\s*if\s*\((?<test>[^{}]*?)\)\s+(?<then>[^{\s].*)$/u;
const postfix = /^(?<then>\s*(?:return|raise|next|break)\b.*?)\s(?<word>if|unless)\s(?<test>[^'"]+)$/u;

function findStatements(lines: readonly number[], head: number | null, source: Source): readonly Statement[] {
  const found: Statement[] = [];
  let until = -1;
  for (const at of lines) {
    const { text, isCode, isRecord, isText } = source.segments[at]!;
    if (!isCode || isRecord || isText || at <= until || text.trim() === '') continue;
    const { whole: written, end } = joinLines(at, source);
    const whole = written.replace(trailing, '');
    until = end;
    const { guards, passed } = findGuards(at, head, source);
    const make = (text: string, around: readonly Guard[] | null): void => {
      const value = returning.exec(text)?.groups?.['value'];
      const returned = value === '' ? nothingValue(source.paths[source.segments[at]!.source]!) : value;
      found.push({ text, at, guards: around, passed, ...(returned !== undefined && { returned }) });
    };
    const inline = inlineBranch.exec(whole)?.groups;
    const behind = /\.rb$/.test(source.paths[source.segments[at]!.source]!)
      ? postfix.exec(whole)?.groups
      : undefined;
    if (inline !== undefined && countOpenBrackets(`(${inline['test']!})`) === 0)
      make(inline['then']!, addGuard(guards, { test: inline['test']!, isTrue: true }));
    else if (behind !== undefined)
      make(behind['then']!, addGuard(guards, { test: behind['test']!, isTrue: behind['word'] === 'if' }));
    else make(whole, guards);
  }
  return found;
}

const returning = /^\s*return\b\s*(?<value>.*?);?\s*$/u;
/** What a bare return gives. */
const nothingValue = (path: string): string =>
  /\.(?:js|mjs|cjs|jsx|ts|tsx|mts)$/.test(path) ? 'undefined' : /\.py$/.test(path) ? 'None' : 'nil';

/** A comment behind a statement. */
const trailing = /\s+(?:\/\/|#\s).*$/u;

const addGuard = (guards: readonly Guard[] | null, guard: Guard): readonly Guard[] | null =>
  guards === null ? null : [...guards, guard];

const maxLines = 12;

/** A line with those after it, while it leaves a bracket open. */
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
  const own = segments[at]!;
  const guards: Guard[] = [];
  const passed: Guard[] = [];
  let indent = indentOf(own.text);
  for (let above = at - 1; above > (head ?? -1) && segments[above]!.source === own.source; above -= 1) {
    const { text, isCode } = segments[above]!;
    if (!isCode || text.trim() === '' || indentOf(text) > indent) continue;
    if (indentOf(text) === indent) {
      const left = findLeavingTest(above, source);
      if (left !== null) passed.push({ test: left, isTrue: false });
      continue;
    }
    indent = indentOf(text);
    // The cited lines may begin with the definition itself.
    if (inner.test(text.replace(quoted, '""')) || method.test(text))
      return { guards: head === null ? guards : null, passed };
    if (open.test(text)) continue;
    if (loop.test(text)) {
      guards.unshift({ test: `${above}`, isTrue: true, isLoop: true });
      continue;
    }
    const isElse = otherwise.test(text);
    if (isElse) {
      above = findBranchOfElse(above, source);
      if (above === -1) return { guards: null, passed };
    }
    const line = segments[above]!.text;
    const test = branch.exec(line)?.groups?.['test'] ?? unlessBranch.exec(line)?.groups?.['test'];
    if (test === undefined) return { guards: head === null && /^\S/.test(text) ? guards : null, passed };
    guards.unshift({
      test: toBareTest(test),
      isTrue: (unlessBranch.test(line) ? 1 : 0) + (isElse ? 1 : 0) !== 1,
    });
  }
  return { guards, passed };
}

const leaving = /^\s*(?:return|raise|throw|continue|break|panic!?\()/u;

/** The test of a branch that leaves the body, and that nothing else goes with; null for any other line. */
function findLeavingTest(at: number, source: Source): string | null {
  const { segments } = source;
  const { text, source: of } = segments[at]!;
  const inline = inlineBranch.exec(text)?.groups;
  if (inline !== undefined) return leaving.test(inline['then']!) ? inline['test']! : null;
  const test = branch.exec(text)?.groups?.['test'];
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
  return leaving.test(last) ? toBareTest(test) : null;
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
    return indentOf(text) === indent && (branch.test(text) || unlessBranch.test(text)) ? above : -1;
  }
  return -1;
}

/** A test without what is set before it, and without its brackets: `err := f(); err != nil`. */
const toBareTest = (test: string): string => test.replace(/^.*;\s*/u, '').trim();
