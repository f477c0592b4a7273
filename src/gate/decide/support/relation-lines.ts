/** Patterns of code lines in which one name returns, throws, calls, takes or extends another. */

import { findNamesInCode } from '../../claim/terms.ts';
import type { Definition } from '../../lines/definition.ts';
import { indentOf, type Source } from '../../lines/source.ts';
import { findStatements, joinStatement } from '../../lines/statements.ts';
import { removeSpaces } from '../../words/normal.ts';

export interface Relation {
  readonly verb: string;
  readonly holds: (object: string, scope: Scope, source: Source) => boolean;
  /**
   * Whether the relation is absent: the whole body is visible, and nothing in it could be the relation. False if other
   * code may do it.
   */
  readonly lacks: (object: string, scope: Scope, source: Source) => boolean;
}

/** The lines in which the subject of the claim acts. */
export interface Scope {
  readonly definitions: readonly Definition[];
  readonly segments: readonly number[];
}

const returnWord = /\breturn\b|\byield\b|=>|\bresolve\(/;
const throwWord = /\bthrow\b|\braise\b|\bpanic\b|\breject\(|\bErr\(|\bbail\b|\babort\b|\bfail\w*\(/i;

export const relations: readonly Relation[] = [
  {
    verb: 'returns?|returning|returned|yields?|gives? back|resolves? to|evaluates? to',
    holds: (object, scope, source) =>
      scope.definitions.some(({ rest }) => containsObject(rest, object)) ||
      isStated(object, returnWord, scope, source) ||
      isCommented(object, /\b(?:returns?|yields?)\b/i, scope, source) ||
      isLastOfBody(object, scope, source),
    lacks: (object, scope, source) =>
      isValueName(object) &&
      !isInComment(object, scope, source) &&
      !lastValuePath.test(source.paths[source.segments[scope.segments[0]!]!.source]!) &&
      !findStatements(returnWord, scope.segments, source).some((text) => mayContain(text, object)),
  },
  {
    verb: 'throws?|throwing|thrown|raises?|raising|raised|panics? with|rejects? with|fails? with',
    holds: (object, scope, source) =>
      scope.definitions.some(({ head }) => containsObject(/\bthrows\b.*/.exec(head)?.[0] ?? '', object)) ||
      isStated(object, throwWord, scope, source) ||
      isCommented(object, /\b(?:rais(?:es?|ed)|throws?|thrown)\b/i, scope, source) ||
      (/err(?:or)?/i.test(object) && isStated(object, /\breturn\b/, scope, source)),
    // A body may throw through its calls; calls that only compute a value are not considered.
    lacks: (object, scope, source) =>
      isCalledAlone(object, scope, source) &&
      !isInComment(object, scope, source) &&
      !findStatements(throwWord, scope.segments, source).some((text) => mayContain(text, object)),
  },
  {
    verb: 'calls?|calling|called|invokes?|invoking|invoked|delegates to|awaits?',
    holds: (object, scope, source) => isCalled(object, scope, source),
    lacks: (object, scope, source) =>
      isPlainName(object) && !scope.segments.some((at) => mayContain(source.segments[at]!.text, object)),
  },
  {
    verb: 'takes?|taking|accepts?|accepting|receives?|receiving',
    holds: (object, { definitions, segments }, source) =>
      definitions.length === 0 ||
      definitions.some(({ parameters, head }) =>
        parameters === null
          ? /\b(?:class|struct|interface|type)\b/.test(head)
          : containsObject(parameters, object),
      ) ||
      segments.some((at) => !source.segments[at]!.isCode && isDocumented(source.segments[at]!.text, object)),
    lacks: (object, scope, source) =>
      isValueName(object) &&
      isPlainName(object) &&
      !isInComment(object, scope, source) &&
      // The body may take it itself, as in `if ((get = m.get))`.
      !(
        object.includes('.') && scope.segments.some((at) => containsObject(source.segments[at]!.text, object))
      ) &&
      scope.definitions.every(
        ({ parameters }) =>
          parameters !== null && !openParameters.test(parameters) && !mayContain(parameters, object),
      ),
  },
  {
    verb: 'extends?|extending|inherits from|subclasses|implements|is a subclass of',
    holds: (object, { definitions }) =>
      definitions.length === 0 || definitions.some(({ head }) => containsObject(head, object)),
    lacks: (object, { definitions }) =>
      definitions.every(
        ({ head }) => /\b(?:class|interface|struct)\b/.test(head) && !mayContain(head, object),
      ),
  },
];

/** Whether a name is no type. A body need not spell a type to return or take a value of it. */
const isValueName = (object: string): boolean => /^[\p{Ll}_$@]/u.test(object) && !/_t$/.test(object);

/** Whether a text contains the last name of the object in any form. This is enough for a doubt. */
const mayContain = (text: string, object: string): boolean => {
  const names = findNamesInCode(object);
  const last = isPlainName(object) ? names.at(-1) : names[0];
  return last === undefined || text.toLowerCase().includes(last.toLowerCase());
};

/** `...rest`, `**options`, `{ a, b }`, `opts`: a value may come in under a name that the head does not spell. */
const openParameters = /\.\.\.|\*\*|\*\p{L}|[{&]|\b(?:args|kwargs|opt(?:ion)?s|params|config|props)\b/iu;

/** Whether a comment within the lines of the subject mentions the object. */
const isInComment = (object: string, { segments }: Scope, source: Source): boolean =>
  segments.some((at) => !source.segments[at]!.isCode && mayContain(source.segments[at]!.text, object));

/** Whether each line of the body with the object calls it for a value: `const row = object(…)`. */
const isCalledAlone = (object: string, { segments }: Scope, source: Source): boolean => {
  const lines = segments.map((at) => source.segments[at]!.text).filter((text) => mayContain(text, object));
  return (
    lines.length > 0 && lines.every((text) => /=(?![=>])\s*(?:await\s+)?[\p{L}\p{N}_$.:]*\(/u.test(text))
  );
};

export const isPlainName = (object: string): boolean => /^[\p{L}\p{N}_$.:#>-]+(?:\(\))?$/u.test(object);

function containsObject(text: string, object: string): boolean {
  if (!isPlainName(object)) return removeSpaces(text).includes(removeSpaces(object));
  return new RegExp(`(?<![\\p{L}\\p{N}_$])${RegExp.escape(object)}(?![\\p{L}\\p{N}_$])`, 'u').test(text);
}

/** Whether a comment documents the object as a parameter: `:param size: …`, `@param {Size} size`, `size (int): …`. */
const isDocumented = (text: string, object: string): boolean =>
  new RegExp(
    `(?:^|[:@](?:param|arg|keyword)\\b[^:]*\\s)[-*\\s]*${RegExp.escape(object)}\\s*(?::|\\(|-\\s|$)`,
    'u',
  ).test(text);

/** All positions of the object in the text. */
function findPositions(text: string, object: string): readonly number[] {
  const name = /^[\p{L}\p{N}_$.:]+/u.exec(object)?.[0] ?? object;
  const places: number[] = [];
  for (let at = text.indexOf(name); at !== -1 && name !== ''; at = text.indexOf(name, at + 1))
    places.push(at);
  return places;
}

/** Whether a statement contains the word and then the object, or a variable that was set to the object. */
function isStated(object: string, word: RegExp, { segments }: Scope, source: Source): boolean {
  const variables = new Set<string>();
  for (const at of segments) {
    if (!source.segments[at]!.isCode) continue;
    const statement = joinStatement(at, source);
    if (!containsObject(statement, object)) continue;
    const found = word.exec(statement);
    const isArm = found?.[0] === '=>' && isValueOfVariable(at, source);
    if (found !== null && !isArm && isValueAfter(statement, object, found.index + found[0].length))
      return true;
    const set = /(?:^|\s)([\p{L}_$][\p{L}\p{N}_$]*)\s*(?::[^=]+)?:?=(?![=>])\s*(.*)$/u.exec(statement);
    if (set !== null && isObjectOrCall(set[2]!, object)) variables.add(set[1]!);
  }
  return [...variables].some((name) => {
    const aloneForm = new RegExp(
      `(?:return|throw|raise|yield|=>)\\s*\\(?\\s*&?${RegExp.escape(name)}\\s*\\)?\\s*;?\\s*$`,
      'u',
    );
    return segments.some((at) => {
      const { text, isCode } = source.segments[at]!;
      return isCode && word.test(text) && aloneForm.test(text);
    });
  });
}

/** Whether the object comes after a place, as a value of the statement. */
const isValueAfter = (statement: string, object: string, from: number): boolean =>
  findPositions(statement, object).some((place) => place >= from && isValue(statement.slice(from, place)));

/** Whether a comment or docstring states the relation in words. */
const isCommented = (object: string, verb: RegExp, { segments }: Scope, source: Source): boolean =>
  segments.some((at) => {
    const { isCode, text } = source.segments[at]!;
    const found = isCode ? null : verb.exec(text);
    return found !== null && containsObject(text.slice(found.index, found.index + 80), object);
  });

/** Whether the name is the value of the statement, and not part of its condition or an argument of another call. */
function isValue(before: string): boolean {
  if (/\b(?:if|unless|while|until|when)\b/.test(before)) return false;
  let openText = before;
  // Closed brackets contain other values.
  for (let next = ''; next !== openText; )
    [next, openText] = [openText, openText.replace(/\([^()]*\)|\[[^[\]]*\]/g, '')];
  return [...openText.matchAll(/([\p{L}\p{N}_$.:!?]*)\(/gu)].every(([, callee]) =>
    wrapperCallee.test(callee!),
  );
}

/** An empty text, a keyword, or a call that only wraps the value. */
const wrapperCallee =
  /^(?:|return|yield|await|throw|raise|not|and|or|in|Ok|Err|Some|Just|Left|Right|Box::new|Rc::new|Arc::new|Promise\.(?:resolve|reject)|resolve|reject|tuple|list|dict|set|panic!?|bail!?|fail\w*|abort)$/;

/** Whether a variable's value is the object, or a call of it. */
const isObjectOrCall = (value: string, object: string): boolean => {
  const bare = removeSpaces(value.replace(/^(?:(?:await|new|&)\s*)+/, '').replace(/;\s*$/, ''));
  const bareObject = removeSpaces(object.replace(/^new\s+/, '').replace(/\(\)$/, ''));
  return bare === bareObject || (bare.startsWith(`${bareObject}(`) && bare.endsWith(')'));
};

const lastValuePath = /\.(?:rs|rb|kt|kts|scala|ex|exs|hs|ml|clj|nix|jl|r|el|lisp|fs|groovy|pl)$/i;

/** Whether the object is the last expression of a body, in languages where that is the value of the body. */
function isLastOfBody(object: string, { segments }: Scope, source: Source): boolean {
  return segments.some((at) => {
    const segment = source.segments[at]!;
    if (!segment.isCode || !lastValuePath.test(source.paths[segment.source]!)) return false;
    const statement = joinStatement(at, source);
    return (
      containsObject(statement, object) &&
      isValueAfter(statement, object, 0) &&
      !/[;{]\s*$|=(?![=>])|^\s*(?:raise|let|for|loop)\b/.test(statement) &&
      /^\s*(?:\}|end\b|\)|else\b|\},?)/.test(source.segments[at + 1]?.text ?? '}') &&
      !isValueOfVariable(at, source)
    );
  });
}

/** Whether the block around a line is the value of a variable: `let end = match … {`. */
function isValueOfVariable(at: number, { segments }: Source): boolean {
  const inner = segments[at]!;
  let indent = indentOf(inner.text);
  for (let before = at - 1; before >= 0 && segments[before]!.source === inner.source; before -= 1) {
    const { text, isCode } = segments[before]!;
    if (!isCode || indentOf(text) >= indent) continue;
    if (/^\s*let\b|(?<![=!<>])=(?![=>])[^;]*\b(?:match|if|case|begin|loop|unless)\b/.test(text)) return true;
    if (/\b(?:def|fn|fun|func)\b/.test(text)) return false;
    indent = indentOf(text);
  }
  return false;
}

const bracketlessPath = /\.(?:rb|sh|bash|zsh|hs|ml|nix|ex|exs|lua|pl|r|fs|clj|el|coffee)$/i;

function isCalled(object: string, { segments, definitions }: Scope, source: Source): boolean {
  const heads = new Set(definitions.map(({ segments: own }) => own[0]!));
  const name = RegExp.escape(object);
  const call = new RegExp(
    `(?<![\\p{L}\\p{N}_$])${name}(?:!|\\?\\.|::<[^>]*>|<[^()]*>)?\\s*(?:\\(|\`|\\{$)`,
    'u',
  );
  return segments.some((at) => {
    const { text, isCode, source: of } = source.segments[at]!;
    if (heads.has(at) && !/=>|\breturn\b|[{:].*\(/.test(text)) return false;
    if (!isCode) return containsObject(text, object) && /\b(?:call|invoke|delegat|await)\w*/i.test(text);
    if (!isPlainName(object)) return removeSpaces(text).includes(removeSpaces(object));
    return call.test(text) || (bracketlessPath.test(source.paths[of]!) && containsObject(text, object));
  });
}
