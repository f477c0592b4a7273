/** Finds the value after the name of a secret: an assignment, a pair, an argument, an element, a header. */

/** Parts of names that mark a password. People invent passwords, so that these look less random than other secrets. */
export const passwords = ['passw', 'passphrase', 'pwd', 'passcode'];

/** The rest of the name, and the characters between the name and its value. */
const separatorPattern =
  /[\w.-]{0,40}?(?:\\?["'`]\]?|\]|\*{2})?(?:[ \t]{0,8}(?::[ \t]?[&?'A-Za-z_]{1,30}\??[ \t]?(?=:?=(?!=)))?(?:=>|:=|\?\?=|\|\|=|\?=|={1,3}|:|<-)(?:[ \t]{0,8}|\s{0,80}(?=["'`]))|[ \t]?,[ \t]{0,4}(?=["'`])|\(\s{0,20}(?=["'`])|>(?=[^<\s])|[ \t]{0,4}\bvalue[ \t]?=[ \t]?(?=["'])|[ \t]*\n[ \t]*value:[ \t]{0,4}|[ \t](?=["'`]))/iy;
/** A value: if quoted, up to the closing quote; otherwise a word up to the end of its line or of its part of the line. */
const quoted = /(\\?["'`])([^\n]{8,600}?)\1/y;
const bare = /[^\s"'`,;<>(){}[\]|&]{8,512}(?=\s*(?:$|\n|\r|<|#|\/\/|["'`,;&]|\\n|\s))/y;

/** Whole names that are no secrets, though they contain the word. */
const harmless =
  /public|pub_?key|csrf|xsrf|authenticity|cursor|next.?token|continuation|page.?token|sync.?token|key_?id|token_?id|secret_?id|(?:name|names|path|file|files|url|uri|endpoint|length|size|type|hash|hashed|digest|checksum|fingerprint|field|label|title|text|placeholder|prefix|suffix|regex|pattern|format|policy|provider|class|errors?|message|msg|help|description|selector|hint|expir\w*|ttl|count|limit|max|min|index|version|ref|arn|env|var|header|param|parameter|column|table|attribute|property|icon|image|ident|identifier|ids?|kind|mode|scope|algorithm|alg|store|manager|service|reset|link)$|tokeni[sz]|^tokens$/i;

/** A mark that stands in place of a secret. It contains no name with a value. */
const markPattern = /\[secret:[a-z0-9_]+:[0-9a-f]{6}\]/y;

function isMark(text: string, at: number): boolean {
  markPattern.lastIndex = at - 1;
  return text[at - 1] === '[' && markPattern.test(text);
}

export interface NamedPlace {
  /** The whole name: `smtp.password`. */
  readonly name: string;
  readonly separator: string;
  /** The value is assigned to the name, not merely next to it. */
  readonly assigned: boolean;
  /** Start of the value, including its quote. */
  readonly from: number;
}

/**
 * The name that contains the keyword at `at`, and where its value begins. Null if the name is no secret's, or no value
 * follows.
 */
export function findNamedPlace(text: string, at: number, keyword: string): NamedPlace | null {
  if (isMark(text, at)) return null;
  separatorPattern.lastIndex = at + keyword.length;
  const separator = separatorPattern.exec(text)?.[0];
  if (separator === undefined) return null;
  const from = separatorPattern.lastIndex;
  const before = /[\w.-]{0,40}$/.exec(text.slice(Math.max(0, at - 40), at))![0];
  const name = before + /^[\w-]*/.exec(text.slice(at, from))![0];
  if (harmless.test(name)) return null;
  return { name, separator, assigned: /[:=>]/.test(separator), from };
}

/**
 * The rest of a line of settings after the name. A password there may contain signs that end a value in other texts.
 */
const lineOfSettings = /[^\s"'`]{8,512}(?=[ \t]*(?:$|[\r\n]|[ \t]#))/y;
const nameOfSetting = /^[ \t]*(?:export[ \t]+|set[ \t]+|-[ \t]+)?[\w.-]+[ \t]{0,8}[:=][ \t]*$/;

/** Whether the line contains nothing before the name, and a sign such as `=` or `:` after it. */
export const isSetting = (text: string, from: number): boolean =>
  nameOfSetting.test(text.slice(Math.max(text.lastIndexOf('\n', from - 1) + 1, from - 200), from));

/** The candidates for the value, the longest first. */
export function findValues(
  text: string,
  from: number,
): readonly (readonly [start: number, secret: string])[] {
  quoted.lastIndex = from;
  const inQuotes = quoted.exec(text);
  if (inQuotes !== null) return [[from + inQuotes[1]!.length, inQuotes[2]!]];
  lineOfSettings.lastIndex = bare.lastIndex = from;
  const [line, word] = [
    isSetting(text, from) ? lineOfSettings.exec(text)?.[0] : undefined,
    bare.exec(text)?.[0],
  ];
  // `a=1&b=2` and `a=1;b=2` are several values, `args[0],` is an expression.
  const whole =
    line !== undefined && line !== word && !/[&;,|][\w.-]+[=:]|^[\w$]+[.[(][\w)]|[,;{([]$/.test(line)
      ? [line]
      : [];
  return [...whole, ...(word === undefined ? [] : [word])].map((one) => [from, one]);
}
