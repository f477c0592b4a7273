/**
 * Whether the rules about branches and order show a claim about code: they confirm its condition or order, and the
 * lines have everything else in it.
 */

import type { Reading } from '../../claim/reading.ts';
import { getLastPart } from '../../claim/terms.ts';
import { dropDefinedName, findDefinitions } from '../../lines/definition.ts';
import { findFigure } from '../../lines/find-figure.ts';
import { findTerm } from '../../lines/find-term.ts';
import type { Source } from '../../lines/source.ts';
import { removeSpaces } from '../../words/normal.ts';
import { findDirectedWords } from '../../words/opposites.ts';
import { findQuantifiers } from '../../words/turns.ts';
import { isIdle, isLight, splitWords, stem } from '../../words/words.ts';
import { readExpression, splitAtCommas } from '../code/statements.ts';

interface Settled {
  /** Whether a branch of the code does all that the claim says, under the condition that the claim states. */
  readonly isBranched: boolean;
  /** Whether the lines contain both events of the claim completely, in the order that the claim states. */
  readonly isOrdered: boolean;
}

const conditionWord = /\b(?:if|when|whenever|once|unless|while|until|as soon as|with|without|for|where)\b/i;
const orderWord = /\b(?:before|after|then|until|first|last)\b/i;
/** Words whose meaning neither rule checks. */
const unsettledWord =
  /\b(?:even|both|neither|either|all|every|each|any|always|never|instead|rather|except|otherwise|else|because|since|so that|again|more|less|than|most|least|twice|and|or|but)\b|[,;:]\s(?!.*\b(?:then)\b)/i;

export function isSettled(reading: Reading, source: Source, { isBranched, isOrdered }: Settled): boolean {
  const { text } = reading;
  if (!isBranched && (!isOrdered || conditionWord.test(text))) return false;
  if (!isOrdered && orderWord.test(text)) return false;
  const rest = text.replace(/^(?:if|when|whenever|once|unless|while)\s[^,]+,\s/i, '');
  if (unsettledWord.test(isOrdered ? rest.replace(/,?\s(?:and\s)?then\s/i, ' ') : rest)) return false;
  if (findQuantifiers(text).some((word) => word !== 'only')) return false;
  const mainClause = rest.replace(
    /,?\s(?:only\s)?(?:if|when|whenever|once|unless|while|before|after|then)\s.*$/i,
    '',
  );
  // If the claim names a subject, it must be the definition of the lines.
  if (!passiveForm.test(mainClause) && dropDefinedName(mainClause, source) === null) return false;
  return (
    reading.terms.every((term) => isExact(findTerm(term, source)?.how)) &&
    reading.figures.every((figure) => isExact(findFigure(figure, reading, source)?.how)) &&
    splitWords(text).every(({ text: word, base }) => isWordSaid(word, base, source))
  );
}

const passiveForm = /^[^,;]*?\b(?:is|are|was|were)\s(?:not\s)?\p{L}+(?:ed|en|wn|nt|pt|lt|ut|et)\b/iu;

const isExact = (how: 'exact' | 'loose' | 'known' | undefined): boolean => how === 'exact' || how === 'known';

/** Words of the condition or the order, which the rules have already compared. */
const comparedWords = new Set(
  'before after first then only if when unless true false set unset not no none null nil undefined zero empty given found present missing absent early equal equals differs as nothing'.split(
    ' ',
  ),
);

function isWordSaid(word: string, base: string, { segments, known }: Source): boolean {
  if (isIdle(word) || comparedWords.has(word.toLowerCase()) || !/\p{L}/u.test(word) || word.length < 2)
    return true;
  if (findDirectedWords(word).length > 0)
    return segments.some((one) => one.words.some((given) => stem(given.text) === stem(word)));
  return isLight(word) || known.bases.has(base) || segments.some(({ bases }) => bases.has(base));
}

const adverbs = String.raw`(?:(?:only|always|then|just|both|either|the|simply|directly)\s)*`;
const listPattern = String.raw`(?<objects>\x60[^\x60]+\x60(?:(?:,\s|,?\s(?:and|or)\s)(?:the\s)?\x60[^\x60]+\x60)*)`;
/** After the expression no noun follows, as in `the `get` result`. */
const endPattern = String.raw`(?=[.,;]|\s(?:if|when|whenever|unless|otherwise|after|before|to|into|from|onto|on|in|at|as|for|by|and|or|but|itself|instead|directly|unchanged|without|with|once|while|every|again|back)\b|$)`;
const returnClaimPattern = new RegExp(
  String.raw`\b(?:returns?|returning|yields?)\s${adverbs}${listPattern}${endPattern}`,
  'u',
);
const returnedClaimPattern = new RegExp(
  String.raw`${listPattern}\s(?:is|are)\s(?:always\s)?(?:returned|yielded)\b`,
  'u',
);
const setClaimPattern = new RegExp(
  String.raw`(?:\x60(?<set>[^\x60]+)\x60\s(?:is|gets|was)\s(?:always\s|first\s|then\s)?(?:set|assigned|reset|initiali[sz]ed)|\b(?:sets|resets|assigns|initiali[sz]es)\s(?:the\s)?\x60(?<sets>[^\x60]+)\x60)\s(?:back\s)?(?:to|with|from)\s${adverbs}${listPattern}${endPattern}`,
  'u',
);
const addClaimPattern = new RegExp(
  String.raw`\b(?:appends?|appending|adds?|adding|push(?:es)?|pushing|inserts?|inserting|prepends?|enqueues?)\s${adverbs}${listPattern}${endPattern}`,
  'u',
);
const passClaimPattern = new RegExp(
  String.raw`\bpass(?:es|ing)?\s${adverbs}${listPattern}\s(?:in)?to\s(?:the\s)?\x60(?<callee>[^\x60]+)\x60`,
  'u',
);
const callClaimPattern = new RegExp(
  String.raw`\b(?:calls?|calling|invokes?|invoking)\s(?:the\s)?\x60(?<callee>[^\x60]+)\x60\swith\s${adverbs}${listPattern}${endPattern}`,
  'u',
);

interface ExpressionClaim {
  readonly objects: readonly string[];
  readonly wordPattern: RegExp;
  readonly findExpressions: (lines: readonly string[]) => readonly string[];
}

function findExpressionClaim(text: string): ExpressionClaim | null {
  const create = (
    groups: Record<string, string | undefined>,
    wordPattern: RegExp,
    findExpressions: ExpressionClaim['findExpressions'],
  ): ExpressionClaim => ({
    objects: [...groups['objects']!.matchAll(/`([^`]+)`/g)].map(([, object]) => object!),
    wordPattern,
    findExpressions,
  });
  const returnGroups = returnClaimPattern.exec(text)?.groups ?? returnedClaimPattern.exec(text)?.groups;
  if (returnGroups !== undefined) return create(returnGroups, /\b(?:return|yield)/i, findReturned);
  const setGroups = setClaimPattern.exec(text)?.groups;
  if (setGroups !== undefined)
    return create(setGroups, /\b(?:set|assign|reset|initial|default)/i, (lines) =>
      findAssigned(setGroups['set'] ?? setGroups['sets']!, lines),
    );
  const addGroups = addClaimPattern.exec(text)?.groups;
  if (addGroups !== undefined)
    return create(addGroups, /\b(?:append|add|push|insert|prepend|enqueue)/i, findAdded);
  const callGroups = passClaimPattern.exec(text)?.groups ?? callClaimPattern.exec(text)?.groups;
  return callGroups === undefined
    ? null
    : create(callGroups, /\b(?:pass|call|invoke)/i, (lines) => findPassed(callGroups['callee']!, lines));
}

/** Returns why the lines don't show the expression of the claim as a whole. Null otherwise. */
export function findPartialExpression({ text, terms }: Reading, source: Source): string | null {
  const { segments } = source;
  if (!segments.some(({ isCode, isRecord }) => isCode && !isRecord)) return null;
  const claim = findExpressionClaim(text);
  if (claim === null) return null;
  const definitions = terms.flatMap((term) =>
    claim.objects.includes(term.text) ? [] : findDefinitions(getLastPart(term.text), source),
  );
  const bodies = definitions.filter(
    ({ segments: body, head: header }) => body.length > 1 || header.includes('=>'),
  );
  const bodyIndexes = new Set(bodies.flatMap((definition) => definition.segments));
  const headIndexes = new Set(bodies.map((definition) => definition.segments[0]!));
  const isInScope = (index: number): boolean => bodies.length === 0 || bodyIndexes.has(index);
  const lines = segments.map(({ text: line, isCode, isRecord, isText }, index) =>
    isCode && !isRecord && !isText && isInScope(index) ? line : '',
  );
  const expressions = claim.findExpressions(
    lines.map((line, index) => (headIndexes.has(index) && !/=>/.test(line) ? '' : line)),
  );
  const code = lines.join('\n');
  // In Go, a capital letter begins the name of any exported function.
  const hasPlainConstructors = !source.paths.some((path) => path.endsWith('.go'));
  const partialObject = claim.objects.find(
    (object) =>
      isNamed(object) &&
      !expressions.some((expression) => isWhole(object, expression, code, hasPlainConstructors)) &&
      !definitions.some(({ rest: headerRemainder }) => hasName(headerRemainder, object)) &&
      !segments.some(
        ({ text: line, isCode, isText, isRecord }) =>
          (!isCode || isText || isRecord) && claim.wordPattern.test(line) && hasName(line, object),
      ),
  );
  return partialObject === undefined
    ? null
    : `The lines do not show "${partialObject}" as the whole expression there.`;
}

/** Whether an expression begins with a name. Literals are compared elsewhere. */
const isNamed = (object: string): boolean =>
  /^(?:await\s|\*|&)?[\p{L}_$@#]/u.test(object) &&
  !/^(?:None|null|nil|undefined|true|false|True|False|[\p{L}_]*["'].*)$/su.test(object);

const hasName = (text: string, name: string): boolean =>
  new RegExp(`(?<![\\p{L}\\p{N}_$.])${RegExp.escape(name)}(?![\\p{L}\\p{N}_$.([])`, 'u').test(text);

const toPlain = (expression: string): string =>
  removeSpaces(
    expression
      .trim()
      .replace(/^(?:(?:await|new|yield|from)\s+|\.\.\.|[&*]+(?=[\p{L}_$(]))+/u, '')
      .replace(/\s+as\s+(?:[\p{L}\p{N}_$.<>[\]]+)$/u, ''),
  )
    .replace(/[!?]$/, '')
    .replace(/^(["'])([^"']*)\1$/, '$2');

function isWhole(object: string, expression: string, code: string, hasPlainConstructors: boolean): boolean {
  const [claimed, written] = [toPlain(object), toPlain(expression)];
  if (claimed === written) return true;
  if (
    /^\(.*\)$/su.test(written) &&
    isWhole(object, expression.trim().slice(1, -1), code, hasPlainConstructors)
  )
    return true;
  // `open()` is how claims write a call with any arguments, and `Hold` an instance made by its constructor.
  const callee = claimed.endsWith('()')
    ? claimed.slice(0, -1)
    : /^\p{Lu}\p{L}*\p{Ll}/u.test(getLastPart(claimed)) && /^[\p{L}\p{N}_.]+$/u.test(claimed)
      ? claimed
      : null;
  if (callee !== null && written.startsWith(callee)) {
    const rest = written.slice(callee.replace(/\($/, '').length);
    const isInstance =
      rest.startsWith('{') ||
      (rest.startsWith('(') &&
        (claimed.endsWith('()') || (hasPlainConstructors && /^\p{Lu}/u.test(claimed))));
    if (isInstance && readExpression(rest.slice(1), false).text.length === rest.length - 2) return true;
  }
  // Claims may drop the owner, unless the lines also use the bare name.
  return (
    /^[\p{L}_$][\p{L}\p{N}_$.]*(?:\([^()]*\))?$/u.test(claimed) &&
    /^[\p{L}_$][\p{L}\p{N}_$.]*\./u.test(written) &&
    written.endsWith(`.${claimed}`) &&
    !hasName(code, claimed)
  );
}

const readAt = (lines: readonly string[], index: number, offset: number, stopsAtComma: boolean): string =>
  readExpression(
    [lines[index]!.slice(offset), ...lines.slice(index + 1, index + 12)].join('\n'),
    stopsAtComma,
  ).text;

const readMatches = (lines: readonly string[], pattern: RegExp, stopsAtComma: boolean): readonly string[] =>
  lines.flatMap((line, index) =>
    [...line.matchAll(pattern)].map((match) =>
      readAt(lines, index, match.index + match[0].length, stopsAtComma),
    ),
  );

/** The values that an expression may have: the branches of a choice, the parts of a tuple, a wrapped value. */
function listValues(expression: string): readonly string[] {
  const values = splitAtCommas(expression).flatMap((part) => {
    const wrapped = /^(?:Ok|Err|Some|Promise\.(?:resolve|reject)|resolve|reject)\((?<inner>.*)\)$/su.exec(
      part,
    )?.groups?.['inner'];
    const choice =
      /^(?<one>.+?)\sif\s.+?\selse\s(?<two>.+)$/su.exec(part)?.groups ??
      /^[^?]+\?(?![.?])\s*(?<one>.+?)\s:\s(?<two>.+)$/su.exec(part)?.groups;
    return [
      part,
      ...(wrapped === undefined ? [] : [wrapped]),
      ...(choice === undefined ? [] : [choice['one']!, choice['two']!]),
      ...(choice === undefined ? part.split(/\s(?:\|\||\?\?|or|and|&&)\s/u) : []),
    ];
  });
  return [expression, ...values];
}

function findReturned(lines: readonly string[]): readonly string[] {
  const values = [
    ...readMatches(lines, /(?:\b(?:return|yield(?:\sfrom)?)\b|=>(?!\s*\{\s*$)|\bresolve(?=\())\s*/gu, false),
    // Some languages return the last expression of a body.
    ...lines.filter((line) => /^\s*[\p{L}_$@&*][^=;]*$/u.test(line) && !/^\s*return\b/.test(line)),
  ].flatMap(listValues);
  const variables = values.filter((value) => /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(value.trim()));
  return [
    ...values,
    ...[...new Set(variables)].flatMap((name) => findAssigned(name.trim(), lines).flatMap(listValues)),
  ];
}

function findAssigned(name: string, lines: readonly string[]): readonly string[] {
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}_$])${RegExp.escape(name)}["'\\]]*(?:\\s*:(?!=)\\s*[^=,]*?(?=\\s*=))?(?:,\\s*[\\p{L}_]+)*\\s*(?:=(?![=>])|:=|:|=>)\\s*`,
    'gu',
  );
  return readMatches(lines, pattern, true).flatMap(listValues);
}

const listArguments = (
  lines: readonly string[],
  calleePattern: RegExp,
  dropsFirst: boolean,
): readonly string[] =>
  readMatches(lines, calleePattern, false).flatMap((text) =>
    splitAtCommas(text)
      .slice(dropsFirst ? 1 : 0)
      .flatMap((argument) => {
        const named = /^[\p{L}_$][\p{L}\p{N}_$]*\s*[=:]\s*(?<value>[^=].*)$/su.exec(argument)?.groups?.[
          'value'
        ];
        return [argument, ...(named === undefined ? [] : [named])];
      }),
  );

const addMethodPattern =
  /\.\s*(?:\p{Ll}+_?)?(?:append|push|add|insert|extend|concat|put|enqueue|unshift|prepend|set)\p{L}*\(/giu;
const addFunctionPattern = /(?<![\p{L}\p{N}_$.])(?:append|array_push)\(/gu;

const findAdded = (lines: readonly string[]): readonly string[] => [
  ...listArguments(lines, addMethodPattern, false),
  ...listArguments(lines, addFunctionPattern, true),
  ...readMatches(lines, /(?:\+=|<<|\]\s*=(?!=))\s*/gu, false).flatMap((value) => [
    value,
    ...(/^\[.*\]$/su.test(value) ? splitAtCommas(value.slice(1, -1)) : []),
  ]),
  ...readMatches(lines, /\[\.\.\.[^\],]+,/gu, false).flatMap(splitAtCommas),
];

const findPassed = (callee: string, lines: readonly string[]): readonly string[] =>
  listArguments(
    lines,
    new RegExp(
      `(?<![\\p{L}\\p{N}_$])${RegExp.escape(callee.replace(/\(.*\)$/su, ''))}(?:<[^()]*>)?\\(`,
      'gu',
    ),
    false,
  );
