/**
 * Compares the condition of a claim with the branches in the cited lines: the code `if (!isCut) return result`
 * contradicts `returns the result if it is cut`.
 */

import type { Reading } from '../../claim/reading.ts';
import { weighWord } from '../../lines/clauses.ts';
import { dropDefinedName } from '../../lines/definition.ts';
import { cacheByKey, indentOf, type Segment, type Source } from '../../lines/source.ts';
import { findDenials } from '../../words/turns.ts';
import {
  findSignWords,
  hasMeaning,
  isIdle,
  splitName,
  splitWords,
  toComparable,
  type Word,
} from '../../words/words.ts';
import { parseAction } from '../support/action.ts';
import { findEventSupport } from '../support/event.ts';

interface ConditionVerdict {
  readonly isSo: boolean;
  /** Whether the test and the lines of the branch cover the whole claim: its condition and its effect. */
  readonly isWhole: boolean;
  readonly why: string;
}

/** A branch of the code: one test, and the lines that run for each outcome. */
interface Branch {
  readonly line: string;
  /** The stems of what is tested. */
  readonly words: readonly string[];
  /** True: `body` runs if the condition that `words` name holds. False: `body` runs if that condition does not hold. */
  readonly isPositive: boolean;
  /** The indexes of the lines that run if the test passes, and of those that run if it fails. */
  readonly body: readonly number[];
  readonly rest: readonly number[];
  /** Whether only this test decides: no other one is combined with it, and no `else if` precedes it. */
  readonly isAlone: boolean;
}

const connective = String.raw`(?:only\s+|but\s+)?(?<word>if|when|whenever|once|unless|while|as soon as|without|with)`;
const conditionInFront = new RegExp(`^${connective}\\s(?<test>[^,]+?),\\s(?<rest>.+)$`, 'iu');
const conditionBehind = new RegExp(`^(?<rest>.+?),?\\s${connective}\\s(?<test>[^,;]+)$`, 'iu');

/** Null if the claim has no condition, or the lines do not tell which branch it means. */
export function checkCondition({ text }: Reading, source: Source): ConditionVerdict | null {
  const said = text.replace(/[.]\s*$/, '');
  if (/\b(?:even|either|neither|whether|otherwise|else|except)\b/i.test(said)) return null;
  if (/\([^)]*\s[^)]*\)/.test(said) || (said.match(/\p{L}+/gu)?.length ?? 0) > maxWords) return null;
  const match = conditionInFront.exec(said) ?? conditionBehind.exec(said);
  if (match === null) return null;
  const { word = '', test = '', rest = '' } = match.groups!;
  // An adjective before a noun denies no condition: `a disabled reader` is not a missing reader.
  if (attributiveState.test(test)) return null;
  const testedWords = findTestWords(test);
  if (testedWords.length === 0) return null;
  if (/^with(?:out)?$/i.test(word) && (testedWords.length > 2 || clauseWord.test(test))) return null;
  // If two tests are joined, it is unclear which of them the denial is about.
  if (/\b(?:and|or)\b/i.test(test) && countDenying(test) > 0) return null;
  // If the lines lack a word of the condition, no branch tests the condition.
  if (testedWords.some((one) => hasMeaning(one) && !source.segments.some(({ bases }) => bases.has(one.base))))
    return null;
  const denialCount = rest.match(verbDenials)?.length ?? 0;
  // `loads nothing`, `with no file`: the denial is not at the verb, so whether anything is done is unclear.
  if (
    denialCount > 1 ||
    (denialCount === 0 && !/\b(?:does|do) nothing\b/i.test(rest) && findDenials(rest).length > 0)
  )
    return null;
  const isPositive =
    (/^(?:unless|without)$/i.test(word) === (countDenying(test) % 2 === 1)) === (denialCount === 0);
  const branches = selectBranches(testedWords, source);
  if (branches.length === 0) return null;
  const effect = findEffect(rest, source);
  const found: ConditionVerdict[] = [];
  for (const branch of branches) {
    const [bodyShare, restShare] = [branch.body, branch.rest].map((lines) =>
      computeEffectShare(effect, lines, branch, source),
    ) as [number, number];
    if (Math.max(bodyShare, restShare) < minShare || Math.abs(bodyShare - restShare) < minLead) continue;
    const isDoneInBody = bodyShare > restShare;
    const lines = isDoneInBody ? branch.body : branch.rest;
    const support = effect.some(isSign)
      ? checkSignVerb(rest)
      : findEventSupport(dropReason(rest), lines, source);
    if (support === null) continue;
    const isSo = isDoneInBody === (branch.isPositive === isPositive);
    if (!isSo && isTestedElsewhere(testedWords, branch, source)) return null;
    found.push({
      isSo,
      isWhole: support === 'all' && isSameTest(testedWords, branch) && holdsAll(effect, lines, source),
      why: `the lines do it ${isSo ? '' : 'in the other case '}at: ${branch.line}`,
    });
  }
  const [first = null] = found;
  // The claim may mean another branch with the same test.
  if (first?.isSo === false && found.length < branches.length) return null;
  return found.every(({ isSo }) => isSo === first!.isSo) ? first : null;
}

/** Whether another line tests a word of the condition that this branch lacks: the claim may mean that line. */
const isTestedElsewhere = (tested: readonly Word[], { words }: Branch, { segments }: Source): boolean =>
  tested.some(
    (word) =>
      hasMeaning(word) &&
      !words.includes(word.base) &&
      segments.some(
        ({ isCode, isRecord, text, bases }) =>
          isCode && !isRecord && testLine.test(text) && bases.has(word.base),
      ),
  );

const testLine = /^\s*(?:\}\s*)?(?:else\s+)?(?:if|elif|elsif|unless|while|case|when)\b/u;

/** Words that show a further clause: `with a mode it is zero`. */
const clauseWord = /\b(?:it|they|that|which|is|are|was|were)\b/i;

/** The effect without its reason and its denial. */
const dropReason = (rest: string): string => rest.replace(reasonClause, '').replace(verbDenials, ' ');

const verbDenials =
  /\b(?:does|do|did|is|are|was|were|will|can|could|has|have|must)(?: not\b|n't\b)|\bcannot\b|\bnever\b/gi;

/** Minimum share, by weight, of the claimed effect that one side of a branch must have, and its minimum lead. */
const minShare = 0.4;
const minLead = 0.3;
/** A claim with more words usually says several things about a branch. */
const maxWords = 22;

const attributiveState =
  /\b(?:an?|the|any|some|this|that|another|one)\s(?:\p{L}+\s)?(?:disabled|invalid|unknown|failed|failing|different|empty|missing|absent|unset)\s\p{L}/iu;

const denyingWords =
  /\b(?:not|no|never|none|nothing|neither|nor|without|lacks?|lacking|missing|absent|fails?|failed|false|off|unset|empty|zero|null|nil|undefined|disabled|unknown|invalid|cannot|differs?|different)\b|n't\b|\b0\b/giu;
const countDenying = (test: string): number => test.match(denyingWords)?.length ?? 0;

/** Words for the outcome of a test, which do not tell what is tested. */
const stateWords = new Set(
  'true false set unset given found present missing absent empty zero null nil none undefined on off enabled disabled exist equal passed specified provided not no defined there has have had is are was any some one lacks lack without already yet anything something succeed succeeded success fail differ different'
    .split(' ')
    .map(toComparable),
);

const findTestWords = (text: string): readonly Word[] =>
  splitWords(text).filter(
    ({ text: word, base }) =>
      word.length > 1 && /\p{L}/u.test(word) && !isIdle(word) && !stateWords.has(base),
  );

/** The stems of the claimed effect, or signs that stand for it: `does nothing` is a bare return. */
function findEffect(rest: string, source: Source): readonly string[] {
  const { names, segments } = source;
  // The name of the definition says nothing about its branches.
  const effectText = (dropDefinedName(rest, source) ?? rest)
    .replace(reasonClause, '')
    .replace(/[\p{L}_$][\p{L}\p{N}_$]*/gu, (name) =>
      /_|\p{Ll}\p{Lu}/u.test(name) && names.get(name)?.some((at) => segments[at]!.scopeEnd !== null) === true
        ? ' '
        : name,
    );
  const bases = splitWords(effectText)
    .filter(hasMeaning)
    .map(({ base }) => base);
  const signs = [
    ...(/\b(?:does|do) nothing\b/i.test(rest) ? [bareReturn] : []),
    ...(/\b(?:as (?:it is|they are)|unchanged|untouched)\b/i.test(rest) ? [sameReturn] : []),
    ...(/\bloops?\b/i.test(rest) && /\b(?:ends?|stops?|exits?|breaks?|left)\b/i.test(rest) ? [loopEnd] : []),
  ];
  return signs.length > 0 ? signs : [...new Set(bases)];
}
/** The rest of a sentence that says why or when, not what is done. */
const reasonClause = /,?\s(?:before|after|because|since|so that|so|although|until)\s.*$/i;
const bareReturn = ' return';
const sameReturn = ' same';
const loopEnd = ' break';
/** Whether the verb of the claim fits a bare return, a return of an argument, or the end of a loop. */
const checkSignVerb = (rest: string): 'all' | null => {
  const { verb } = parseAction(dropReason(rest));
  return verb === null || returningVerb.test(verb) ? 'all' : null;
};
const returningVerb =
  /^(?:returns?|gives?|leaves?|passes|yields?|hands|keeps?|ends?|stops?|exits?|breaks?|does)$/i;
const isSign = (base: string): boolean => base.startsWith(' ');

const branchHead =
  /^\s*(?:\}\s*)?(?:(?<turn>else if|elif|elsif)|if|unless|while)\b\s*(?<test>.+?)\s*(?:[:{]|\bthen\b)?\s*$/u;

/** The branches whose tests are plain, without `or`, `<` and `>`; one for each part that `and` joins. */
const findBranches = cacheByKey(({ segments }: Source): readonly Branch[] =>
  segments.flatMap(({ isCode, isRecord, text, source }, at): readonly Branch[] => {
    if (!isCode || isRecord) return [];
    const inlineGroups = /^\s*if\s*\((?<test>[^&|]*)\)\s*(?<then>[^{\s].*)$/u.exec(text)?.groups;
    const test = inlineGroups?.['test'] ?? branchHead.exec(text)?.groups?.['test'];
    if (test === undefined || /^\s*(?:\}\s*)?else\b(?! if)/.test(text)) return [];
    const bareTest = dropBrackets(test);
    if (/\|\||\bor\b|(?<![-=])[<>]/.test(bareTest)) return [];
    const atoms = bareTest.split(/&&|\band\b/);
    const indent = indentOf(text);
    const body: number[] = inlineGroups === undefined ? [] : [at];
    let next = at + 1;
    if (inlineGroups === undefined)
      for (; next < segments.length && segments[next]!.source === source; next += 1) {
        const one = segments[next]!;
        if (one.isCode && indentOf(one.text) <= indent) break;
        body.push(next);
      }
    // If the body leaves the function or loop, or an `else` follows, the next lines run when the test fails.
    const doesLeave = body.some((one) =>
      /\b(?:return|throw|raise|break|continue|exit|goto|panic)\b/.test(segments[one]!.text),
    );
    const isElse = /^\s*(?:\}\s*)?else\b/.test(segments[next]?.text ?? '');
    const rest: number[] = [];
    if (doesLeave || isElse)
      for (; next < segments.length && segments[next]!.source === source; next += 1) {
        if (segments[next]!.isCode && indentOf(segments[next]!.text) < indent) break;
        rest.push(next);
      }
    const isUnless = /^\s*unless\b/.test(text);
    return atoms.flatMap((atom) => {
      const { words, isPositive } = parseTest(dropBrackets(atom));
      // The result of a call that acts, rather than asks, may mean anything.
      if (words.length === 0 || body.length === 0 || (callForm.test(atom) && !questionName.test(atom)))
        return [];
      const isAlone = atoms.length === 1 && !/\bel(?:if|sif|se)\b/.test(text);
      const branch = { line: text.trim().slice(0, 60), words, body, isAlone };
      return [{ ...branch, isPositive: isPositive !== isUnless, rest: atoms.length > 1 ? [] : rest }];
    });
  }),
);

const dropBrackets = (test: string): string =>
  test
    .trim()
    .replace(/^\((.*)\)$/u, '$1')
    .trim();
const callForm = /[\p{L}\p{N}_]\(/u;
const questionName =
  /(?:^|[.!\s>(])(?:is|has|can|should|wants?|exists?|contains?|includes?|starts|ends|any|all|was|needs?)(?:_|\p{Lu}|\()|_(?:is|has|want|can)_/u;
const nothingForm = `(?:null|NULL|nil|None|undefined|nullptr|false|False|0|""|'')`;

const notNothing = new RegExp(`\\s+is not ${nothingForm}\\s*$`);
const equalsNothing = new RegExp(`(?:===?|\\bis)\\s*${nothingForm}\\)?\\s*$`);
const inequality = new RegExp(`!==?(?!\\s*${nothingForm}\\)?\\s*$)|\\bnot in\\b|~=`);

/** The stems of a test, and whether the test passes if the condition that they name holds. */
function parseTest(test: string): { readonly words: readonly string[]; readonly isPositive: boolean } {
  // `x is not None` tests for x, as `x` alone does.
  const bareTest = test.replace(notNothing, '');
  const negationSigns = [
    /^!(?!=)|^not\s/.test(bareTest),
    equalsNothing.test(bareTest),
    inequality.test(bareTest),
    /\b(?:is_?empty|isZero|is_?null|is_?none)\b/i.test(bareTest),
  ];
  const names = bareTest
    .replace(/"[^"]*"|'[^']*'/g, (quoted) => ` ${quoted.slice(1, -1)} `)
    // An owner with a short name is a variable.
    .replace(/(?<![\p{L}\p{N}_])\p{Ll}{1,3}(?:\.|->)(?=\p{L})/gu, '')
    .split(/[^\p{L}\p{N}_]+/u)
    .flatMap((name) => splitName(name));
  const isNegated =
    names.filter((part) => /^(?:not|no|non)$/i.test(part)).length >
    (negationSigns[0] && /^not\s/.test(bareTest) ? 1 : 0) + (/\bnot in\b/.test(bareTest) ? 1 : 0);
  const words = names
    .map(toComparable)
    .filter(
      (base) => base.length > 1 && !fillerWords.has(base) && !stateWords.has(base) && !/^\d/.test(base),
    );
  return {
    words: [...new Set(words)],
    isPositive: [...negationSigns, isNegated].filter(Boolean).length % 2 === 0,
  };
}

const fillerWords = new Set(
  'self this cfg config opts options ctx is has null none nil undefined not in len length err kind as ref some let mut'
    .split(' ')
    .map(toComparable),
);

/**
 * The branches that test what the claim's condition is about: all stems of the branch, or at least three quarters of
 * the claim's, are shared. Only those that share the most are kept.
 */
function selectBranches(tested: readonly Word[], source: Source): readonly Branch[] {
  const testedBases = new Set(tested.map(({ base }) => base));
  const countShared = ({ words }: Branch): number => words.filter((base) => testedBases.has(base)).length;
  const found = findBranches(source).filter((branch) => {
    const shared = countShared(branch);
    return shared > 0 && (shared === branch.words.length || shared / testedBases.size >= 0.75);
  });
  const max = Math.max(...found.map(countShared));
  return found.filter((branch) => countShared(branch) === max);
}

const isSameTest = (tested: readonly Word[], { words, isAlone }: Branch): boolean =>
  isAlone &&
  tested.every(({ base }) => words.includes(base)) &&
  words.every((base) => isIdle(base) || tested.some((one) => one.base === base));

const holdsAll = (effect: readonly string[], lines: readonly number[], { segments }: Source): boolean =>
  effect.every((base) => lines.some((at) => listBases(segments[at]!).has(base)));

/** The share of the effect, by weight, that the lines contain. Words that no line of code contains do not count. */
function computeEffectShare(
  effect: readonly string[],
  lines: readonly number[],
  { words }: Branch,
  source: Source,
): number {
  let [wholeWeight, heldWeight] = [0, 0];
  for (const base of effect) {
    if (words.includes(base)) continue;
    const isHeld = lines.some((at) => listBases(source.segments[at]!).has(base));
    // A word that no line contains shows nothing about the branch.
    if (!isHeld && !source.segments.some((one) => one.isCode && listBases(one).has(base))) continue;
    const weight = isSign(base) ? 2 : weighWord(base, source);
    wholeWeight += weight;
    if (isHeld) heldWeight += weight;
  }
  return wholeWeight === 0 ? 0 : heldWeight / wholeWeight;
}

const listBases = cacheByKey(({ words, text }: Segment): ReadonlySet<string> => {
  return new Set([
    ...words.map(({ base }) => base),
    ...findSignWords(text).filter((word) => actionSigns.has(word)),
    ...(/^\s*(?:return;?|continue;?|pass)\s*$/.test(text) ? [bareReturn] : []),
    ...(/^\s*return\s+[\p{L}_$.]+;?\s*$/u.test(text) ? [sameReturn] : []),
    ...(/^\s*break;?\s*$/.test(text) ? [loopEnd] : []),
  ]);
});
const actionSigns = new Set(['return', 'raise', 'skip', 'null', 'empty', 'true', 'false'].map(toComparable));
