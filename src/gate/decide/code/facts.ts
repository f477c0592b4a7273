/**
 * Decides claims about code that state one action of one definition (it returns, raises, calls, sets, increments or
 * decrements something), in one case at most, or the order of two actions. The lines are parsed into statements and the
 * branches around them. Claims of any other form are not decided here.
 */

import type { Reading } from '../../claim/reading.ts';
import { getLastPart } from '../../claim/terms.ts';
import { findTerm } from '../../lines/find-term.ts';
import type { Source } from '../../lines/source.ts';
import type { Decision } from '../decide-text.ts';
import { decideDefault } from './defaults.ts';
import { decideHead } from './heads.ts';
import { isSameName, parseClaimName, parseCodeName } from './names.ts';
import {
  anyError,
  type CodeAction,
  type Order,
  parseOrder,
  parseSentence,
  type Sentence,
} from './sentence.ts';
import {
  type CodeScope,
  closesEarly,
  createScopeOfLines,
  findScopeOfName,
  type Guard,
  readExpression,
  type Statement,
  splitAtCommas,
} from './statements.ts';
import { answerCaseByTest, type Case, parseCodeCase } from './tests.ts';
import { isOtherValue, isSameValue, parseCodeValue, type Value } from './values.ts';

/** Null if the claim has none of these forms, or if the lines do not tell. */
export function decideCodeFact(reading: Reading, source: Source): Decision | null {
  if (!source.segments.some(({ isCode, isRecord }) => isCode && !isRecord)) return null;
  if (reading.terms.some((term) => term.mustMatch && findTerm(term, source) === null)) return null;
  const headDecision = decideDefault(reading.text, source) ?? decideHead(reading.text, source);
  if (headDecision !== null) return headDecision;
  const order = parseOrder(reading.text);
  if (order !== null) return decideOrder(order, source);
  const sentence = parseSentence(reading.text);
  if (sentence === null) return null;
  const scope = findScope(sentence.subject, source);
  if (scope === null) return null;
  return sentence.case === null ? decidePlain(sentence, scope) : decideCase(sentence, sentence.case, scope);
}

function findScope(subject: string | null, source: Source): CodeScope | null {
  if (subject === null) return createScopeOfLines(source);
  const names = subject.split(/\.|::|(?=#)/u).filter((name) => name !== '');
  return findScopeOfName(names.at(-1)!, names.at(-2) ?? null, source);
}

const raiseForm = /^\s*(?:raise|throw)\s+(?:new\s+)?\\?(?<name>[\p{L}_][\p{L}\p{N}_.]*)/u;
const panicForm = /^\s*panic!?\((?<message>.*)\)/u;
const assignForm =
  /^\s*(?:(?:const|let|var|mut|val|final|int|auto)\s+)*(?<name>[\p{L}_$#*][\p{L}\p{N}_$.#>-]*)\s*(?::\s*[\p{L}_][\p{L}\p{N}_<>[\]., ]*)?\s*:?=(?![=>])\s*(?<value>.+?);?\s*$/u;
const stepForm = /^\s*(?<name>[\p{L}_$#][\p{L}\p{N}_$.#>-]*)\s*(?:(?<sign>\+\+|--)|(?<by>[+-])=\s*1);?\s*$/u;

/** Whether a statement does the action. False also if it may do it in a way that is not recognized. */
function doesAction(action: CodeAction, { text, returned }: Statement): boolean {
  switch (action.kind) {
    case 'return':
      return (
        returned !== undefined &&
        (action.value === null ||
          parseValues(returned).some((one) => one !== null && isSameValue(action.value!, one)))
      );
    case 'raise': {
      if (action.message !== null)
        return panicForm.exec(text)?.groups?.['message']?.includes(action.message) === true;
      if (action.name === null) return panicForm.test(text);
      if (action.name === anyError) return raiseForm.test(text);
      const name = raiseForm.exec(text)?.groups?.['name'];
      return name !== undefined && (name === action.name || name.endsWith(`.${action.name}`));
    }
    case 'call':
      return createCallForm(action.name).test(text) && !isLater.test(text);
    case 'set': {
      const set = assignForm.exec(text)?.groups;
      const value = set === undefined ? null : parseCodeValue(set['value']!);
      return value !== null && isOneOf(action.names, set!['name']!) && isSameValue(action.value, value);
    }
    case 'step': {
      const step = stepForm.exec(text)?.groups;
      return step !== undefined && isOneOf([action.name], step['name']!) && findSign(step) === action.by;
    }
  }
}

const findSign = (step: Record<string, string | undefined>): string => (step['sign'] ?? step['by']!)[0]!;

/** The returned values. Of several, as in `return value, err`, only names are recognized; others are null. */
function parseValues(text: string): readonly (Value | null)[] {
  const whole = parseCodeValue(text);
  if (whole?.kind !== 'code' || !/^[\p{L}\p{N}_.]+(?:, [\p{L}\p{N}_.()]+)+$/u.test(text)) return [whole];
  return text.split(', ').map((one) => {
    const value = parseCodeValue(one);
    return value?.kind === 'name' ? value : null;
  });
}

const createCallForm = (name: string): RegExp =>
  new RegExp(
    `(?<![\\p{L}\\p{N}_$])${name.includes('.') || name.includes(':') ? '' : '(?:[\\p{L}\\p{N}_$]+[.:>?-]+)*'}${RegExp.escape(name)}\\(`,
    'u',
  );

/** Signs that a statement makes its call later, or only in some case. */
const isLater =
  /=>|\b(?:lambda|defer|function|func|setTimeout|setImmediate|nextTick)\b|&&|\|\||\?\s|\b(?:and|or|if|else)\b/u;

function isOneOf(names: readonly string[], code: string): boolean {
  const path = parseCodeName(code);
  return (
    path !== null &&
    names.some((name) => {
      const namePath = parseCodeName(name) ?? parseClaimName(name);
      return namePath !== null && isSameName(namePath, path);
    })
  );
}

/** Decides a claim without a case by the statements of the body. */
function decidePlain({ action, subject }: Sentence, scope: CodeScope): Decision | null {
  if (subject === null) return null;
  const doing = scope.statements.filter((one) => doesAction(action, one));
  if (action.kind === 'set') {
    const assignments = scope.statements.flatMap(({ text, guards }) => {
      const found = assignForm.exec(text)?.groups;
      return found !== undefined && isOneOf(action.names, found['name']!)
        ? [{ value: parseCodeValue(found['value']!), guards, name: found['name']! }]
        : [];
    });
    const areAllEqual =
      assignments.length > 0 &&
      assignments.every(({ value }) => value !== null && isSameValue(action.value, value));
    const setNames = new Set(assignments.map(({ name }) => name));
    if (
      areAllEqual &&
      setNames.size === action.names.length &&
      assignments.every(({ guards }) => guards?.length === 0)
    )
      return { verdict: 'shown' };
    if (
      scope.isWhole &&
      assignments.length > 0 &&
      assignments.every(({ value }) => value !== null && isOtherValue(action.value, value))
    )
      return createContradiction(`it sets ${assignments[0]!.name} to something else`);
    return null;
  }
  if (action.kind === 'step') {
    const steps = scope.statements.flatMap(({ text }) => {
      const found = stepForm.exec(text)?.groups;
      return found !== undefined && isOneOf([action.name], found['name']!) ? [findSign(found)] : [];
    });
    if (doing.length > 0 && doing.length === steps.length) return { verdict: 'shown' };
    return steps.length > 0 && doing.length === 0
      ? createContradiction(`it has ${action.name} the other way`)
      : null;
  }
  if (action.kind === 'return') {
    if (action.value === null) return null;
    const returns = scope.statements.flatMap(({ returned, guards }) =>
      returned === undefined ? [] : [{ value: parseCodeValue(returned), guards }],
    );
    if (!scope.isWhole) return null;
    if (scope.isSilent && action.value.kind !== 'nothing') return createContradiction('it returns nothing');
    if (returns.length === 0) return null;
    if (
      returns.every(
        ({ value, guards }) => guards !== null && value !== null && isSameValue(action.value!, value),
      )
    )
      return { verdict: 'shown' };
    const isOther = returns.every(
      ({ value, guards }) => guards !== null && value !== null && isDifferent(action.value!, value, scope),
    );
    return isOther ? createContradiction('it returns something else') : null;
  }
  return null;
}

/**
 * Whether the returned value can't be the claimed one: another literal, or another parameter to which nothing was
 * assigned.
 */
function isDifferent(said: Value, returned: Value, { statements, parameters }: CodeScope): boolean {
  if (isOtherValue(said, returned)) return true;
  if (said.kind !== 'name' || returned.kind !== 'name' || isSameValue(said, returned)) return false;
  const [saidName, returnedName] = [
    parseCodeName(said.text) ?? parseClaimName(said.text),
    parseCodeName(returned.text),
  ];
  if (saidName === null || returnedName === null || saidName.length > 1 || returnedName.length > 1)
    return false;
  const parameterNames = new Set((parameters ?? '').match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []);
  if (!parameterNames.has(said.text) || !parameterNames.has(returned.text)) return false;
  return !statements.some(({ text }) =>
    isOneOf([returned.text], assignForm.exec(text)?.groups?.['name'] ?? '0'),
  );
}

/** Decides a claim about one case by the branch of the code that tests it. */
function decideCase({ action, isOnly }: Sentence, said: Case, scope: CodeScope): Decision | null {
  const { statements } = scope;
  if (isTestedElsewhere(said, statements)) return null;
  const doing = statements.filter((one) => doesAction(action, one));
  const answers = doing.flatMap((one) =>
    one.guards === null ? [] : [answerCase(said, one.guards, one.passed)],
  );
  const isAlone = answers.length === doing.length && doing.length === countMentions(action, statements);
  if (answers.includes('so')) {
    // If the code also does it otherwise, the claim may be incomplete.
    if (answers.includes('not so') && action.kind !== 'return') return null;
    if (isOnly && !(isAlone && doing.every(({ guards }) => hasBindingGuard(said, guards ?? [])))) return null;
    return { verdict: 'shown' };
  }
  if (answers.length === 1 && isAlone && answers[0] === 'not so') {
    // The value may also be returned by other statements.
    if (action.kind === 'return' && (action.value === null || !hasOwnBranch(said, statements, action.value)))
      return null;
    return createContradiction('it does that in the other case');
  }
  if (
    action.kind === 'return' &&
    action.value !== null &&
    doing.every(
      ({ guards }) =>
        guards !== null && guards.length > 0 && !guards.some((one) => answerGuard(said, one) === 'so'),
    ) &&
    hasOwnBranch(said, statements, action.value)
  )
    return createContradiction('it returns something else in that case');
  return null;
}

/** Whether a branch with a single test requires the case. */
const hasBindingGuard = (said: Case, guards: readonly Guard[]): boolean =>
  guards.some((guard) => !/\|\||&&|\b(?:and|or)\b/u.test(guard.test) && answerGuard(said, guard) === 'so');

/** The number of statements that may do an action; for a call also those that make it later or conditionally. */
function countMentions(action: CodeAction, statements: readonly Statement[]): number {
  if (action.kind === 'call')
    return statements.filter(({ text }) => createCallForm(action.name).test(text)).length;
  return statements.filter((one) => doesAction(action, one)).length;
}

/** Whether the case has a branch of its own that returns another value. */
function hasOwnBranch(said: Case, statements: readonly Statement[], value: Value): boolean {
  const ownBranches = statements.filter(
    ({ guards, returned }) =>
      guards !== null && guards.length === 1 && answerCase(said, guards) === 'so' && returned !== undefined,
  );
  const [one] = ownBranches;
  const returned = one === undefined ? null : parseCodeValue(one.returned!);
  return ownBranches.length === 1 && returned !== null && isOtherValue(value, returned);
}

type Answer = 'so' | 'not so' | 'open';

/**
 * Whether a statement runs in a case, by the branches around it and those before it: `so`, only if it is `not so`, or
 * `open`.
 */
function answerCase(said: Case, guards: readonly Guard[], passed: readonly Guard[] = []): Answer {
  const found = guards.filter(({ isLoop }) => !isLoop).map((guard) => answerGuard(said, guard));
  const before = passed.map((guard) => answerGuard(said, guard));
  if (found.includes('not so') || before.includes('not so')) return 'not so';
  if (found.length === 0) return before.includes('so') ? 'so' : 'open';
  return found.length === 1 ? found[0]! : 'open';
}

function answerGuard(said: Case, { test, isTrue }: Guard): Answer {
  const isOr = /\|\||\bor\b/u.test(test);
  const isAnd = /&&|\band\b/u.test(test);
  if (isOr && isAnd) return 'open';
  const found = test.split(/\|\||&&|\band\b|\bor\b/u).map((atom) => {
    const tested = parseCodeCase(atom);
    return tested === null ? null : answerCaseByTest(said, tested);
  });
  const answers = found.filter((one) => one !== null);
  if (answers.length !== 1) return 'open';
  const isSo = answers[0] === isTrue;
  if (found.length === 1) return isSo ? 'so' : 'not so';
  // If all tests must hold, one that fails decides; if one is enough, one that holds decides.
  const mustHoldAll = isAnd === isTrue;
  return mustHoldAll ? (isSo ? 'open' : 'not so') : isSo ? 'so' : 'open';
}

/** Whether the code tests several things of that name, so that it is not clear which one is meant. */
function isTestedElsewhere(said: Case, statements: readonly Statement[]): boolean {
  const tested = new Set(
    statements.flatMap(({ guards, passed }) =>
      [...(guards ?? []), ...passed].flatMap(({ test, isLoop }) =>
        (isLoop ? '' : test).split(/\|\||&&|\band\b|\bor\b/u).flatMap((atom) => {
          const one = parseCodeCase(atom);
          return one !== null && isSameName(said.name, one.name)
            ? [one.name.map((name) => name.join(' ')).join('.')]
            : [];
        }),
      ),
    ),
  );
  return tested.size > 1;
}

function decideOrder({ subject, before, after }: Order, source: Source): Decision | null {
  const scope = findScope(subject, source);
  if (scope === null) return null;
  const statementsOf = (action: CodeAction): readonly Statement[] =>
    scope.statements.filter((one) => doesAction(action, one));
  const [one, two] = [statementsOf(before), statementsOf(after)];
  const [first, second] = [one[0], two[0]];
  if (first === undefined || second === undefined) return null;
  if (countMentions(before, scope.statements) > 1 || countMentions(after, scope.statements) > 1) return null;
  if (first.at === second.at || first.guards === null || second.guards === null) return null;
  const [outerGuards, innerGuards] =
    first.guards.length < second.guards.length
      ? [first.guards, second.guards]
      : [second.guards, first.guards];
  if (
    outerGuards.some(
      (guard, at) => guard.test !== innerGuards[at]!.test || guard.isTrue !== innerGuards[at]!.isTrue,
    )
  )
    return null;
  return first.at < second.at ? { verdict: 'shown' } : createContradiction('it does them in the other order');
}

const createContradiction = (why: string): Decision => ({
  verdict: 'contradicted',
  why: `By the code of the cited lines, ${why}.`,
});

const namePattern = String.raw`(?:[Tt]he\s)?\x60(?<name>[\p{L}_$][\p{L}\p{N}_$.]*)\x60(?:\s(?:list|tuple|array|slice|set|map|dict|dictionary|object|constant|variable))?`;
const boundPattern = String.raw`(?:(?<bound>at\sleast|at\smost|more\sthan|fewer\sthan|less\sthan)\s|(?:exactly|only|just|a\stotal\sof)\s)?`;
const nounPattern = String.raw`(?<noun>(?:[\p{L}-]+\s){0,2}?[\p{L}-]+)`;
const numberPattern = String.raw`(?<number>[\p{L}\p{N}]+)`;
const claimPatterns = [
  String.raw`^${namePattern}\s(?:has|holds|contains|lists|includes|defines|consists\sof|is\sa\s\p{L}+\s(?:of|with))\s${boundPattern}${numberPattern}\s${nounPattern}$`,
  String.raw`^[Tt]here\s(?:is|are)\s${boundPattern}${numberPattern}\s${nounPattern}\sin\s${namePattern}$`,
  String.raw`^[Tt]he\s(?:length|size)\sof\s${namePattern}\sis\s${boundPattern}${numberPattern}$`,
].map((text) => new RegExp(text, 'u'));

const elementNounPattern = /^(?:\p{L}+\s)?(?:entry|entries|elements?|items?|members?)$/u;

/** Null if the claim counts no elements, or if the lines don't assign the name. */
export function decideElementCount({ text, figures }: Reading, source: Source): Decision | null {
  const claim = text.replace(/[.]\s*$/, '').trim();
  const groups = claimPatterns
    .map((pattern) => pattern.exec(claim)?.groups)
    .find((match) => match !== undefined);
  const [figure, ...otherFigures] = figures;
  if (groups === undefined || figure === undefined || otherFigures.length > 0) return null;
  const { name = '', bound, noun } = groups;
  const isCountOfElements = noun === undefined || elementNounPattern.test(noun);
  const isSaidInText = source.segments.some(
    ({ isCode, text: line }) => !isCode && line.includes(figure.text) && line.includes(getLastPart(name)),
  );
  if (isSaidInText) return null;
  const assignedValues = findAssignedValues(getLastPart(name), source);
  if (assignedValues.length === 0) return null;
  const counts = assignedValues.map(countElements);
  const [count] = counts;
  if (counts.every((valueCount) => valueCount === null) && !isCountOfElements) return null;
  if (counts.length > 1 || count === undefined || count === null || isChanged(getLastPart(name), source))
    return { verdict: 'unclear', why: `The lines do not settle how many elements "${name}" has.` };
  // Another noun may count something else than the elements.
  if (!isCountOfElements || figure.dimension !== null)
    return { verdict: 'unclear', why: `The lines write out "${name}" with another kind of element.` };
  return isWithinBound(count, figure.number, bound)
    ? { verdict: 'shown' }
    : {
        verdict: 'contradicted',
        why: `The lines write out "${name}" with ${count} ${count === 1 ? 'element' : 'elements'}.`,
      };
}

function isWithinBound(count: number, claimedCount: number, bound: string | undefined): boolean {
  if (bound === undefined) return count === claimedCount;
  if (bound.startsWith('at')) return bound.endsWith('least') ? count >= claimedCount : count <= claimedCount;
  return bound.startsWith('more') ? count > claimedCount : count < claimedCount;
}

/** The values that the lines assign to a name, each with the lines that follow while a bracket is open. */
function findAssignedValues(name: string, { segments }: Source): readonly string[] {
  const assignmentPattern = new RegExp(
    `(?<![\\p{L}\\p{N}_$])${RegExp.escape(name)}["']?(?:\\s*:(?!=)\\s*[^=]*?(?=\\s=))?(?:\\s+[\\p{L}\\[\\]\\p{N}_.]+(?=\\s=\\s))?\\s*(?:=(?![=>])|:=|:(?!:))\\s*(?=\\S)`,
    'u',
  );
  return segments.flatMap(({ text, isCode, isRecord, source }, index) => {
    const match = isCode && !isRecord ? assignmentPattern.exec(text) : null;
    if (match === null) return [];
    const code = segments
      .slice(index + 1)
      .filter((segment) => segment.source === source)
      .reduce((lines, segment) => `${lines}\n${segment.text}`, text.slice(match.index + match[0].length));
    const { text: value, isClosed } = readExpression(code, /^\s*["']|:\s*$/.test(match[0]));
    return [isClosed ? value : ''];
  });
}

const wrapperPattern =
  /^(?:(?:new\s+(?:Set|Map)(?:<[^()]*>)?|Object\.freeze|tuple|list|set|frozenset)\s*\((?<inner>.*)\))$/su;
const literalPattern =
  /^(?:&?\[(?<list>.*)\]|vec!\[(?<vec>.*)\]|\{(?<map>.*)\}|\((?<tuple>.*)\)|(?:\[[^\]]*\]|map\[[^\]]*\])[\p{L}\p{N}_.*[\]{}]*?\{(?<go>.*)\})$/su;

/** The number of elements of a literal. Null if the value is no literal, or if its elements are not all written out. */
function countElements(value: string): number | null {
  const plainValue = value.replace(/\s+as\s+const$|\s+satisfies\s.*$/su, '').trim();
  const inner = wrapperPattern.exec(plainValue)?.groups?.['inner'];
  const literal = (inner ?? plainValue)
    .replace(/\s+as\s+const$/u, '')
    .trim()
    .replace(/,$/, '');
  const groups = literalPattern.exec(literal)?.groups;
  const content = groups === undefined ? undefined : Object.values(groups).find((text) => text !== undefined);
  if (content === undefined || /\bfor\b|\.\.|^\s*\*|,\s*\*/u.test(content)) return null;
  // `[1] + [2]` begins and ends with brackets too.
  if (closesEarly(content)) return null;
  const elements = splitAtCommas(content);
  if (groups!['tuple'] !== undefined && !content.includes(',')) return null;
  const isUnique = new Set(elements.map((element) => element.split(':')[0])).size === elements.length;
  const isSet = groups!['map'] !== undefined || /\b[Ss]et\b|frozenset|Map/.test(plainValue.slice(0, 12));
  return elements.some((element) => element === '') || (isSet && !isUnique) ? null : elements.length;
}

/** Whether the lines add or remove elements. */
const isChanged = (name: string, { segments }: Source): boolean => {
  const changePattern = new RegExp(
    `(?<![\\p{L}\\p{N}_$])${RegExp.escape(name)}(?:\\.(?:append|push|add|insert|extend|pop|remove|delete|clear|update|set|shift|unshift|splice|discard|setdefault)\\(|\\[[^\\]]*\\]\\s*=(?!=)|\\s*(?:\\+|\\|)=|\\s*=\\s*append\\()`,
    'u',
  );
  return segments.some(({ text, isCode }) => isCode && changePattern.test(text));
};
