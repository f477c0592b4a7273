/** Parses cases, as claims word them and as code tests them, into one form, to compare them. */

import { isSameName, parseClaimName, parseCodeName } from './names.ts';
import { isSameValue, parseClaimValue, parseCodeValue, type Value } from './values.ts';

/**
 * A condition on one thing: that it is set, true, null or empty, what it equals, its type, or a bound.
 */
export interface Case {
  /** The name of the thing, each name split into parts; in code with its owners. */
  readonly name: readonly (readonly string[])[];
  readonly kind: 'set' | 'true' | 'null' | 'empty' | 'equal' | 'type' | 'above' | 'below' | 'from' | 'upto';
  readonly value?: Value;
  readonly isPositive: boolean;
}

const wordForm = String.raw`[\p{L}_][\p{L}\p{N}_-]*`;
const nameForm = String.raw`(?:the |its |an? )?(?<name>\x60[^\x60]+\x60|${wordForm}(?: ${wordForm}){0,2}?)`;
const isForm = '(?:is|are|was|were|has been)(?: already| still| currently)?';
const givenForm = '(?:set|given|passed|provided|present|defined)';
const literalForm = String.raw`(?<value>\x60[^\x60]+\x60|"[^"]*"|-?\d+(?:\.\d+)?|zero)`;
const noneForm = String.raw`\x60?(?:None|nil|null|undefined)\x60?`;
const typeForm = String.raw`\x60?(?<type>${wordForm})\x60?`;
const moreForm = '(?:exceeds|(?:is|are) (?:greater|more|larger|higher|bigger) than|is above|is over)';

/** Wordings of a case, with its kind, and whether it is stated positively. */
const caseForms = (
  [
    [`there (?:is|are) no ${nameForm}`, 'set', false],
    [`there (?:is|are)(?: an?| any| some)? ${nameForm}`, 'set', true],
    [`no ${nameForm} ${isForm} (?:${givenForm}|there|found)`, 'set', false],
    [`${nameForm} ${isForm} not ${givenForm}`, 'set', false],
    [`${nameForm} ${isForm} ${givenForm}`, 'set', true],
    [`${nameForm} ${isForm} (?:missing|absent|unset)`, 'set', false],
    [`${nameForm} (?:${isForm}|returns) (?:[Tt]rue|truthy)`, 'true', true],
    [`${nameForm} (?:${isForm}|returns) (?:[Ff]alse|falsy)`, 'true', false],
    [`${nameForm} (?:${isForm}) (?:not enabled|disabled)`, 'true', false],
    [`${nameForm} ${isForm} enabled`, 'true', true],
    [`${nameForm} ${isForm} not ${noneForm}`, 'null', false],
    [`${nameForm} ${isForm} ${noneForm}`, 'null', true],
    [`${nameForm} ${isForm} not empty`, 'empty', false],
    [`${nameForm} ${isForm} empty`, 'empty', true],
    [`${nameForm} (?:${isForm} not an?|${isForm} no|isn't an?) ${typeForm}`, 'type', false],
    [`${nameForm} ${isForm} an? ${typeForm}`, 'type', true],
    [`${nameForm} ${isForm} not negative`, 'below', false],
    [`${nameForm} ${isForm} not positive`, 'above', false],
    [`${nameForm} ${isForm} not (?:greater|more|larger|higher) than (?:the )?(?<value>.+)`, 'above', false],
    [`${nameForm} ${isForm} negative`, 'below', true],
    [`${nameForm} ${isForm} positive`, 'above', true],
    [`${nameForm} ${moreForm} (?:the )?(?<value>.+)`, 'above', true],
    [`${nameForm} ${isForm} (?:less|smaller|lower|fewer) than (?:the )?(?<value>.+)`, 'below', true],
    [`${nameForm} ${isForm} at least (?:the )?(?<value>.+)`, 'from', true],
    [`${nameForm} ${isForm} at most (?:the )?(?<value>.+)`, 'upto', true],
    [`${nameForm} ${isForm} not (?:equal to )?${literalForm}`, 'equal', false],
    [`${nameForm} (?:equals|${isForm}(?: equal to)?) ${literalForm}`, 'equal', true],
  ] as const
).map(([text, kind, isPositive]) => ({ form: new RegExp(`^${text}$`, 'u'), kind, isPositive }));

/** `the signal is aborted`: `signal.aborted`. */
const adjectiveForm = new RegExp(`^${nameForm} ${isForm}(?<not> not(?: already)?)? (?<word>\\p{L}+)$`, 'u');

export function parseClaimCase(said: string): Case | null {
  const text = said.trim();
  if (/^(?:it|they|this|that|one|any|all|each|every|some)\b/i.test(text)) return null;
  for (const { form, kind, isPositive } of caseForms) {
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
  const groups = adjectiveForm.exec(text)?.groups;
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

const nothingForm = '(?:null|NULL|nil|None|undefined|nullptr)';
const pathForm = String.raw`[!\p{L}_$@(][\p{L}\p{N}_$.@()?:>#-]*`;

/** Parses one test of code, without `and` or `or`; null if its form is not known. */
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
  const createCase = (name: string, kind: Case['kind'], positive: boolean, value?: Value): Case | null => {
    const parts = parseCodeName(name);
    return parts === null
      ? null
      : { name: parts, kind, isPositive: positive === isPositive, ...(value && { value }) };
  };
  const sizeGroups = new RegExp(
    `^(?:len\\((?<of>${pathForm})\\)|(?<name>${pathForm})\\.(?:length|size|len\\(\\)|size\\(\\)|count))\\s*(?<sign>===?|>|!==?|<|>=)\\s*(?<value>[01])$`,
    'u',
  ).exec(text)?.groups;
  if (sizeGroups !== undefined) {
    const asked = `${sizeGroups['sign']!.slice(0, 2)}${sizeGroups['value']}`;
    const isEmpty = asked === '==0' || asked === '<1';
    return isEmpty || asked === '>0' || asked === '!=0' || asked === '>=1'
      ? createCase(sizeGroups['of'] ?? sizeGroups['name']!, 'empty', isEmpty)
      : null;
  }
  const emptyGroups = new RegExp(
    `^(?<name>${pathForm})\\.(?:is_empty\\(\\)|isEmpty\\(\\)|empty\\?|empty\\(\\))$`,
    'u',
  ).exec(text)?.groups;
  if (emptyGroups !== undefined) return createCase(emptyGroups['name']!, 'empty', true);
  const zeroName = new RegExp(`^(?<name>${pathForm})\\.(?:IsZero|is_zero|isZero)\\(\\)$`, 'u').exec(text)
    ?.groups?.['name'];
  if (zeroName !== undefined) return createCase(zeroName, 'equal', true, { kind: 'number', text: '0' });
  const typeGroups =
    /^typeof\s+(?<name>[\p{L}_$][\p{L}\p{N}_$.]*)\s*(?<sign>[=!]==?)\s*["'](?<type>\w+)["']$/u.exec(text)
      ?.groups ??
    /^isinstance\((?<name>[\p{L}_$][\p{L}\p{N}_$.]*),\s*(?<type>[\p{L}_.]+)\)$/u.exec(text)?.groups ??
    /^(?<name>[\p{L}_$][\p{L}\p{N}_$.]*)\s+instanceof\s+(?<type>[\p{L}_.]+)$/u.exec(text)?.groups;
  if (typeGroups !== undefined)
    return createCase(
      typeGroups['name']!,
      'type',
      typeGroups['sign']?.startsWith('!') !== true,
      createTypeValue(typeGroups['type']!),
    );
  const comparisonGroups = new RegExp(
    `^(?<name>${pathForm})\\s*(?<sign>===?|!==?|<=|>=|<|(?<!-)>|\\bis not\\b|\\bis\\b)\\s*(?<value>.+)$`,
    'u',
  ).exec(text)?.groups;
  if (comparisonGroups !== undefined) {
    const { name = '', sign = '', value: other = '' } = comparisonGroups;
    const isDenied = sign.startsWith('!') || sign === 'is not';
    if (new RegExp(`^${nothingForm}$`).test(other))
      return /[<>]/.test(sign) ? null : createCase(name, 'null', !isDenied);
    if (/^(?:true|True)$/.test(other)) return createCase(name, 'true', !isDenied);
    if (/^(?:false|False)$/.test(other)) return createCase(name, 'true', isDenied);
    const value = parseCodeValue(other);
    if (value === null) return null;
    const kind = ({ '<': 'below', '>': 'above', '<=': 'upto', '>=': 'from' } as const)[
      sign as '<' | '>' | '<=' | '>='
    ];
    return createCase(name, kind ?? 'equal', kind !== undefined || !isDenied, value);
  }
  const callable = /^callable\((?<name>[\p{L}_$][\p{L}\p{N}_$.]*)\)$/u.exec(text)?.groups?.['name'];
  if (callable !== undefined) return createCase(`${callable}.callable`, 'true', true);
  // A name alone tests whether it is set or true.
  return createCase(text, 'set', true);
}

const dropBrackets = (test: string): string => {
  let text = test.trim();
  while (/^\([^()]*(?:\([^()]*\)[^()]*)*\)$/u.test(text)) text = text.slice(1, -1).trim();
  return text;
};

/**
 * Compares a test with a case: true if the test passes exactly in that case, false if it passes exactly otherwise, null
 * if it tests something else.
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
  // What is set is not null, and a set list is not empty.
  if (kinds === 'set null' || kinds === 'set empty' || kinds === 'empty set') return !isSame;
  if (kinds === 'true set' || kinds === 'set true') return isSame;
  const [from, to] = [oppositeKinds[said.kind], tested.kind];
  if (from === to && said.value !== undefined && tested.value !== undefined)
    return isSameValue(said.value, tested.value) ? !isSame : null;
  return null;
}

const oppositeKinds: Partial<Record<Case['kind'], Case['kind']>> = {
  ...{ above: 'upto', upto: 'above', below: 'from', from: 'below' },
};
