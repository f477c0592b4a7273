/** Tells a secret, such as a randomly generated value, from an example, a name or a word. */

/** Shannon's entropy of the characters, in bits per character. */
export function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** Placeholders for a secret: `<token>`, `${TOKEN}`, `xxxx`, `your-key`. */
const placeholder =
  /^[<[({]|[>\])}]$|\$\{|\$\(|\{\{|<%|%[({]|^\$\w+$|^%\w+%$|^@\w+@$|x{4}|X{4}|\*{3}|\.{3}|…|_{4}|-{4}|your|change.?me|place.?holder|redact|example|dummy|insert|replace|todo|sample|fake/i;

/**
 * Whether a value with a known prefix is only a placeholder. The prefix already marks the value as a secret, so that
 * few patterns suffice.
 */
export function isPlaceholder(secret: string): boolean {
  return new Set(secret).size < 6 || /x{5}|X{5}|\*{3}|\.{3}|your|place.?holder|change.?me/i.test(secret);
}

/** Words that people use in example values and in names of things. */
const words =
  /pass(?:word|wd|phrase|code)?|secret|token|tests?(?:ing)?|users?|admin|keys?|foo|bar|baz|my|abc+|qwerty|hello|world|mock|invalid|valid|new|old|some|values?|string|random|client|api|access|auth|name|service|account|bearer|super|temp|prod|dev|local|host|server|data|type|id|with|wrong|correct|bad|good|default|demo|root|first|second|other|config|file|path|base64|sha\d*|md5|aes|rsa|utf8|oauth2?|http|https|ssh|json|xml|html|123(?:4(?:5(?:6(?:7(?:8(?:90?)?)?)?)?)?)?/gi;

const characterClasses = { lower: /[a-z]/, upper: /[A-Z]/, digit: /\d/, sign: /[^\w\s]/ } as const;

/** Whether a value is a name or a placeholder instead of a secret: `API_KEY`, `authToken`, `app-password`, `bbbbbb`. */
export function isNameOrPlaceholder(value: string): boolean {
  if (/^[A-Z]+(?:[_-][A-Z]+)*$/.test(value) || new Set(value).size < 3) return true;
  // A name with digits, such as `admin123`, is likely a real password.
  if (characterClasses.digit.test(value)) return false;
  const rest = value.replace(words, '').replace(/[^A-Za-z0-9]/g, '');
  return /^(?:[a-z]{0,3}|[A-Z]{0,3}|app|application|domain|dsn|project|org)$/i.test(rest);
}

function countClasses(value: string): number {
  return Object.values(characterClasses).filter((one) => one.test(value)).length;
}

const structured =
  /^(?:-|\w+:\/\/|[./~\\]|[A-Z]:\\|www\.|\d+(?:\.\d+)+|\d{4}-\d\d-\d\d|#[0-9a-f]{3,8}$|\/|urn:|arn:|data:|sha\d+[:-]|SHA\d+:|md5[:-]|[\w.-]+@[\w-]+\.\w)/i;
/** Parts of code: calls, operators, patterns and placeholders of format strings. */
const codeParts =
  /[\w\])]\(|\(\)|=>|::|->|[<>]|&&|\|\||\?\w+=|\bnull\b|undefined|\\[dws]|\[\^?\w-\w|%[sdv]\b|\{\d*\}|\$\d/;

/** A name of a file. */
const fileName =
  /\.(?:ya?ml|json|toml|ini|xml|html?|css|md|txt|csv|enc|pem|key|crt|cer|conf|cfg|py|rb|js|ts|tsx|go|java|php|rs|cs|sh|sql|png|svg|jpe?g|zip|gz|lock|log)$/i;

/**
 * Whether a value is a name: words, separated or in camel case, possibly followed by short numbers. The parts must have
 * 3.4 letters on average, since random letters split into parts of two or three.
 */
function isName(value: string): boolean {
  if (/[^\w.:/@-]/.test(value) || (value.match(/\d+/g)?.length ?? 0) > 2) return false;
  const parts = value
    .split(/[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=\d)(?=[A-Za-z])/)
    .filter(Boolean);
  const letters = value.replace(/[^A-Za-z]/g, '').length;
  return (
    letters / parts.length >= 3.4 &&
    parts.every((part) => /^(?:[A-Za-z][a-z]*|[A-Z]+)?\d{0,4}$/.test(part) && part.length < 24)
  );
}

/**
 * Whether a value at the place of a secret looks like one: it has letters and digits, is no name, path or placeholder,
 * and what remains without its common words is long and varied. `isPassword`: it may be a password, which is shorter,
 * since people invent passwords. `isInvented`: only passwords occur at its place, so a password may also consist of
 * words.
 */
export function looksRandom(value: string, isPassword: boolean, isInvented = false): boolean {
  const { length } = value;
  if (length < 8 || length > 512 || /\s/.test(value)) return false;
  if (!characterClasses.digit.test(value) || !/[A-Za-z]/.test(value)) return false;
  const isSurelyRandom = length >= 32 && countClasses(value) >= 3 && entropy(value) >= 4;
  if (
    (placeholder.test(value) && !isSurelyRandom) ||
    structured.test(value) ||
    codeParts.test(value) ||
    fileName.test(value)
  )
    return false;
  if (isName(value) && !(isPassword && isInvented)) return false;
  const rest = value.replace(words, '');
  const classCount = countClasses(rest);
  const bits = entropy(rest);
  if (isInvented && rest.length >= 8 && classCount >= 2) return true;
  if (isPassword && rest.length >= 8 && rest.length < 20) return classCount >= 3 && bits >= 2.7;
  if (rest.length < 16) return false;
  return bits >= (/^[0-9a-f-]+$/i.test(rest) ? 2.9 : 3.3);
}
