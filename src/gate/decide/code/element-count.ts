/** Decides claims about the number of elements of a list, set or map that the lines write out. */

import type { Reading } from '../../claim/reading.ts';
import { getLastPart } from '../../claim/terms.ts';
import type { Source } from '../../lines/source.ts';
import type { Decision } from '../decide-text.ts';
import { closesEarly, readExpression, splitAtCommas } from './expressions.ts';

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
