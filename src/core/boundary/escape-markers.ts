/**
 * Finds text that a person or a model could mistake for one of our markers: the tag with spaces, zero-width characters,
 * or full-width, Cyrillic or Greek letters in it. Compares a skeleton of the text (after Unicode's confusable
 * skeletons, UTS 39), so that one comparison covers all spellings.
 */

/** Characters that look like `<`, and its HTML escapes. */
const opener = /[<＜‹〈⟨〈《«❮❰˂ᐸ≺⧼﹤]|&(?:lt|#60|#x3c);/giu;

/** For each letter of our tag: the characters that look like it, after compatibility decomposition (NFKD). */
const lookAlikes: Readonly<Record<string, string>> = {
  s: 'ѕꜱƽ5$',
  o: 'оοօσᴏ0øဝ',
  n: 'пոɴηռи',
  d: 'ԁᴅɗđꓒ',
  e: 'еҽεєᴇ3э℮',
  m: 'мᴍϻ',
  a: 'аαɑᴀ4@',
  t: 'тτᴛ7ŧ',
  r: 'гʀᴦя',
  // i and l look alike in many scripts, so both read as l.
  l: 'iіιıӏɩ1|!ʟǀ',
};

const plainLetter = new Map(
  Object.entries(lookAlikes).flatMap(([letter, alikes]) => [...alikes].map((alike) => [alike, letter])),
);

const toSkeleton = (letter: string) => plainLetter.get(letter) ?? letter;

const tag = [...'sondematerial'].map(toSkeleton);

/** Maximum characters of a tag that is spread out with separators. */
const maxSpread = 120;

const isWordCharacter = (character: string) => /[\p{L}\p{N}]/u.test(character);

/** Whether the text from here on reads as the name of our tag, with or without a slash and separators. */
function readsAsTag(text: string, from: number): boolean {
  let matched = 0;
  for (const character of text.slice(from, from + maxSpread)) {
    for (const part of character
      .normalize('NFKD')
      .toLowerCase()
      .replace(/[\p{M}\p{Cf}]/gu, '')) {
      // Signs such as `|` and `@` can replace a letter or separate two: they count as a letter only if the tag has
      // one here.
      if (toSkeleton(part) === tag[matched]) matched += 1;
      else if (isWordCharacter(part)) return false;
      if (matched === tag.length) return true;
    }
  }
  return false;
}

/** Tokens with which chat templates separate turns: some servers obey them even inside a message. */
const templateToken =
  /<\|[\w \u2581|:-]{1,60}\|>|<｜[^<>\n]{1,60}｜>|<(?:start|end)_of_turn>|<<\/?SYS>>|<\/s>|\[\/?INST\]/gu;

/** Tag characters, which spell hidden ASCII, and bidirectional controls, which change the displayed order of a text. */
const hidden = /[\u{e0000}-\u{e007f}\u202a-\u202e\u2066-\u2069]/gu;

const escapeSequence = /\\u\{([0-9a-f]{2,5})\}/gu;

const escapeCharacter = (character: string) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/**
 * Writes the first character of each look-alike marker and template token, and each hidden character, as `\u{3c}`;
 * text that already looks escaped gets its backslash escaped, which makes this reversible.
 */
export function escapeLookAlikes(text: string): string {
  const offsets = new Set<number>();
  for (const match of text.matchAll(opener))
    if (readsAsTag(text, match.index + match[0].length)) offsets.add(match.index);
  for (const pattern of [templateToken, hidden, escapeSequence])
    for (const match of text.matchAll(pattern)) offsets.add(match.index);
  let out = '';
  let done = 0;
  for (const offset of [...offsets].sort((a, b) => a - b)) {
    const character = String.fromCodePoint(text.codePointAt(offset) ?? 0);
    out += text.slice(done, offset) + escapeCharacter(character);
    done = offset + character.length;
  }
  return out + text.slice(done);
}

/** Undoes `escapeLookAlikes`. */
export function unescapeLookAlikes(text: string): string {
  return text.replace(escapeSequence, (_whole, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  );
}
