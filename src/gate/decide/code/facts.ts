/**
 * Decides a claim about code that says one deed of one definition, in one case, or two deeds in their order: that it
 * returns, raises, calls, sets or steps something. The lines are read as statements and the branches around them, and
 * each word of the claim has its place in its form: what has another form is not decided here.
 */

import type { Reading } from '../../claim/reading.ts';
import { findTerm } from '../../lines/find-term.ts';
import type { Source } from '../../lines/source.ts';
import type { Decision } from '../decide-text.ts';
import { defaultFact } from './defaults.ts';
import { headFact } from './heads.ts';
import { isSameName, namedParts, pathParts } from './names.ts';
import { anyError, type Deed, type Order, orderOf, type Sentence, sentenceOf } from './sentence.ts';
import { type CodeScope, type Guard, type Statement, scopeOfLines, scopeOfName } from './statements.ts';
import { answers, type Case, caseOfCode } from './tests.ts';
import { isOtherValue, isSameValue, type Value, valueOfCode } from './values.ts';

/** Null if the claim has none of these forms, or if the lines do not tell. */
export function codeFact(reading: Reading, source: Source): Decision | null {
  if (!source.segments.some(({ isCode, isRecord }) => isCode && !isRecord)) return null;
  if (reading.terms.some((term) => term.isHard && findTerm(term, source) === null)) return null;
  const ofHead = defaultFact(reading.text, source) ?? headFact(reading.text, source);
  if (ofHead !== null) return ofHead;
  const order = orderOf(reading.text);
  if (order !== null) return orderFact(order, source);
  const sentence = sentenceOf(reading.text);
  if (sentence === null) return null;
  const scope = scopeFor(sentence.subject, source);
  if (scope === null) return null;
  return sentence.case === null ? plainFact(sentence, scope) : caseFact(sentence, sentence.case, scope);
}

function scopeFor(subject: string | null, source: Source): CodeScope | null {
  if (subject === null) return scopeOfLines(source);
  const names = subject.split(/\.|::|(?=#)/u).filter((name) => name !== '');
  return scopeOfName(names.at(-1)!, names.at(-2) ?? null, source);
}

const raising = /^\s*(?:raise|throw)\s+(?:new\s+)?\\?(?<name>[\p{L}_][\p{L}\p{N}_.]*)/u;
const panicking = /^\s*panic!?\((?<message>.*)\)/u;
const assigning =
  /^\s*(?:(?:const|let|var|mut|val|final|int|auto)\s+)*(?<name>[\p{L}_$#*][\p{L}\p{N}_$.#>-]*)\s*(?::\s*[\p{L}_][\p{L}\p{N}_<>[\]., ]*)?\s*:?=(?![=>])\s*(?<value>.+?);?\s*$/u;
const stepping = /^\s*(?<name>[\p{L}_$#][\p{L}\p{N}_$.#>-]*)\s*(?:(?<sign>\+\+|--)|(?<by>[+-])=\s*1);?\s*$/u;

/** Whether a statement does the deed; null if it may do it in a way that this can't tell. */
function doesIt(deed: Deed, { text, returned }: Statement): boolean {
  switch (deed.kind) {
    case 'return':
      return (
        returned !== undefined &&
        (deed.value === null ||
          valuesOf(returned).some((one) => one !== null && isSameValue(deed.value!, one)))
      );
    case 'raise': {
      if (deed.message !== null)
        return panicking.exec(text)?.groups?.['message']?.includes(deed.message) === true;
      if (deed.name === null) return panicking.test(text);
      if (deed.name === anyError) return raising.test(text);
      const name = raising.exec(text)?.groups?.['name'];
      return name !== undefined && (name === deed.name || name.endsWith(`.${deed.name}`));
    }
    case 'call':
      return callOf(deed.name).test(text) && !isLater.test(text);
    case 'set': {
      const set = assigning.exec(text)?.groups;
      const value = set === undefined ? null : valueOfCode(set['value']!);
      return value !== null && isOneOf(deed.names, set!['name']!) && isSameValue(deed.value, value);
    }
    case 'step': {
      const step = stepping.exec(text)?.groups;
      return step !== undefined && isOneOf([deed.name], step['name']!) && signOf(step) === deed.by;
    }
  }
}

const signOf = (step: Record<string, string | undefined>): string => (step['sign'] ?? step['by']!)[0]!;

/** `return value, err` gives several, of which only names can be told. */
function valuesOf(text: string): readonly (Value | null)[] {
  const whole = valueOfCode(text);
  if (whole?.kind !== 'code' || !/^[\p{L}\p{N}_.]+(?:, [\p{L}\p{N}_.()]+)+$/u.test(text)) return [whole];
  return text.split(', ').map((one) => {
    const value = valueOfCode(one);
    return value?.kind === 'name' ? value : null;
  });
}

const callOf = (name: string): RegExp =>
  new RegExp(
    `(?<![\\p{L}\\p{N}_$])${name.includes('.') || name.includes(':') ? '' : '(?:[\\p{L}\\p{N}_$]+[.:>?-]+)*'}${RegExp.escape(name)}\\(`,
    'u',
  );

/** What is called later, or only if the rest of the statement asks for it. */
const isLater =
  /=>|\b(?:lambda|defer|function|func|setTimeout|setImmediate|nextTick)\b|&&|\|\||\?\s|\b(?:and|or|if|else)\b/u;

function isOneOf(names: readonly string[], code: string): boolean {
  const path = pathParts(code);
  return (
    path !== null &&
    names.some((name) => {
      const own = pathParts(name) ?? namedParts(name);
      return own !== null && isSameName(own, path);
    })
  );
}

/** A claim without a case: one statement of the body does it. */
function plainFact({ deed, subject }: Sentence, scope: CodeScope): Decision | null {
  if (subject === null) return null;
  const doing = scope.statements.filter((one) => doesIt(deed, one));
  if (deed.kind === 'set') {
    const set = scope.statements.flatMap(({ text, guards }) => {
      const found = assigning.exec(text)?.groups;
      return found !== undefined && isOneOf(deed.names, found['name']!)
        ? [{ value: valueOfCode(found['value']!), guards, name: found['name']! }]
        : [];
    });
    const isAll =
      set.length > 0 && set.every(({ value }) => value !== null && isSameValue(deed.value, value));
    const held = new Set(set.map(({ name }) => name));
    if (isAll && held.size === deed.names.length && set.every(({ guards }) => guards?.length === 0))
      return { verdict: 'shown' };
    if (
      scope.isWhole &&
      set.length > 0 &&
      set.every(({ value }) => value !== null && isOtherValue(deed.value, value))
    )
      return against(`it sets ${set[0]!.name} to something else`);
    return null;
  }
  if (deed.kind === 'step') {
    const steps = scope.statements.flatMap(({ text }) => {
      const found = stepping.exec(text)?.groups;
      return found !== undefined && isOneOf([deed.name], found['name']!) ? [signOf(found)] : [];
    });
    if (doing.length > 0 && doing.length === steps.length) return { verdict: 'shown' };
    return steps.length > 0 && doing.length === 0 ? against(`it has ${deed.name} the other way`) : null;
  }
  if (deed.kind === 'return') {
    if (deed.value === null) return null;
    const returns = scope.statements.flatMap(({ returned, guards }) =>
      returned === undefined ? [] : [{ value: valueOfCode(returned), guards }],
    );
    if (!scope.isWhole) return null;
    if (scope.isSilent && deed.value.kind !== 'nothing') return against('it returns nothing');
    if (returns.length === 0) return null;
    if (
      returns.every(
        ({ value, guards }) => guards !== null && value !== null && isSameValue(deed.value!, value),
      )
    )
      return { verdict: 'shown' };
    const isOther = returns.every(
      ({ value, guards }) => guards !== null && value !== null && isElse(deed.value!, value, scope),
    );
    return isOther ? against('it returns something else') : null;
  }
  return null;
}

/**
 * Whether what is returned can't be the value: another literal, or another parameter or variable that was not set to
 * it.
 */
function isElse(said: Value, returned: Value, { statements, parameters }: CodeScope): boolean {
  if (isOtherValue(said, returned)) return true;
  if (said.kind !== 'name' || returned.kind !== 'name' || isSameValue(said, returned)) return false;
  const [own, other] = [pathParts(said.text) ?? namedParts(said.text), pathParts(returned.text)];
  if (own === null || other === null || own.length > 1 || other.length > 1) return false;
  const taken = new Set((parameters ?? '').match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []);
  if (!taken.has(said.text) || !taken.has(returned.text)) return false;
  return !statements.some(({ text }) =>
    isOneOf([returned.text], assigning.exec(text)?.groups?.['name'] ?? '0'),
  );
}

/** A claim about one case: the branch of the code that tests it. */
function caseFact({ deed, isOnly }: Sentence, said: Case, scope: CodeScope): Decision | null {
  const { statements } = scope;
  if (isTestedElsewhere(said, statements)) return null;
  const doing = statements.filter((one) => doesIt(deed, one));
  const told = doing.flatMap((one) => (one.guards === null ? [] : [answerOf(said, one.guards, one.passed)]));
  const isAlone = told.length === doing.length && doing.length === mentionsOf(deed, statements);
  if (told.includes('so')) {
    // What else may do it is not told.
    if (told.includes('not so') && deed.kind !== 'return') return null;
    if (isOnly && !(isAlone && doing.every(({ guards }) => isBound(said, guards ?? [])))) return null;
    return { verdict: 'shown' };
  }
  if (told.length === 1 && isAlone && told[0] === 'not so') {
    // A value may be returned by other means.
    if (deed.kind === 'return' && (deed.value === null || !isToldFor(said, statements, deed.value)))
      return null;
    return against('it does that in the other case');
  }
  if (
    deed.kind === 'return' &&
    deed.value !== null &&
    doing.every(
      ({ guards }) =>
        guards !== null && guards.length > 0 && !guards.some((one) => answerOfGuard(said, one) === 'so'),
    ) &&
    isToldFor(said, statements, deed.value)
  )
    return against('it returns something else in that case');
  return null;
}

/** Whether a branch of its own, or one that must hold too, asks for the case. */
const isBound = (said: Case, guards: readonly Guard[]): boolean =>
  guards.some((guard) => !/\|\||&&|\b(?:and|or)\b/u.test(guard.test) && answerOfGuard(said, guard) === 'so');

/** How many statements may do a deed, also later, or in another part of the statement. */
function mentionsOf(deed: Deed, statements: readonly Statement[]): number {
  if (deed.kind === 'call') return statements.filter(({ text }) => callOf(deed.name).test(text)).length;
  return statements.filter((one) => doesIt(deed, one)).length;
}

/** Whether the case has a branch of its own that returns another value. */
function isToldFor(said: Case, statements: readonly Statement[], value: Value): boolean {
  const own = statements.filter(
    ({ guards, returned }) =>
      guards !== null && guards.length === 1 && answerOf(said, guards) === 'so' && returned !== undefined,
  );
  const [one] = own;
  const returned = one === undefined ? null : valueOfCode(one.returned!);
  return own.length === 1 && returned !== null && isOtherValue(value, returned);
}

type Answer = 'so' | 'not so' | 'open';

/**
 * What the branches around a statement say of a case: it is done where that is so, only where it is not so, or else.
 */
function answerOf(said: Case, guards: readonly Guard[], passed: readonly Guard[] = []): Answer {
  const found = guards.filter(({ isLoop }) => !isLoop).map((guard) => answerOfGuard(said, guard));
  const before = passed.map((guard) => answerOfGuard(said, guard));
  if (found.includes('not so') || before.includes('not so')) return 'not so';
  if (found.length === 0) return before.includes('so') ? 'so' : 'open';
  return found.length === 1 ? found[0]! : 'open';
}

function answerOfGuard(said: Case, { test, isTrue }: Guard): Answer {
  const isAny = /\|\||\bor\b/u.test(test);
  const isEach = /&&|\band\b/u.test(test);
  if (isAny && isEach) return 'open';
  const found = test.split(/\|\||&&|\band\b|\bor\b/u).map((atom) => {
    const tested = caseOfCode(atom);
    return tested === null ? null : answers(said, tested);
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
          const one = caseOfCode(atom);
          return one !== null && isSameName(said.name, one.name)
            ? [one.name.map((name) => name.join(' ')).join('.')]
            : [];
        }),
      ),
    ),
  );
  return tested.size > 1;
}

function orderFact({ subject, before, after }: Order, source: Source): Decision | null {
  const scope = scopeFor(subject, source);
  if (scope === null) return null;
  const placesOf = (deed: Deed): readonly Statement[] => scope.statements.filter((one) => doesIt(deed, one));
  const [one, two] = [placesOf(before), placesOf(after)];
  const [first, second] = [one[0], two[0]];
  if (first === undefined || second === undefined) return null;
  if (mentionsOf(before, scope.statements) > 1 || mentionsOf(after, scope.statements) > 1) return null;
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
