/**
 * Compares the condition of a claim with the branches of the lines: `returns the result if it is cut` where the code
 * has `if (!isCut) return result`.
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
  /** Whether the branch tests no more and no less than the claim says, and its lines do all of it. */
  readonly isWhole: boolean;
  readonly why: string;
}

/** A branch of the code: one test, and the lines that are done where it holds. */
interface Branch {
  readonly line: string;
  /** The words of what is tested. */
  readonly words: readonly string[];
  /** Whether the lines are done where that is so, and not where it is not so. */
  readonly isPositive: boolean;
  /** What is done where the test holds, and what is done where it does not. */
  readonly body: readonly number[];
  readonly rest: readonly number[];
  /** Whether nothing else decides it: no other test beside this one, and none before it. */
  readonly isAlone: boolean;
}

const connective = String.raw`(?:only\s+|but\s+)?(?<word>if|when|whenever|once|unless|while|as soon as|without|with)`;
const fronted = new RegExp(`^${connective}\\s(?<test>[^,]+?),\\s(?<rest>.+)$`, 'iu');
const behind = new RegExp(`^(?<rest>.+?),?\\s${connective}\\s(?<test>[^,;]+)$`, 'iu');

/** Null if the claim has no condition, or the lines do not tell which branch it means. */
export function checkCondition({ text }: Reading, source: Source): ConditionVerdict | null {
  const said = text.replace(/[.]\s*$/, '');
  if (/\b(?:even|either|neither|whether|otherwise|else|except)\b/i.test(said)) return null;
  if (/\([^)]*\s[^)]*\)/.test(said) || (said.match(/\p{L}+/gu)?.length ?? 0) > maxWords) return null;
  const match = fronted.exec(said) ?? behind.exec(said);
  if (match === null) return null;
  const { word = '', test = '', rest = '' } = match.groups!;
  // `a disabled reader` is no reader that is missing.
  if (attributive.test(test)) return null;
  const tested = findTestWords(test);
  if (tested.length === 0) return null;
  if (/^with(?:out)?$/i.test(word) && (tested.length > 2 || clause.test(test))) return null;
  // Of two tests one may be denied, and not the other.
  if (/\b(?:and|or)\b/i.test(test) && countDenying(test) > 0) return null;
  // A case that the lines don't name is not the case of a branch.
  if (tested.some((one) => hasMeaning(one) && !source.segments.some(({ bases }) => bases.has(one.base))))
    return null;
  const undone = rest.match(notDone)?.length ?? 0;
  // `loads nothing`, `with no file`: the verb alone does not tell that nothing is done.
  if (undone > 1 || (undone === 0 && !/\b(?:does|do) nothing\b/i.test(rest) && findDenials(rest).length > 0))
    return null;
  const isPositive =
    (/^(?:unless|without)$/i.test(word) === (countDenying(test) % 2 === 1)) === (undone === 0);
  const branches = selectBranches(tested, source);
  if (branches.length === 0) return null;
  const effect = findEffect(rest, source);
  const found: ConditionVerdict[] = [];
  for (const branch of branches) {
    const [own, other] = [branch.body, branch.rest].map((lines) =>
      computeEffectShare(effect, lines, branch, source),
    ) as [number, number];
    if (Math.max(own, other) < minShare || Math.abs(own - other) < minLead) continue;
    const isDone = own > other;
    const lines = isDone ? branch.body : branch.rest;
    const carried = effect.some(isSign)
      ? checkSignVerb(rest)
      : findEventSupport(dropReason(rest), lines, source);
    if (carried === null) continue;
    const isSo = isDone === (branch.isPositive === isPositive);
    if (!isSo && isTestedElsewhere(tested, branch, source)) return null;
    found.push({
      isSo,
      isWhole: carried === 'all' && isSameTest(tested, branch) && holdsAll(effect, lines, source),
      why: `the lines do it ${isSo ? '' : 'in the other case '}at: ${branch.line}`,
    });
  }
  const [first = null] = found;
  // The same test elsewhere may be the one that is meant.
  if (first?.isSo === false && found.length < branches.length) return null;
  return found.every(({ isSo }) => isSo === first!.isSo) ? first : null;
}

/** Whether another line tests what this branch does not, so that it may be the one that is meant. */
const isTestedElsewhere = (tested: readonly Word[], { words }: Branch, { segments }: Source): boolean =>
  tested.some(
    (word) =>
      hasMeaning(word) &&
      !words.includes(word.base) &&
      segments.some(
        ({ isCode, isRecord, text, bases }) =>
          isCode && !isRecord && testing.test(text) && bases.has(word.base),
      ),
  );

const testing = /^\s*(?:\}\s*)?(?:else\s+)?(?:if|elif|elsif|unless|while|case|when)\b/u;

/** What begins another clause: `with a mode it is zero`. */
const clause = /\b(?:it|they|that|which|is|are|was|were)\b/i;

/** What is done, without its reason and its denial. */
const dropReason = (rest: string): string => rest.replace(reason, '').replace(notDone, ' ');

const notDone =
  /\b(?:does|do|did|is|are|was|were|will|can|could|has|have|must)(?: not\b|n't\b)|\bcannot\b|\bnever\b/gi;

/** Minimum share, by weight, of what the claim says is done that a branch must hold, and by how much it must lead. */
const minShare = 0.4;
const minLead = 0.3;
/** A longer sentence says more than one thing of a branch. */
const maxWords = 22;

const attributive =
  /\b(?:an?|the|any|some|this|that|another|one)\s(?:\p{L}+\s)?(?:disabled|invalid|unknown|failed|failing|different|empty|missing|absent|unset)\s\p{L}/iu;

const denying =
  /\b(?:not|no|never|none|nothing|neither|nor|without|lacks?|lacking|missing|absent|fails?|failed|false|off|unset|empty|zero|null|nil|undefined|disabled|unknown|invalid|cannot|differs?|different)\b|n't\b|\b0\b/giu;
const countDenying = (test: string): number => test.match(denying)?.length ?? 0;

/** Words that only say that something is so. */
const state = new Set(
  'true false set unset given found present missing absent empty zero null nil none undefined on off enabled disabled exist equal passed specified provided not no defined there has have had is are was any some one lacks lack without already yet anything something succeed succeeded success fail differ different'
    .split(' ')
    .map(toComparable),
);

const findTestWords = (text: string): readonly Word[] =>
  splitWords(text).filter(
    ({ text: word, base }) => word.length > 1 && /\p{L}/u.test(word) && !isIdle(word) && !state.has(base),
  );

/** What the claim says is done; `does nothing` is a bare return. */
function findEffect(rest: string, source: Source): readonly string[] {
  const { names, segments } = source;
  // The name of the definition itself says nothing of its branches.
  const plain = (dropDefinedName(rest, source) ?? rest)
    .replace(reason, '')
    .replace(/[\p{L}_$][\p{L}\p{N}_$]*/gu, (name) =>
      /_|\p{Ll}\p{Lu}/u.test(name) && names.get(name)?.some((at) => segments[at]!.scopeEnd !== null) === true
        ? ' '
        : name,
    );
  const bases = splitWords(plain)
    .filter(hasMeaning)
    .map(({ base }) => base);
  const signs = [
    ...(/\b(?:does|do) nothing\b/i.test(rest) ? [bareReturn] : []),
    ...(/\b(?:as (?:it is|they are)|unchanged|untouched)\b/i.test(rest) ? [sameReturn] : []),
    ...(/\bloops?\b/i.test(rest) && /\b(?:ends?|stops?|exits?|breaks?|left)\b/i.test(rest) ? [leaving] : []),
  ];
  return signs.length > 0 ? signs : [...new Set(bases)];
}
/** What follows says why or when, and not what is done. */
const reason = /,?\s(?:before|after|because|since|so that|so|although|until)\s.*$/i;
const bareReturn = ' return';
const sameReturn = ' same';
const leaving = ' break';
/** What a bare return, a return of what was given, or the end of a loop may be called. */
const checkSignVerb = (rest: string): 'all' | null => {
  const { verb } = parseAction(dropReason(rest));
  return verb === null || returning.test(verb) ? 'all' : null;
};
const returning =
  /^(?:returns?|gives?|leaves?|passes|yields?|hands|keeps?|ends?|stops?|exits?|breaks?|does)$/i;
const isSign = (base: string): boolean => base.startsWith(' ');

const head =
  /^\s*(?:\}\s*)?(?:(?<turn>else if|elif|elsif)|if|unless|while)\b\s*(?<test>.+?)\s*(?:[:{]|\bthen\b)?\s*$/u;

/** Branches with one plain test. */
const findBranches = cacheByKey(({ segments }: Source): readonly Branch[] =>
  segments.flatMap(({ isCode, isRecord, text, source }, at): readonly Branch[] => {
    if (!isCode || isRecord) return [];
    const inline = /^\s*if\s*\((?<test>[^&|]*)\)\s*(?<then>[^{\s].*)$/u.exec(text)?.groups;
    const test = inline?.['test'] ?? head.exec(text)?.groups?.['test'];
    if (test === undefined || /^\s*(?:\}\s*)?else\b(?! if)/.test(text)) return [];
    const bare = dropBrackets(test);
    if (/\|\||\bor\b|(?<![-=])[<>]/.test(bare)) return [];
    const atoms = bare.split(/&&|\band\b/);
    const indent = indentOf(text);
    const body: number[] = inline === undefined ? [] : [at];
    let next = at + 1;
    if (inline === undefined)
      for (; next < segments.length && segments[next]!.source === source; next += 1) {
        const one = segments[next]!;
        if (one.isCode && indentOf(one.text) <= indent) break;
        body.push(next);
      }
    // What follows a branch that leaves, or what the other branch does.
    const leaves = body.some((one) =>
      /\b(?:return|throw|raise|break|continue|exit|goto|panic)\b/.test(segments[one]!.text),
    );
    const isElse = /^\s*(?:\}\s*)?else\b/.test(segments[next]?.text ?? '');
    const rest: number[] = [];
    if (leaves || isElse)
      for (; next < segments.length && segments[next]!.source === source; next += 1) {
        if (segments[next]!.isCode && indentOf(segments[next]!.text) < indent) break;
        rest.push(next);
      }
    const isUnless = /^\s*unless\b/.test(text);
    return atoms.flatMap((atom) => {
      const { words, isPositive } = parseTest(dropBrackets(atom));
      // A call may give anything where it has done what its name says.
      if (words.length === 0 || body.length === 0 || (isCall.test(atom) && !asking.test(atom))) return [];
      const isAlone = atoms.length === 1 && !/\bel(?:if|sif|se)\b/.test(text);
      const only = { line: text.trim().slice(0, 60), words, body, isAlone };
      return [{ ...only, isPositive: isPositive !== isUnless, rest: atoms.length > 1 ? [] : rest }];
    });
  }),
);

const dropBrackets = (test: string): string =>
  test
    .trim()
    .replace(/^\((.*)\)$/u, '$1')
    .trim();
const isCall = /[\p{L}\p{N}_]\(/u;
const asking =
  /(?:^|[.!\s>(])(?:is|has|can|should|wants?|exists?|contains?|includes?|starts|ends|any|all|was|needs?)(?:_|\p{Lu}|\()|_(?:is|has|want|can)_/u;
const nothing = `(?:null|NULL|nil|None|undefined|nullptr|false|False|0|""|'')`;

const given = new RegExp(`\\s+is not ${nothing}\\s*$`);
const absent = new RegExp(`(?:===?|\\bis)\\s*${nothing}\\)?\\s*$`);
const differing = new RegExp(`!==?(?!\\s*${nothing}\\)?\\s*$)|\\bnot in\\b|~=`);

/** The words of a test, and whether it asks that they be so. */
function parseTest(test: string): { readonly words: readonly string[]; readonly isPositive: boolean } {
  // `x is not None` asks for x, as `x` does.
  const bare = test.replace(given, '');
  const signs = [
    /^!(?!=)|^not\s/.test(bare),
    absent.test(bare),
    differing.test(bare),
    /\b(?:is_?empty|isZero|is_?null|is_?none)\b/i.test(bare),
  ];
  const names = bare
    .replace(/"[^"]*"|'[^']*'/g, (quoted) => ` ${quoted.slice(1, -1)} `)
    // An owner of few letters is a variable.
    .replace(/(?<![\p{L}\p{N}_])\p{Ll}{1,3}(?:\.|->)(?=\p{L})/gu, '')
    .split(/[^\p{L}\p{N}_]+/u)
    .flatMap((name) => splitName(name));
  const isNegated =
    names.filter((part) => /^(?:not|no|non)$/i.test(part)).length >
    (signs[0] && /^not\s/.test(bare) ? 1 : 0) + (/\bnot in\b/.test(bare) ? 1 : 0);
  const words = names
    .map(toComparable)
    .filter((base) => base.length > 1 && !fluff.has(base) && !state.has(base) && !/^\d/.test(base));
  return { words: [...new Set(words)], isPositive: [...signs, isNegated].filter(Boolean).length % 2 === 0 };
}

const fluff = new Set(
  'self this cfg config opts options ctx is has null none nil undefined not in len length err kind as ref some let mut'
    .split(' ')
    .map(toComparable),
);

/**
 * The branches that test what the claim's condition is about: all words of one are words of the other. One that tests
 * more of it is meant, and none that tests less.
 */
function selectBranches(tested: readonly Word[], source: Source): readonly Branch[] {
  const own = new Set(tested.map(({ base }) => base));
  const countShared = ({ words }: Branch): number => words.filter((base) => own.has(base)).length;
  const found = findBranches(source).filter((branch) => {
    const shared = countShared(branch);
    return shared > 0 && (shared === branch.words.length || shared / own.size >= 0.75);
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

/** The share of what is done that the lines hold, by weight, of all that some line of the code holds. */
function computeEffectShare(
  effect: readonly string[],
  lines: readonly number[],
  { words }: Branch,
  source: Source,
): number {
  let [whole, got] = [0, 0];
  for (const base of effect) {
    if (words.includes(base)) continue;
    const isThere = lines.some((at) => listBases(source.segments[at]!).has(base));
    // A word that no line contains shows nothing about the branch.
    if (!isThere && !source.segments.some((one) => one.isCode && listBases(one).has(base))) continue;
    const weight = isSign(base) ? 2 : weighWord(base, source);
    whole += weight;
    if (isThere) got += weight;
  }
  return whole === 0 ? 0 : got / whole;
}

const listBases = cacheByKey(({ words, text }: Segment): ReadonlySet<string> => {
  return new Set([
    ...words.map(({ base }) => base),
    ...findSignWords(text).filter((word) => doing.has(word)),
    ...(/^\s*(?:return;?|continue;?|pass)\s*$/.test(text) ? [bareReturn] : []),
    ...(/^\s*return\s+[\p{L}_$.]+;?\s*$/u.test(text) ? [sameReturn] : []),
    ...(/^\s*break;?\s*$/.test(text) ? [leaving] : []),
  ]);
});
const doing = new Set(['return', 'raise', 'skip', 'null', 'empty', 'true', 'false'].map(toComparable));
