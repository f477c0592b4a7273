/** Decides claims about the head of a definition, and about which of two definitions calls or extends the other. */

import { type Definition, findDefinitions } from '../../lines/definition.ts';
import type { Source } from '../../lines/source.ts';
import type { Decision } from '../decide-text.ts';

const firstForm = String.raw`(?:[Tt]he )?\x60(?<one>[\p{L}_$][\p{L}\p{N}_$.]*)(?:\(\))?\x60(?: function| method| class| struct| enum| type)?`;
const secondForm = String.raw`\x60(?<two>[@\p{L}_$][\p{L}\p{N}_$.:]*)(?:\(\))?\x60(?: function| method| class| struct| trait)?`;
const createWholeForm = (text: string): RegExp => new RegExp(`^${text}$`, 'u');
const extendsForm = createWholeForm(
  `${firstForm} (?:extends|inherits from|subclasses|is a subclass of|derives from) ${secondForm}`,
);
const callsForm = createWholeForm(`${firstForm} (?:calls|invokes|delegates to) ${secondForm}`);
const derivesForm = createWholeForm(`${firstForm} derives ${secondForm}`);
const decoratedForm = createWholeForm(`${firstForm} is decorated (?:with|by) ${secondForm}`);
const asyncForm = createWholeForm(`${firstForm} is an async(?:hronous)? (?:function|method)`);

export function decideHead(claim: string, source: Source): Decision | null {
  const text = claim.replace(/[.]\s*$/, '').trim();
  const extended = extendsForm.exec(text)?.groups;
  if (extended !== undefined) return decideExtends(extended, source);
  const called = callsForm.exec(text)?.groups;
  if (called !== undefined) return decideCalls(called, source);
  const marked = derivesForm.exec(text)?.groups ?? decoratedForm.exec(text)?.groups;
  if (marked !== undefined) return decideMark(marked, source);
  const asyncGroups = asyncForm.exec(text)?.groups;
  const definition = asyncGroups === undefined ? null : findOnlyDefinition(asyncGroups['one']!, source);
  return definition !== null && /\basync\b/.test(definition.head) ? { verdict: 'shown' } : null;
}

const findOnlyDefinition = (name: string, source: Source): Definition | null => {
  const found = findDefinitions(name.split('.').at(-1)!, source);
  return found.length === 1 ? found[0]! : null;
};

function decideExtends({ one: first = '', two: second = '' }: Groups, source: Source): Decision | null {
  const [a, b] = [first.split('.').at(-1)!, second.split('.').at(-1)!];
  const head = findOnlyDefinition(second, source)?.head;
  const ownHead = findOnlyDefinition(first, source)?.head ?? '';
  return a !== b && head !== undefined && isBase(a, head) && !hasName(ownHead, b)
    ? { verdict: 'contradicted', why: `The lines have it the other way: "${b}" extends "${a}".` }
    : null;
}

type Groups = Record<string, string | undefined>;

/** Contradicts the claim if the lines contain both definitions, and only the second calls the first. */
function decideCalls({ one: first = '', two: second = '' }: Groups, source: Source): Decision | null {
  const [own, other] = [findOnlyDefinition(first, source), findOnlyDefinition(second, source)];
  const [a, b] = [first.split('.').at(-1)!, second.split('.').at(-1)!];
  if (own === null || other === null || a === b || !own.isWhole || !isCalledIn(a, other, source)) return null;
  if (own.segments.some((at) => hasName(source.segments[at]!.text, b))) return null;
  return { verdict: 'contradicted', why: `The lines have it the other way: "${b}" calls "${a}".` };
}

const hasName = (text: string, name: string): boolean =>
  new RegExp(`(?<![\\p{L}\\p{N}_$])${RegExp.escape(name)}(?![\\p{L}\\p{N}_$])`, 'iu').test(text);

const isBase = (name: string, head: string): boolean =>
  /\b(?:class|interface|struct)\b/.test(head) && hasName(head, name);

const isCalledIn = (name: string, { segments }: Definition, source: Source): boolean =>
  segments.slice(1).some((at) => {
    const { text, isCode } = source.segments[at]!;
    return isCode && new RegExp(`(?<![\\p{L}\\p{N}_$])${RegExp.escape(name)}\\(`, 'u').test(text);
  });

/** Decides a claim about an attribute or decorator above a definition: `#[derive(Debug)]`, `@contextmanager`. */
function decideMark({ one: name = '', two: mark = '' }: Groups, source: Source): Decision | null {
  const at = findOnlyDefinition(name, source)?.segments[0];
  if (at === undefined) return null;
  for (let above = at - 1; above >= 0; above -= 1) {
    const { text, isCode } = source.segments[above]!;
    const isMark = /^\s*(?:@|#\[)/.test(text);
    if (isCode && !isMark) return null;
    if (isMark && hasName(text, mark.replace(/^@/, ''))) return { verdict: 'shown' };
  }
  return null;
}
