/** Rules for passwords made of words. The value does not look random, so the place must show that it is a password. */

import { findNamedPlace, type NamedPlace, passwords } from './named-value.ts';
import { isNameOrPlaceholder, isPlaceholder, looksRandom } from './randomness.ts';
import { patternRule, type SecretRule, type SecretSpan } from './rule.ts';

/** Whether a name ends as the name of a password. `passwordAgain` and `password_rules` name other things. */
const isPasswordName = /(?:passw(?:or[dt]|d)?|passphrase|passcode|pwd)\d?$/i;

const inQuotes = /(\\?["'`])((?:(?!\1)[^\n\\]){8,100})\1/y;
const restOfLine = /[^\s"'`\\#][^\n\r"'`\\#]{6,98}[^\s"'`\\#](?=[ \t]*(?:\r?\n|$| #))/y;
const restOfElement = /[^\n\r<>]{8,100}(?=<\/)/y;
const restOfPart = /[^\n\r;"'`\\<>]{8,100}(?=[;"'`\\])/y;

/**
 * Whether a value may be an invented password. Used only in places where nothing else than a password can be.
 */
const isInvented = (value: string): boolean => isPhrase(value) || isWord(value);

export const inventedPasswordRules: readonly SecretRule[] = [
  ...passwords.map((keyword) => ({
    kind: 'password',
    keywords: [keyword],
    find: (text: string, at: number) => findInvented(text, at, keyword),
  })),
  patternRule(
    'password',
    ['identified by'],
    /(identified by ["'])([^"'\n\\]{6,100})(?=["'])/iy,
    (value) => isInvented(value) || (looksRandom(value, true, true) && !isPlaceholder(value)),
  ),
  patternRule('password', ['bindpw'], /(bindpw[ \t]{1,20}["']?)([^\s"'`$<>{}]{8,100})/iy, isWord),
];

function findInvented(text: string, at: number, keyword: string): SecretSpan | null {
  const place = findNamedPlace(text, at, keyword);
  if (place === null || !isPasswordName.test(place.name)) return null;
  if (!place.assigned && !isSql(text, at, place.separator) && !isDefineCall(place)) return null;
  inQuotes.lastIndex = place.from;
  const quoted = inQuotes.exec(text);
  if (quoted !== null) {
    const value = quoted[2]!;
    return isInvented(value) ? spanOf(place.from + quoted[1]!.length, value) : null;
  }
  const [shape, isAccepted] = chooseUnquotedForm(text, at, place);
  shape.lastIndex = place.from;
  const value = shape.exec(text)?.[0];
  if (value === undefined || !isInvented(value) || !isAccepted(value)) return null;
  return spanOf(place.from, value);
}

/** The form of an unquoted value in this place, and whether it counts here. */
function chooseUnquotedForm(
  text: string,
  at: number,
  place: NamedPlace,
): readonly [RegExp, (value: string) => boolean] {
  if (place.separator.endsWith('>') && isElement(text, at)) return [restOfElement, () => true];
  if (place.separator.endsWith('=') && isConnection(text, at)) return [restOfPart, () => true];
  return [restOfLine, (value) => isAmongSettings(text, at, place.from, value)];
}

const spanOf = (start: number, value: string): SecretSpan => ({
  start,
  end: start + value.length,
  kind: 'password',
});

/** Whether the name is an element such as `<smtp.password>`, and not a label that names a field. */
const isElement = (text: string, at: number): boolean =>
  /<[\w.:-]*$/.test(text.slice(Math.max(0, at - 60), at));

/** Whether the name is in a connection string: `Server=db;Password=…;`. */
const isConnection = (text: string, at: number): boolean =>
  /;[ \t]?[\w .]*$/.test(text.slice(Math.max(0, at - 30), at));

/** Whether the name of a setting is next to its value: `define('DB_PASSWORD', '…')`. */
const isDefineCall = ({ name, separator }: NamedPlace): boolean =>
  /["'][ \t]?,[ \t]*$/.test(separator) && /^[A-Z][A-Z0-9]*_[A-Z0-9_]+$/.test(name);

/**
 * Whether the name is in a statement of SQL: `LOGIN PASSWORD '…'`. Without an assignment, other texts follow many
 * names.
 */
function isSql(text: string, at: number, separator: string): boolean {
  return (
    /^(?:ord)?[ \t]$/i.test(separator) &&
    /\b(?:create|alter)\s+(?:role|user|login)\b[^;]{0,150}$/i.test(text.slice(Math.max(0, at - 200), at))
  );
}

/** Words that programs and forms use when they talk about passwords, in several languages: such a value is a label. */
const labelWords =
  /passw(?:or[dt])?|passphrase|contrase|kennwort|wachtw|adgangsk|kodeord|l[oö]senord|salasan|heslo|jelsz|lozink|slapta|pasahitz|[sş]ifre|parola|parool|secret|string|plain|encry|decry|hashe?|crypt|cipher|requir|option|enable|disabl|valid|confirm|chang|reset|forgot|updat|creat|generat|random|default|config|setting|input|field|value|variab|param|attrib|column|auth|admin|user|login|logon|account|credent|verif|match|wrong|incorr|correct|strong|short|empty|blank|always|other|current|previous|sample|example|dummy|placeh|should|least|charact|digit|letter|minim|maxim|between|enter|please|contain|prompt|protect|provid|support|manag|store|keychain|vault|environ|internal|external|public|private|hidden|masked|redact|replac|insert|error|fail|success|expir|lorem|ipsum|qwert|letmein|unknown|custom|complex|simple|security|service|server|client|database|connect|access|token|base64|bcrypt|argon/i;
/** Further such words, which also count within other words. */
const moreLabelWords =
  /pass|pwd|word|char|text|form|null|none|never|weak|long|same|old|new|test|fake|mock|your|some|must|name|only|type|kind|foo|bar|baz|abcd?|asdf|hello|world|key|code|data|sha|md5|my|has[lł]o|geslo|senha|sandi|api|app|root|super|safe|good|bad/i;

const allLabelWords = new RegExp(`${labelWords.source}|${moreLabelWords.source}`, 'gi');

const stopWord =
  /(?:^|\s)(?:the|a|an|is|are|was|be|to|of|for|in|on|it|this|that|not|no|with|and|or|de|la|le|der|die|das|el|un|et|und|ist|nicht|est|pas|para|que|do|da|e|y|og|och|di|il|per|non)(?=\s|$)/i;

/**
 * Whether a value is a passphrase of several words. With a digit it is no sentence. Without one it must be exactly four
 * plain words.
 */
function isPhrase(value: string): boolean {
  if (!/^[\p{L}\d][\p{L}\p{M}\d!@#%&*+,.?'~^_ -]*$/u.test(value) || labelWords.test(value)) return false;
  const words = value.split(' ');
  if (words.some((word) => word.replace(allLabelWords, '') === '')) return false;
  if (words.length < 2 || words.length > 12 || words.includes('')) return false;
  if (/\d/.test(value)) return /\p{L}{3}/u.test(value) && !/[.:?,]$/.test(value);
  return words.length >= 4 && words.every((word) => /^[a-z]{3,}$/.test(word)) && !stopWord.test(value);
}

/**
 * Whether a value is a single word that people don't use when they talk about passwords. A capitalised one is the name
 * of a field in some language.
 */
function isWord(value: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9]{9,39}$/.test(value) || isNameOrPlaceholder(value)) return false;
  if (value.replace(allLabelWords, '').length < 8 || /^(.{2,})\1+$/i.test(value)) return false;
  return /^[a-z]+\d{0,4}$/.test(value) || /^(?:[A-Z][a-z]{2,}){2,}\d{0,4}$/.test(value);
}

/**
 * Whether a line of settings is among lines that are not code: in code an unquoted value after a name may be another
 * name.
 */
function isAmongSettings(text: string, at: number, from: number, value: string): boolean {
  const near = Math.max(0, at - 80);
  const before = /(?:^|\n)([^\n]*)$/.exec(text.slice(near, at))?.[1];
  if (before === undefined || !/^[ \t]*(?:- |export )?[\w.-]*$/.test(before)) return false;
  const begin = at - before.length;
  const separator = text.slice(at, from);
  // A colon is followed by a type, and an equals sign with spaces by a name.
  if (!/^[\w-]*=$/.test(separator) && /[A-Z]/.test(value) && !value.includes(' ')) return false;
  const above = text
    .slice(Math.max(0, begin - 300), begin)
    .split('\n')
    .slice(-4);
  const below = text
    .slice(from + value.length, from + value.length + 300)
    .split('\n')
    .slice(1, 3);
  return ![...above, ...below].some((line) =>
    /[(){};]|,\s*$|^\s*(?:def|class|if|else|import|from|return|func|let|const|var)\b/.test(line),
  );
}
