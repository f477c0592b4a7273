/** Values of cookies that identify a person: in headers, in text, in lists, and as arguments of programs. */
import { looksRandom } from './randomness.ts';
import type { SecretRule, SecretSpan } from './rule.ts';

/** A cookie header, up to its first pair. */
const header =
  /cookies?2?\\?["'`]?\]?[ \t]{0,3}(?:,\s{0,40}\\?["'`]?value\\?["'`]?\s{0,3}[:=]\s{0,3}\\?["'`]|(?:=>|:|=|,)[ \t]{0,3}\[?(?:\\?["'`])?|[ \t]{1,3}\\?["'])/iy;
/** A list of cookies as programs take it: `{'sid': '…'}`. */
const listOpening = /cookies?["'`]?\]?[ \t]{0,3}(?:=>|:|=)\s{0,3}(?:dict\()?[{[]\s{0,40}/iy;
const entry =
  /["'`]?([\w.-]{1,100})["'`]?\s{0,3}(?:=>|:|=)\s{0,3}(["'`])([^"'`\n\\]{0,4096})\2\s{0,3}(?:,\s{0,80})?/y;
const curl = / -b[ \t]{1,3}["']/y;
const pair = /([\w.!#$%&*+^|~-]{1,100})=([^\s;,"'`\\<>{}()]{0,4096})(?:;[ \t]{0,3}|(?=[\s"'`\\,]|$))/y;
/** A cookie attribute whose value is no secret, such as the expiry date. */
const attribute =
  /(?:expires=[^;\n"'`\\]{0,60}|httponly|secure|partitioned)(?:;[ \t]{0,3}|(?=[\s"'`\\]|$))/iy;

/** Values that identify nobody: counters, choices, public values. */
const harmless =
  /^(?:path|domain|max-age|samesite|priority|version|comment|_ga\w*|_gid|_gat\w*|_fbp|__utm\w|theme|lang|locale|tz|timezone)$/i;
const maxPairs = 60;

export const cookieRules: readonly SecretRule[] = [
  {
    kind: 'cookie',
    keywords: ['cookie'],
    find: (text, at) =>
      findInHeader(text, endOfMatch(header, text, at)) ?? findInList(text, endOfMatch(listOpening, text, at)),
  },
  {
    kind: 'cookie',
    keywords: [' -b '],
    find: (text, at) =>
      /\bcurl\b/.test(text.slice(Math.max(0, at - 200), at))
        ? findInHeader(text, endOfMatch(curl, text, at))
        : null,
  },
];

function endOfMatch(shape: RegExp, text: string, at: number): number | null {
  shape.lastIndex = at;
  return shape.test(text) ? shape.lastIndex : null;
}

function findInHeader(text: string, begin: number | null): readonly SecretSpan[] | null {
  const found: SecretSpan[] = [];
  let from = begin;
  for (let count = 0; count < maxPairs && from !== null; count++) {
    const attributeEnd = endOfMatch(attribute, text, from);
    if (attributeEnd !== null) {
      from = attributeEnd;
      continue;
    }
    pair.lastIndex = from;
    const match = pair.exec(text);
    if (match === null) break;
    const [, name, value] = match as unknown as [string, string, string];
    found.push(...sessionSpans(name, value, from + name.length + 1));
    from = pair.lastIndex;
  }
  return found.length === 0 ? null : found;
}

function findInList(text: string, begin: number | null): readonly SecretSpan[] | null {
  const found: SecretSpan[] = [];
  let from = begin;
  for (let count = 0; count < maxPairs && from !== null; count++) {
    entry.lastIndex = from;
    const match = entry.exec(text);
    if (match === null) break;
    const [whole, name, quote, value] = match as unknown as [string, string, string, string];
    found.push(...sessionSpans(name, value, from + whole.lastIndexOf(`${quote}${value}${quote}`) + 1));
    from = entry.lastIndex;
  }
  return found.length === 0 ? null : found;
}

const sessionSpans = (name: string, value: string, start: number): readonly SecretSpan[] =>
  harmless.test(name) || !isSession(value) ? [] : [{ start, end: start + value.length, kind: 'cookie' }];

/** Whether the value looks random, with or without URL encoding. */
function isSession(value: string): boolean {
  if (value.startsWith('[secret')) return false;
  return looksRandom(value.replace(/%[\da-f]{2}/gi, ''), false);
}
