/** A case, as a claim words it or as code tests it, in one form, so that both can be compared. */

import { isSameName, parseClaimName, parseCodeName } from './names.ts';
import { isSameValue, parseClaimValue, parseCodeValue, type Value } from './values.ts';

/**
 * What is asked of a thing: that it is there, that it is true, that it is empty, what it equals, of which type it is,
 * how large it is.
 */
export interface Case {
  /** The thing, by the parts of its name; of code with its owners. */
  readonly name: readonly (readonly string[])[];
  readonly kind: 'set' | 'true' | 'null' | 'empty' | 'equal' | 'type' | 'above' | 'below' | 'from' | 'upto';
  readonly value?: Value;
  readonly isPositive: boolean;
}

const word = String.raw`[\p{L}_][\p{L}\p{N}_-]*`;
const name = String.raw`(?:the |its |an? )?(?<name>\x60[^\x60]+\x60|${word}(?: ${word}){0,2}?)`;
const is = '(?:is|are|was|were|has been)(?: already| still| currently)?';
const given = '(?:set|given|passed|provided|present|defined)';
const literal = String.raw`(?<value>\x60[^\x60]+\x60|"[^"]*"|-?\d+(?:\.\d+)?|zero)`;
const none = String.raw`\x60?(?:None|nil|null|undefined)\x60?`;
const type = String.raw`\x60?(?<type>${word})\x60?`;
const more = '(?:exceeds|(?:is|are) (?:greater|more|larger|higher|bigger) than|is above|is over)';

/** Ways to say a case, what is asked in it, and whether it is said that it is so. */
const shapes = (
  [
    [`there (?:is|are) no ${name}`, 'set', false],
    [`there (?:is|are)(?: an?| any| some)? ${name}`, 'set', true],
    [`no ${name} ${is} (?:${given}|there|found)`, 'set', false],
    [`${name} ${is} not ${given}`, 'set', false],
    [`${name} ${is} ${given}`, 'set', true],
    [`${name} ${is} (?:missing|absent|unset)`, 'set', false],
    [`${name} (?:${is}|returns) (?:[Tt]rue|truthy)`, 'true', true],
    [`${name} (?:${is}|returns) (?:[Ff]alse|falsy)`, 'true', false],
    [`${name} (?:${is}) (?:not enabled|disabled)`, 'true', false],
    [`${name} ${is} enabled`, 'true', true],
    [`${name} ${is} not ${none}`, 'null', false],
    [`${name} ${is} ${none}`, 'null', true],
    [`${name} ${is} not empty`, 'empty', false],
    [`${name} ${is} empty`, 'empty', true],
    [`${name} (?:${is} not an?|${is} no|isn't an?) ${type}`, 'type', false],
    [`${name} ${is} an? ${type}`, 'type', true],
    [`${name} ${is} not negative`, 'below', false],
    [`${name} ${is} not positive`, 'above', false],
    [`${name} ${is} not (?:greater|more|larger|higher) than (?:the )?(?<value>.+)`, 'above', false],
    [`${name} ${is} negative`, 'below', true],
    [`${name} ${is} positive`, 'above', true],
    [`${name} ${more} (?:the )?(?<value>.+)`, 'above', true],
    [`${name} ${is} (?:less|smaller|lower|fewer) than (?:the )?(?<value>.+)`, 'below', true],
    [`${name} ${is} at least (?:the )?(?<value>.+)`, 'from', true],
    [`${name} ${is} at most (?:the )?(?<value>.+)`, 'upto', true],
    [`${name} ${is} not (?:equal to )?${literal}`, 'equal', false],
    [`${name} (?:equals|${is}(?: equal to)?) ${literal}`, 'equal', true],
  ] as const
).map(([text, kind, isPositive]) => ({ form: new RegExp(`^${text}$`, 'u'), kind, isPositive }));

/** `the signal is aborted`: `signal.aborted`. */
const adjective = new RegExp(`^${name} ${is}(?<not> not(?: already)?)? (?<word>\\p{L}+)$`, 'u');

export function parseClaimCase(said: string): Case | null {
  const text = said.trim();
  if (/^(?:it|they|this|that|one|any|all|each|every|some)\b/i.test(text)) return null;
  for (const { form, kind, isPositive } of shapes) {
    const groups = form.exec(text)?.groups;
    if (groups === undefined) continue;
    const path = parseClaimName(groups['name']!);
    if (path === null) return null;
    const value =
      groups['type'] !== undefined
        ? createTypeValue(groups['type'])
        : kind === 'above' || kind === 'below'
          ? parseClaimValue(groups['value'] ?? '0')
          : groups['value'] === undefined
            ? undefined
            : parseClaimValue(groups['value']);
    if (value === null) return null;
    return { name: path, kind, isPositive, ...(value !== undefined && { value }) };
  }
  const groups = adjective.exec(text)?.groups;
  if (groups === undefined || !/(?:ed|en|ive|ly|le|y|al|id)$/.test(groups['word']!)) return null;
  const path = parseClaimName(groups['name']!);
  return path === null
    ? null
    : {
        name: [...path, [groups['word']!.toLowerCase()]],
        kind: 'true',
        isPositive: groups['not'] === undefined,
      };
}

const createTypeValue = (text: string): Value => ({
  kind: 'name',
  text:
    ({ bool: 'boolean', str: 'string', dict: 'object', int: 'number' } as Record<string, string>)[
      text.toLowerCase()
    ] ?? text,
});

const nothing = '(?:null|NULL|nil|None|undefined|nullptr)';
const path = String.raw`[!\p{L}_$@(][\p{L}\p{N}_$.@()?:>#-]*`;

/** One test of code, without `and` or `or`; null for one of another form. */
export function parseCodeCase(test: string): Case | null {
  let text = dropBrackets(test.replace(/\s(?:\/\/|#\s).*$/u, '').replace(/\s*[{:]\s*$/u, ''));
  let isPositive = true;
  for (;;) {
    const bare = /^(?:!(?!=)|not\s+)\s*(?<rest>.+)$/u.exec(text)?.groups?.['rest'];
    if (bare === undefined) break;
    if (/\s(?:[=!]==?|is|in|[<>]=?)\s/.test(bare) && !/^\(/.test(bare)) return null;
    text = dropBrackets(bare);
    isPositive = !isPositive;
  }
  const make = (name: string, kind: Case['kind'], positive: boolean, value?: Value): Case | null => {
    const parts = parseCodeName(name);
    return parts === null
      ? null
      : { name: parts, kind, isPositive: positive === isPositive, ...(value && { value }) };
  };
  const size = new RegExp(
    `^(?:len\\((?<of>${path})\\)|(?<name>${path})\\.(?:length|size|len\\(\\)|size\\(\\)|count))\\s*(?<sign>===?|>|!==?|<|>=)\\s*(?<value>[01])$`,
    'u',
  ).exec(text)?.groups;
  if (size !== undefined) {
    const asked = `${size['sign']!.slice(0, 2)}${size['value']}`;
    const isEmpty = asked === '==0' || asked === '<1';
    return isEmpty || asked === '>0' || asked === '!=0' || asked === '>=1'
      ? make(size['of'] ?? size['name']!, 'empty', isEmpty)
      : null;
  }
  const empty = new RegExp(
    `^(?<name>${path})\\.(?:is_empty\\(\\)|isEmpty\\(\\)|empty\\?|empty\\(\\))$`,
    'u',
  ).exec(text)?.groups;
  if (empty !== undefined) return make(empty['name']!, 'empty', true);
  const zero = new RegExp(`^(?<name>${path})\\.(?:IsZero|is_zero|isZero)\\(\\)$`, 'u').exec(text)?.groups?.[
    'name'
  ];
  if (zero !== undefined) return make(zero, 'equal', true, { kind: 'number', text: '0' });
  const type =
    /^typeof\s+(?<name>[\p{L}_$][\p{L}\p{N}_$.]*)\s*(?<sign>[=!]==?)\s*["'](?<type>\w+)["']$/u.exec(text)
      ?.groups ??
    /^isinstance\((?<name>[\p{L}_$][\p{L}\p{N}_$.]*),\s*(?<type>[\p{L}_.]+)\)$/u.exec(text)?.groups ??
    /^(?<name>[\p{L}_$][\p{L}\p{N}_$.]*)\s+instanceof\s+(?<type>[\p{L}_.]+)$/u.exec(text)?.groups;
  if (type !== undefined)
    return make(
      type['name']!,
      'type',
      type['sign']?.startsWith('!') !== true,
      createTypeValue(type['type']!),
    );
  const compared = new RegExp(
    `^(?<name>${path})\\s*(?<sign>===?|!==?|<=|>=|<|(?<!-)>|\\bis not\\b|\\bis\\b)\\s*(?<value>.+)$`,
    'u',
  ).exec(text)?.groups;
  if (compared !== undefined) {
    const { name = '', sign = '', value: other = '' } = compared;
    const isDenied = sign.startsWith('!') || sign === 'is not';
    if (new RegExp(`^${nothing}$`).test(other))
      return /[<>]/.test(sign) ? null : make(name, 'null', !isDenied);
    if (/^(?:true|True)$/.test(other)) return make(name, 'true', !isDenied);
    if (/^(?:false|False)$/.test(other)) return make(name, 'true', isDenied);
    const value = parseCodeValue(other);
    if (value === null) return null;
    const kind = ({ '<': 'below', '>': 'above', '<=': 'upto', '>=': 'from' } as const)[
      sign as '<' | '>' | '<=' | '>='
    ];
    return make(name, kind ?? 'equal', kind !== undefined || !isDenied, value);
  }
  const callable = /^callable\((?<name>[\p{L}_$][\p{L}\p{N}_$.]*)\)$/u.exec(text)?.groups?.['name'];
  if (callable !== undefined) return make(`${callable}.callable`, 'true', true);
  // A name alone asks whether it is set, or whether it is true.
  return make(text, 'set', true);
}

const dropBrackets = (test: string): string => {
  let text = test.trim();
  while (/^\([^()]*(?:\([^()]*\)[^()]*)*\)$/u.test(text)) text = text.slice(1, -1).trim();
  return text;
};

/**
 * How a test of code answers a case: true if it holds just where the case is so, false if just where it is not so, null
 * if it asks something else.
 */
export function answerCaseByTest(said: Case, tested: Case): boolean | null {
  if (!isSameName(said.name, tested.name)) return null;
  const isSame = said.isPositive === tested.isPositive;
  if (said.kind === tested.kind) {
    if (said.value === undefined || tested.value === undefined)
      return said.value === tested.value ? isSame : null;
    return isSameValue(said.value, tested.value) ? isSame : null;
  }
  const kinds = `${said.kind} ${tested.kind}`;
  // What is set is no null and, of a list, not empty.
  if (kinds === 'set null' || kinds === 'set empty' || kinds === 'empty set') return !isSame;
  if (kinds === 'true set' || kinds === 'set true') return isSame;
  const [from, to] = [opposite[said.kind], tested.kind];
  if (from === to && said.value !== undefined && tested.value !== undefined)
    return isSameValue(said.value, tested.value) ? !isSame : null;
  return null;
}

const opposite: Partial<Record<Case['kind'], Case['kind']>> = {
  ...{ above: 'upto', upto: 'above', below: 'from', from: 'below' },
};
