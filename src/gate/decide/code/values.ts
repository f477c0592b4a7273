/** Parses and compares values as claims and code write them: literals, empty lists, names. */

import { removeSpaces } from '../../words/normal.ts';
import { isSameName, parseClaimName, parseCodeName } from './names.ts';

export interface Value {
  readonly kind: 'nothing' | 'truth' | 'number' | 'text' | 'list' | 'map' | 'set' | 'self' | 'name' | 'code';
  readonly text: string;
}

const numberWords: Readonly<Record<string, string>> = { zero: '0', one: '1', two: '2', three: '3' };

/** A value that a claim names; null for what could mean several. */
export function parseClaimValue(said: string): Value | null {
  const text = said.trim().replace(/^(?:a value of|the value)\s/, '');
  const code = /^(?:the |an? )?`(?<code>[^`]+)`(?: itself)?$/u.exec(text)?.groups?.['code'];
  if (code !== undefined) return parseCodeValue(code);
  const literal = /^(?:None|null|nil|undefined|[Tt]rue|[Ff]alse|-?\d+(?:\.\d+)?|"[^"]*"|'[^']*')$/.test(text)
    ? parseCodeValue(text)
    : null;
  if (literal !== null) return literal;
  if (numberWords[text] !== undefined) return { kind: 'number', text: numberWords[text] };
  const empty =
    /^an empty (?<what>list|array|slice|dict|dictionary|map|object|hash|set|string|text|vector|vec)$/i.exec(
      text,
    )?.groups?.['what'];
  if (empty !== undefined) return createEmpty(empty.toLowerCase());
  const named = /^(?:the|its)\s(?<name>[\p{L}\p{N}_]+(?:\s[\p{L}\p{N}_]+)?)$/u.exec(text)?.groups?.['name'];
  return named !== undefined && parseClaimName(named) !== null ? { kind: 'name', text: named } : null;
}

const createEmpty = (what: string): Value =>
  /^(?:list|array|slice|vec|vector)$/.test(what)
    ? { kind: 'list', text: '' }
    : what === 'set'
      ? { kind: 'set', text: '' }
      : /^(?:string|text)$/.test(what)
        ? { kind: 'text', text: '' }
        : { kind: 'map', text: '' };

const literals: readonly (readonly [RegExp, Value['kind']])[] = [
  [/^(?:None|null|NULL|nil|undefined|nullptr)$/, 'nothing'],
  [/^(?:true|false|True|False)$/, 'truth'],
  [/^(?:\$?this|self)$/, 'self'],
  [/^[-+]?\d[\d_]*(?:\.\d+)?$/, 'number'],
  [/^(?:"[^"]*"|'[^']*'|`[^`$]*`)$/, 'text'],
  [/^(?:\[\]|list\(\)|new Array\(\)|Vec::new\(\)|vec!\[\]|\[\]\w+\{\})$/, 'list'],
  [/^(?:\{\}|dict\(\)|new Map\(\)|HashMap::new\(\)|map\[\w+\]\w+\{\})$/, 'map'],
  [/^(?:set\(\)|new Set\(\)|HashSet::new\(\))$/, 'set'],
];

export function parseCodeValue(code: string): Value | null {
  const text = code.trim().replace(/;$/, '').trim();
  for (const [form, kind] of literals)
    if (form.test(text))
      return {
        kind,
        text:
          kind === 'truth'
            ? text.toLowerCase()
            : kind === 'number'
              ? String(Number(text.replaceAll('_', '')))
              : kind === 'text'
                ? text.slice(1, -1)
                : kind === 'nothing'
                  ? text
                  : '',
      };
  if (text === '') return null;
  return parseCodeName(text) !== null && !/\(/.test(text) ? { kind: 'name', text } : { kind: 'code', text };
}

export function isSameValue(one: Value, other: Value): boolean {
  if (one.kind === 'code' || other.kind === 'code')
    return removeSpaces(one.text) === removeSpaces(other.text);
  if (one.kind !== other.kind) return false;
  if (one.kind !== 'name') return one.text === other.text;
  const [said, code] = [parseClaimName(one.text) ?? parseCodeName(one.text), parseCodeName(other.text)];
  return said !== null && code !== null && isSameName(said, code);
}

/** Whether two values are certainly different: both are literals. A name may have any value. */
export const isOtherValue = (one: Value, other: Value): boolean =>
  one.kind !== 'name' &&
  one.kind !== 'code' &&
  other.kind !== 'name' &&
  other.kind !== 'code' &&
  !(one.kind === 'nothing' && other.kind === 'nothing') &&
  !isSameValue(one, other);
