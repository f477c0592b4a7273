/** Parses a claim about code: one action of one definition, in one case at most. Other sentences are not parsed. */

import { type Case, parseClaimCase } from './tests.ts';
import { parseClaimValue, type Value } from './values.ts';

export type CodeAction =
  | { readonly kind: 'return'; readonly value: Value | null }
  | { readonly kind: 'raise'; readonly name: string | null; readonly message: string | null }
  | { readonly kind: 'call'; readonly name: string }
  | { readonly kind: 'set'; readonly names: readonly string[]; readonly value: Value }
  | { readonly kind: 'step'; readonly name: string; readonly by: '+' | '-' };

/** In place of the name of an error, for a claim that names none. */
export const anyError = '*';

export interface Sentence {
  /** The name of the definition; null if it names none. */
  readonly subject: string | null;
  readonly action: CodeAction;
  readonly case: Case | null;
  /** Whether it says `only`: the action is done in no other case. */
  readonly isOnly: boolean;
}

/** Two actions of one definition, the first of which is done before the second. */
export interface Order {
  readonly subject: string | null;
  readonly before: CodeAction;
  readonly after: CodeAction;
}

const connective = String.raw`(?<only>only\s)?(?<word>if|when|whenever|unless)`;
const givenForm =
  /^[Ww]ith\s(?<name>\x60[^\x60]+\x60)\s(?<how>set|unset|given|disabled|enabled|empty),\s(?<rest>.+)$/u;
const caseInFront = new RegExp(`^${connective}\\s(?<test>[^,]+?),\\s(?:then\\s)?(?<rest>.+)$`, 'iu');
const caseBehind = new RegExp(`^(?<rest>.+?),?\\s${connective}\\s(?<test>[^,;]+)$`, 'iu');

export function parseSentence(claim: string): Sentence | null {
  const text = claim.replace(/[.]\s*$/, '').trim();
  const givenGroups = givenForm.exec(text)?.groups;
  if (givenGroups !== undefined)
    return parseSentence(`If ${givenGroups['name']!} is ${givenGroups['how']!}, ${givenGroups['rest']!}`);
  const match = caseInFront.exec(text) ?? caseBehind.exec(text);
  const { only, word = '', test, rest = text } = match?.groups ?? {};
  const subjectAction = parseSubjectAction(rest);
  // In `calls it only if it is set`, the second `it` is what is called.
  const caseText =
    subjectAction?.action.kind === 'call'
      ? test?.replace(/^it\s/, `\`${subjectAction.action.name}\` `)
      : test;
  const said = caseText === undefined ? null : parseClaimCase(caseText);
  if (caseText !== undefined && said === null) return null;
  return subjectAction === null
    ? null
    : {
        ...subjectAction,
        case: said !== null && /unless/i.test(word) ? { ...said, isPositive: !said.isPositive } : said,
        isOnly: only !== undefined,
      };
}

const orderForm = /^(?<one>.+?),?\s(?<word>before|after)\s(?<two>.+)$/iu;

export function parseOrder(claim: string): Order | null {
  const text = claim.replace(/[.]\s*$/, '').trim();
  const match = orderForm.exec(text);
  if (match === null || /\b(?:if|when|whenever|unless|before|after)\b/i.test(match.groups!['two']!))
    return null;
  const { one = '', word = '', two = '' } = match.groups!;
  const first = parseSubjectAction(one);
  if (first === null) return null;
  const calledName = /^\x60(?<name>[^\x60]+)\x60$/u.exec(two)?.groups?.['name'];
  const second =
    calledName !== undefined && first.action.kind === 'call'
      ? ({ kind: 'call', name: calledName } as const)
      : parseAction(
          two
            .replace(/^it\s/, '')
            .replace(
              /^(?<verb>call|invok|runn?|sett?|increment|decrement|return|rais|throw)ing\b/,
              '$<verb>s',
            ),
        );
  if (second === null) return null;
  return word.toLowerCase() === 'before'
    ? { subject: first.subject, before: first.action, after: second }
    : { subject: first.subject, before: second, after: first.action };
}

const subjectForm =
  /^(?:In\s)?(?:[Tt]he\s)?(?:(?:function|method|class|constructor)\s)?\x60?(?<name>[\p{L}_$#@][\p{L}\p{N}_$.:#]*[!?]?)(?:\(\))?\x60?(?:\s(?:function|method|class|helper|constructor))?,?\s(?:it\s)?(?<rest>.+)$/u;

function parseSubjectAction(text: string): Pick<Sentence, 'subject' | 'action'> | null {
  const passive = parsePassive(text);
  if (passive !== null) return { subject: null, action: passive };
  const subjectGroups = subjectForm.exec(text)?.groups;
  if (subjectGroups === undefined) return null;
  const action = parseAction(
    subjectGroups['rest']!.replace(/^(?:then|also|just|simply|immediately|directly|internally)\s/, ''),
  );
  if (action === null) return null;
  return { subject: /^it$/i.test(subjectGroups['name']!) ? null : subjectGroups['name']!, action };
}

const codeForm = String.raw`\x60(?<code>[^\x60]+)\x60`;
const mannerForm = String.raw`(?:\s(?:immediately|directly|at once|right away))?`;
const callForm = new RegExp(
  `^(?:calls?|invokes?|runs?|executes?|delegates\\sto)\\s(?:the\\s)?(?:${codeForm}|(?<name>[\\p{L}_$][\\p{L}\\p{N}_$.]*\\(\\)|[\\p{L}\\p{N}$]*(?:_|\\p{Ll}\\p{Lu})[\\p{L}\\p{N}_$.]*))(?:\\s(?:function|method|callback|helper))?${mannerForm}$`,
  'u',
);
const raiseForm = new RegExp(
  `^(?:throws?|raises?|fails\\swith|panics\\swith)\\s(?:an?\\s|the\\s)?(?:${codeForm}|(?<name>\\p{Lu}[\\p{L}\\p{N}_.]*(?:Error|Exception)))(?:\\s(?:error|exception))?${mannerForm}$`,
  'u',
);
const returnForm = new RegExp(`^returns\\s(?<value>.+?)${mannerForm}$`, 'u');
const assignForm = /^(?:sets?|resets?|assigns?)\s(?<names>.+?)\s(?:back\s)?to\s(?<value>.+?)$/u;
const stepForm = new RegExp(
  `^(?<verb>increments?|increases?|decrements?|decreases?)\\s(?:the\\s)?(?:${codeForm}|(?<name>[\\p{L}_][\\p{L}\\p{N}_.]*))(?:\\sby\\s(?:one|1))?$`,
  'u',
);

function parseAction(text: string): CodeAction | null {
  if (/^returns?\searly$/.test(text) || /^does\snothing$/.test(text)) return { kind: 'return', value: null };
  const value = returnForm.exec(text)?.groups?.['value'];
  if (value !== undefined) {
    const said = parseClaimValue(value);
    return said === null ? null : { kind: 'return', value: said };
  }
  if (/^(?:throws|raises)\san\s(?:error|exception)$/.test(text))
    return { kind: 'raise', name: anyError, message: null };
  const error = raiseForm.exec(text)?.groups;
  if (error !== undefined) return createRaise(error['code'] ?? error['name']!);
  if (/^panics$/.test(text)) return { kind: 'raise', name: null, message: null };
  const message = /^panics\swith\s(?:the\smessage\s)?["\x60](?<message>[^"\x60]+)["\x60]$/u.exec(text)
    ?.groups?.['message'];
  if (message !== undefined) return { kind: 'raise', name: null, message };
  const call = callForm.exec(text)?.groups;
  if (call !== undefined) {
    const name = (call['code'] ?? call['name']!).replace(/\(\)$/, '');
    return isPlainPath(name) ? { kind: 'call', name } : null;
  }
  const set = assignForm.exec(text)?.groups;
  if (set !== undefined) return createSet(set['names']!, set['value']!);
  const step = stepForm.exec(text)?.groups;
  if (step !== undefined)
    return {
      kind: 'step',
      name: step['code'] ?? step['name']!,
      by: step['verb']!.startsWith('in') ? '+' : '-',
    };
  return null;
}

const isPlainPath = (name: string): boolean => /^[\p{L}_$#@][\p{L}\p{N}_$#.:>-]*[!?]?$/u.test(name);

const createRaise = (name: string): CodeAction | null =>
  /^[\p{L}_][\p{L}\p{N}_.]*$/u.test(name) ? { kind: 'raise', name, message: null } : null;

function createSet(names: string, value: string): CodeAction | null {
  const all = names
    .split(/,\s(?:and\s)?|\s(?:and|both)\s/u)
    .map((name) => name.replace(/^(?:both\s)?(?:the\s)?/u, ''));
  const said = parseClaimValue(value);
  return said === null || all.some((name) => !/^(?:\x60[^\x60]+\x60|[\p{L}_][\p{L}\p{N}_.]*)$/u.test(name))
    ? null
    : { kind: 'set', names: all.map((name) => name.replaceAll('`', '')), value: said };
}

const passiveForms: readonly (readonly [
  RegExp,
  (groups: Record<string, string | undefined>) => CodeAction | null,
])[] = [
  [
    /^(?:[Aa]n?\s|[Tt]he\s)?(?:\x60(?<code>[^\x60]+)\x60|(?<name>\p{Lu}[\p{L}\p{N}_.]*(?:Error|Exception)))\sis\s(?:thrown|raised)$/u,
    ({ code: name, name: plain }) => createRaise(name ?? plain!),
  ],
  [
    /^(?<value>\x60[^\x60]+\x60|[Aa]n empty \p{L}+|[Tt]he [\p{L}\p{N}_]+|None|nil|null|undefined|[Tt]rue|[Ff]alse|\d+)\sis\sreturned$/u,
    ({ value }) => {
      const said = parseClaimValue(value!.replace(/^(?:An|The)\b/, (word) => word.toLowerCase()));
      return said === null ? null : { kind: 'return', value: said };
    },
  ],
  [
    /^(?<names>\x60[^\x60]+\x60)\sis\s(?:set|reset)\s(?:back\s)?to\s(?<value>.+)$/u,
    ({ names, value }) => createSet(names!, value!),
  ],
  [
    /^\x60(?<code>[^\x60]+)\x60\sis\s(?:called|invoked|run)$/u,
    ({ code: name }) =>
      isPlainPath(name!.replace(/\(\)$/, '')) ? { kind: 'call', name: name!.replace(/\(\)$/, '') } : null,
  ],
];

function parsePassive(text: string): CodeAction | null {
  for (const [form, make] of passiveForms) {
    const groups = form.exec(text)?.groups;
    if (groups !== undefined) return make(groups);
  }
  return null;
}
