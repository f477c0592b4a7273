/**
 * Decides a claim about code that says one action of one definition, in one case, or two actions in their order: that it
 * returns, raises, calls, sets or steps something. The lines are read as statements and the branches around them, and
 * each word of the claim has its place in its form: what has another form is not decided here.
 */

import type { Reading } from '../../claim/reading.ts';
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
  createScopeOfLines,
  findScopeOfName,
  type Guard,
  type Statement,
} from './statements.ts';
import { answerCaseByTest, type Case, parseCodeCase } from './tests.ts';
import { isOtherValue, isSameValue, parseCodeValue, type Value } from './values.ts';

/** Null if the claim has none of these forms, or if the lines do not tell. */
export function decideCodeFact(reading: Reading, source: Source): Decision | null {
  if (!source.segments.some(({ isCode, isRecord }) => isCode && !isRecord)) return null;
  if (reading.terms.some((term) => term.mustMatch && findTerm(term, source) === null)) return null;
  const ofHead = decideDefault(reading.text, source) ?? decideHead(reading.text, source);
  if (ofHead !== null) return ofHead;
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

const raising = /^\s*(?:raise|throw)\s+(?:new\s+)?\\?(?<name>[\p{L}_][\p{L}\p{N}_.]*)/u;
const panicking = /^\s*panic!?\((?<message>.*)\)/u;
const assigning =
  /^\s*(?:(?:const|let|var|mut|val|final|int|auto)\s+)*(?<name>[\p{L}_$#*][\p{L}\p{N}_$.#>-]*)\s*(?::\s*[\p{L}_][\p{L}\p{N}_<>[\]., ]*)?\s*:?=(?![=>])\s*(?<value>.+?);?\s*$/u;
const stepping = /^\s*(?<name>[\p{L}_$#][\p{L}\p{N}_$.#>-]*)\s*(?:(?<sign>\+\+|--)|(?<by>[+-])=\s*1);?\s*$/u;

/** Whether a statement does the action; null if it may do it in a way that this can't tell. */
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
        return panicking.exec(text)?.groups?.['message']?.includes(action.message) === true;
      if (action.name === null) return panicking.test(text);
      if (action.name === anyError) return raising.test(text);
      const name = raising.exec(text)?.groups?.['name'];
      return name !== undefined && (name === action.name || name.endsWith(`.${action.name}`));
    }
    case 'call':
      return createCallForm(action.name).test(text) && !isLater.test(text);
    case 'set': {
      const set = assigning.exec(text)?.groups;
      const value = set === undefined ? null : parseCodeValue(set['value']!);
      return value !== null && isOneOf(action.names, set!['name']!) && isSameValue(action.value, value);
    }
    case 'step': {
      const step = stepping.exec(text)?.groups;
      return step !== undefined && isOneOf([action.name], step['name']!) && findSign(step) === action.by;
    }
  }
}

const findSign = (step: Record<string, string | undefined>): string => (step['sign'] ?? step['by']!)[0]!;

/** `return value, err` gives several, of which only names can be recognized. */
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

/** What is called later, or only if the rest of the statement asks for it. */
const isLater =
  /=>|\b(?:lambda|defer|function|func|setTimeout|setImmediate|nextTick)\b|&&|\|\||\?\s|\b(?:and|or|if|else)\b/u;

function isOneOf(names: readonly string[], code: string): boolean {
  const path = parseCodeName(code);
  return (
    path !== null &&
    names.some((name) => {
      const own = parseCodeName(name) ?? parseClaimName(name);
      return own !== null && isSameName(own, path);
    })
  );
}

/** A claim without a case: one statement of the body does it. */
function decidePlain({ action, subject }: Sentence, scope: CodeScope): Decision | null {
  if (subject === null) return null;
  const doing = scope.statements.filter((one) => doesAction(action, one));
  if (action.kind === 'set') {
    const set = scope.statements.flatMap(({ text, guards }) => {
      const found = assigning.exec(text)?.groups;
      return found !== undefined && isOneOf(action.names, found['name']!)
        ? [{ value: parseCodeValue(found['value']!), guards, name: found['name']! }]
        : [];
    });
    const isAll =
      set.length > 0 && set.every(({ value }) => value !== null && isSameValue(action.value, value));
    const held = new Set(set.map(({ name }) => name));
    if (isAll && held.size === action.names.length && set.every(({ guards }) => guards?.length === 0))
      return { verdict: 'shown' };
    if (
      scope.isWhole &&
      set.length > 0 &&
      set.every(({ value }) => value !== null && isOtherValue(action.value, value))
    )
      return against(`it sets ${set[0]!.name} to something else`);
    return null;
  }
  if (action.kind === 'step') {
    const steps = scope.statements.flatMap(({ text }) => {
      const found = stepping.exec(text)?.groups;
      return found !== undefined && isOneOf([action.name], found['name']!) ? [findSign(found)] : [];
    });
    if (doing.length > 0 && doing.length === steps.length) return { verdict: 'shown' };
    return steps.length > 0 && doing.length === 0 ? against(`it has ${action.name} the other way`) : null;
  }
  if (action.kind === 'return') {
    if (action.value === null) return null;
    const returns = scope.statements.flatMap(({ returned, guards }) =>
      returned === undefined ? [] : [{ value: parseCodeValue(returned), guards }],
    );
    if (!scope.isWhole) return null;
    if (scope.isSilent && action.value.kind !== 'nothing') return against('it returns nothing');
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
    return isOther ? against('it returns something else') : null;
  }
  return null;
}

/**
 * Whether what is returned can't be the value: another literal, or another parameter or variable that was not set to
 * it.
 */
function isDifferent(said: Value, returned: Value, { statements, parameters }: CodeScope): boolean {
  if (isOtherValue(said, returned)) return true;
  if (said.kind !== 'name' || returned.kind !== 'name' || isSameValue(said, returned)) return false;
  const [own, other] = [parseCodeName(said.text) ?? parseClaimName(said.text), parseCodeName(returned.text)];
  if (own === null || other === null || own.length > 1 || other.length > 1) return false;
  const taken = new Set((parameters ?? '').match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []);
  if (!taken.has(said.text) || !taken.has(returned.text)) return false;
  return !statements.some(({ text }) =>
    isOneOf([returned.text], assigning.exec(text)?.groups?.['name'] ?? '0'),
  );
}

/** A claim about one case: the branch of the code that tests it. */
function decideCase({ action, isOnly }: Sentence, said: Case, scope: CodeScope): Decision | null {
  const { statements } = scope;
  if (isTestedElsewhere(said, statements)) return null;
  const doing = statements.filter((one) => doesAction(action, one));
  const told = doing.flatMap((one) =>
    one.guards === null ? [] : [answerCase(said, one.guards, one.passed)],
  );
  const isAlone = told.length === doing.length && doing.length === countMentions(action, statements);
  if (told.includes('so')) {
    // The claim does not say what else may do it.
    if (told.includes('not so') && action.kind !== 'return') return null;
    if (isOnly && !(isAlone && doing.every(({ guards }) => isBound(said, guards ?? [])))) return null;
    return { verdict: 'shown' };
  }
  if (told.length === 1 && isAlone && told[0] === 'not so') {
    // A value may be returned by other means.
    if (action.kind === 'return' && (action.value === null || !hasOwnBranch(said, statements, action.value)))
      return null;
    return against('it does that in the other case');
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
    return against('it returns something else in that case');
  return null;
}

/** Whether a branch of its own, or one that must hold too, asks for the case. */
const isBound = (said: Case, guards: readonly Guard[]): boolean =>
  guards.some((guard) => !/\|\||&&|\b(?:and|or)\b/u.test(guard.test) && answerGuard(said, guard) === 'so');

/** How many statements may do a action, also later, or in another part of the statement. */
function countMentions(action: CodeAction, statements: readonly Statement[]): number {
  if (action.kind === 'call')
    return statements.filter(({ text }) => createCallForm(action.name).test(text)).length;
  return statements.filter((one) => doesAction(action, one)).length;
}

/** Whether the case has a branch of its own that returns another value. */
function hasOwnBranch(said: Case, statements: readonly Statement[], value: Value): boolean {
  const own = statements.filter(
    ({ guards, returned }) =>
      guards !== null && guards.length === 1 && answerCase(said, guards) === 'so' && returned !== undefined,
  );
  const [one] = own;
  const returned = one === undefined ? null : parseCodeValue(one.returned!);
  return own.length === 1 && returned !== null && isOtherValue(value, returned);
}

type Answer = 'so' | 'not so' | 'open';

/**
 * What the branches around a statement say of a case: it is done where that is so, only where it is not so, or else.
 */
function answerCase(said: Case, guards: readonly Guard[], passed: readonly Guard[] = []): Answer {
  const found = guards.filter(({ isLoop }) => !isLoop).map((guard) => answerGuard(said, guard));
  const before = passed.map((guard) => answerGuard(said, guard));
  if (found.includes('not so') || before.includes('not so')) return 'not so';
  if (found.length === 0) return before.includes('so') ? 'so' : 'open';
  return found.length === 1 ? found[0]! : 'open';
}

function answerGuard(said: Case, { test, isTrue }: Guard): Answer {
  const isAny = /\|\||\bor\b/u.test(test);
  const isEach = /&&|\band\b/u.test(test);
  if (isAny && isEach) return 'open';
  const found = test.split(/\|\||&&|\band\b|\bor\b/u).map((atom) => {
    const tested = parseCodeCase(atom);
    return tested === null ? null : answerCaseByTest(said, tested);
  });
  const told = found.filter((one) => one !== null);
  if (told.length !== 1) return 'open';
  const isSo = told[0] === isTrue;
  if (found.length === 1) return isSo ? 'so' : 'not so';
  // Of several tests that must all hold, each has to; of several of which one is enough, each is enough.
  const isMust = isEach === isTrue;
  return isMust ? (isSo ? 'open' : 'not so') : isSo ? 'so' : 'open';
}

/** Whether another thing of that name is tested too. */
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
  const placesOf = (action: CodeAction): readonly Statement[] =>
    scope.statements.filter((one) => doesAction(action, one));
  const [one, two] = [placesOf(before), placesOf(after)];
  const [first, second] = [one[0], two[0]];
  if (first === undefined || second === undefined) return null;
  if (countMentions(before, scope.statements) > 1 || countMentions(after, scope.statements) > 1) return null;
  if (first.at === second.at || first.guards === null || second.guards === null) return null;
  const [less, more] =
    first.guards.length < second.guards.length
      ? [first.guards, second.guards]
      : [second.guards, first.guards];
  if (less.some((guard, at) => guard.test !== more[at]!.test || guard.isTrue !== more[at]!.isTrue))
    return null;
  return first.at < second.at ? { verdict: 'shown' } : against('it does them in the other order');
}

const against = (why: string): Decision => ({
  verdict: 'contradicted',
  why: `By the code of the cited lines, ${why}.`,
});
