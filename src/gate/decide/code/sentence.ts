/** A claim about code as one action, in one case, of one definition. A sentence of any other form is none. */

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
  /** Whether it says that this is done in no other case. */
  readonly isOnly: boolean;
}

/** Two actions of one definition, the first of which is done before the second. */
export interface Order {
  readonly subject: string | null;
  readonly before: CodeAction;
  readonly after: CodeAction;
}

const connective = String.raw`(?<only>only\s)?(?<word>if|when|whenever|unless)`;
const given =
  /^[Ww]ith\s(?<name>\x60[^\x60]+\x60)\s(?<how>set|unset|given|disabled|enabled|empty),\s(?<rest>.+)$/u;
const fronted = new RegExp(`^${connective}\\s(?<test>[^,]+?),\\s(?:then\\s)?(?<rest>.+)$`, 'iu');
const behind = new RegExp(`^(?<rest>.+?),?\\s${connective}\\s(?<test>[^,;]+)$`, 'iu');

export function parseSentence(claim: string): Sentence | null {
  const text = claim.replace(/[.]\s*$/, '').trim();
  const set = given.exec(text)?.groups;
  if (set !== undefined) return parseSentence(`If ${set['name']!} is ${set['how']!}, ${set['rest']!}`);
  const match = fronted.exec(text) ?? behind.exec(text);
  const { only, word = '', test, rest = text } = match?.groups ?? {};
  const done = parseSubjectAction(rest);
  // `calls it only if it is set`: what is called.
  const about = done?.action.kind === 'call' ? test?.replace(/^it\s/, `\`${done.action.name}\` `) : test;
  const said = about === undefined ? null : parseClaimCase(about);
  if (about !== undefined && said === null) return null;
  return done === null
    ? null
    : {
        ...done,
        case: said !== null && /unless/i.test(word) ? { ...said, isPositive: !said.isPositive } : said,
        isOnly: only !== undefined,
      };
}

const ordered = /^(?<one>.+?),?\s(?<word>before|after)\s(?<two>.+)$/iu;

export function parseOrder(claim: string): Order | null {
  const text = claim.replace(/[.]\s*$/, '').trim();
  const match = ordered.exec(text);
  if (match === null || /\b(?:if|when|whenever|unless|before|after)\b/i.test(match.groups!['two']!))
    return null;
  const { one = '', word = '', two = '' } = match.groups!;
  const first = parseSubjectAction(one);
  if (first === null) return null;
  const called = /^\x60(?<name>[^\x60]+)\x60$/u.exec(two)?.groups?.['name'];
  const second =
    called !== undefined && first.action.kind === 'call'
      ? ({ kind: 'call', name: called } as const)
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

const subject =
  /^(?:In\s)?(?:[Tt]he\s)?(?:(?:function|method|class|constructor)\s)?\x60?(?<name>[\p{L}_$#@][\p{L}\p{N}_$.:#]*[!?]?)(?:\(\))?\x60?(?:\s(?:function|method|class|helper|constructor))?,?\s(?:it\s)?(?<rest>.+)$/u;

function parseSubjectAction(text: string): Pick<Sentence, 'subject' | 'action'> | null {
  const passive = parsePassive(text);
  if (passive !== null) return { subject: null, action: passive };
  const own = subject.exec(text)?.groups;
  if (own === undefined) return null;
  const action = parseAction(
    own['rest']!.replace(/^(?:then|also|just|simply|immediately|directly|internally)\s/, ''),
  );
  if (action === null) return null;
  return { subject: /^it$/i.test(own['name']!) ? null : own['name']!, action };
}

const code = String.raw`\x60(?<code>[^\x60]+)\x60`;
const manner = String.raw`(?:\s(?:immediately|directly|at once|right away))?`;
const called = new RegExp(
  `^(?:calls?|invokes?|runs?|executes?|delegates\\sto)\\s(?:the\\s)?(?:${code}|(?<name>[\\p{L}_$][\\p{L}\\p{N}_$.]*\\(\\)|[\\p{L}\\p{N}$]*(?:_|\\p{Ll}\\p{Lu})[\\p{L}\\p{N}_$.]*))(?:\\s(?:function|method|callback|helper))?${manner}$`,
  'u',
);
const raised = new RegExp(
  `^(?:throws?|raises?|fails\\swith|panics\\swith)\\s(?:an?\\s|the\\s)?(?:${code}|(?<name>\\p{Lu}[\\p{L}\\p{N}_.]*(?:Error|Exception)))(?:\\s(?:error|exception))?${manner}$`,
  'u',
);
const returned = new RegExp(`^returns\\s(?<value>.+?)${manner}$`, 'u');
const assigned = /^(?:sets?|resets?|assigns?)\s(?<names>.+?)\s(?:back\s)?to\s(?<value>.+?)$/u;
const stepped = new RegExp(
  `^(?<verb>increments?|increases?|decrements?|decreases?)\\s(?:the\\s)?(?:${code}|(?<name>[\\p{L}_][\\p{L}\\p{N}_.]*))(?:\\sby\\s(?:one|1))?$`,
  'u',
);

function parseAction(text: string): CodeAction | null {
  if (/^returns?\searly$/.test(text) || /^does\snothing$/.test(text)) return { kind: 'return', value: null };
  const value = returned.exec(text)?.groups?.['value'];
  if (value !== undefined) {
    const said = parseClaimValue(value);
    return said === null ? null : { kind: 'return', value: said };
  }
  if (/^(?:throws|raises)\san\s(?:error|exception)$/.test(text))
    return { kind: 'raise', name: anyError, message: null };
  const error = raised.exec(text)?.groups;
  if (error !== undefined) return createRaise(error['code'] ?? error['name']!);
  if (/^panics$/.test(text)) return { kind: 'raise', name: null, message: null };
  const message = /^panics\swith\s(?:the\smessage\s)?["\x60](?<message>[^"\x60]+)["\x60]$/u.exec(text)
    ?.groups?.['message'];
  if (message !== undefined) return { kind: 'raise', name: null, message };
  const call = called.exec(text)?.groups;
  if (call !== undefined) {
    const name = (call['code'] ?? call['name']!).replace(/\(\)$/, '');
    return isPlainPath(name) ? { kind: 'call', name } : null;
  }
  const set = assigned.exec(text)?.groups;
  if (set !== undefined) return createSet(set['names']!, set['value']!);
  const step = stepped.exec(text)?.groups;
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

const passives: readonly (readonly [
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
  for (const [form, make] of passives) {
    const groups = form.exec(text)?.groups;
    if (groups !== undefined) return make(groups);
  }
  return null;
}
