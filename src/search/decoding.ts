/**
 * Decodes the bytes of a file. The index, grep, readings and the citation gate all use this, so they see the same lines.
 */
import { isUtf8 } from 'node:buffer';
import { createRequire } from 'node:module';

/** A label of the WHATWG encoding standard, as `TextDecoder` and ripgrep's `--encoding` take it. */
export type Encoding = string;

export interface DecodedText {
  readonly text: string;
  readonly encoding: Encoding;
}

/** Bytes at the start of a file by which the encoding is guessed. */
const sampleBytes = 262_144;
/** A file with a larger share of control characters is binary, unless it has only `allowedControls` of them. */
const maxControlShare = 0.02;
const allowedControls = 2;

/** Null if the bytes are not text. A byte order mark is removed. */
export function decode(bytes: Uint8Array): DecodedText | null {
  const encoding = detectEncoding(bytes);
  if (encoding === null) return null;
  return { text: new TextDecoder(encoding).decode(bytes), encoding };
}

/** Null if the bytes are not text. Text with a few bytes that are invalid in UTF-8 counts as `utf-8`. */
export function detectEncoding(bytes: Uint8Array): Encoding | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe && !(bytes[2] === 0 && bytes[3] === 0)) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const head = bytes.subarray(0, sampleBytes);
  const wide = head.includes(0) ? detectUtf16(head) : null;
  if (wide !== null) return wide;
  if (hasTooManyControls(head)) return null;
  if (isUtf8(bytes)) return detectIso2022Jp(head) ?? 'utf-8';
  return isMostlyUtf8(head) ? 'utf-8' : guessEncoding(head);
}

/** Detects UTF-16 without a byte order mark: in the right byte order nearly all characters are common letters. */
function detectUtf16(head: Uint8Array): Encoding | null {
  const even = head.subarray(0, head.length - (head.length % 2));
  if (even.length < 4) return null;
  // UTF-8 text with a few NULs is not UTF-16, though each pair of Latin letters would decode to a Chinese character:
  // Latin text in UTF-16 has a NUL in every pair.
  if (isUtf8(head) && even.filter((byte) => byte === 0).length * 4 < even.length) return null;
  const [little, big] = (['utf-16le', 'utf-16be'] as const).map((label) => {
    const text = new TextDecoder(label).decode(even);
    const usual = text.match(usualLetters)?.length ?? 0;
    return { label, share: /[\n -~]/.test(text) && isFluent(text) ? usual / text.length : 0 };
  }) as [{ label: Encoding; share: number }, { label: Encoding; share: number }];
  const better = big.share > little.share ? big : little;
  return better.share >= minUsualShare ? better.label : null;
}

/** ASCII and Latin, Greek, Cyrillic, Hebrew, Arabic, Devanagari, Thai, Hangul, kana and the common ideographs. */
const usualLetters =
  /[\t\n\r -~\u00A0-\u024F\u0370-\u052F\u05D0-\u064A\u0900-\u097F\u0E00-\u0E7F\u2010-\u2030\u3000-\u30FF\u4E00-\u9FFF\uAC00-\uD7A3\uFF00-\uFFEF]/g;
const minUsualShare = 0.95;

/** Whether hardly any characters are controls, unassigned or replaced. */
function isFluent(text: string): boolean {
  const odd = text
    .match(/[\p{Cc}\p{Co}\p{Cn}\p{Cs}\uFFFD]/gu)
    ?.filter((character) => !/[\t\n\f\r]/.test(character));
  return (odd?.length ?? 0) <= Math.max(allowedControls, maxControlShare * text.length);
}

function hasTooManyControls(head: Uint8Array): boolean {
  let controls = 0;
  // Tab to carriage return, and the escape of terminals and of ISO-2022, belong to text.
  for (const byte of head)
    if ((byte < 32 && !(byte >= 8 && byte <= 13) && byte !== 27) || byte === 127) controls++;
  if (controls === 0) return false;
  return controls > Math.max(Math.min(allowedControls, head.length / 8), maxControlShare * head.length);
}

/** ISO-2022-JP is ASCII in which escape sequences switch the character set. */
function detectIso2022Jp(head: Uint8Array): Encoding | null {
  if (!head.includes(27)) return null;
  const text = Buffer.from(head).toString('latin1').replaceAll(String.fromCharCode(27), '\uFFFF');
  return /\uFFFF\$[@B][!-~]+\uFFFF\([BJ]/.test(text) ? 'iso-2022-jp' : null;
}

/** Whether few characters are invalid: a log may be cut within a multi-byte character. */
function isMostlyUtf8(head: Uint8Array): boolean {
  const text = new TextDecoder('utf-8').decode(head);
  let good = 0;
  let bad = 0;
  for (const letter of text)
    if (letter === '\uFFFD') bad++;
    else if (letter > '\u007f') good++;
  return good > 4 * bad;
}

interface Guess {
  readonly name: string;
  readonly confidence: number;
}

/** Two-byte encodings that are tried for a short text, in this order. */
const pairEncodings: readonly {
  readonly label: Encoding;
  isLead(byte: number): boolean;
  /** Whether the byte is the first one of a common letter. */
  isCommon(byte: number): boolean;
}[] = [
  {
    label: 'shift_jis',
    isLead: (byte) => (byte >= 0x81 && byte <= 0x9f) || (byte >= 0xe0 && byte <= 0xfc),
    isCommon: (byte) => byte >= 0x81 && byte <= 0x97,
  },
  {
    label: 'gb18030',
    isLead: (byte) => byte >= 0x81 && byte < 0xff,
    isCommon: (byte) => (byte >= 0xb0 && byte <= 0xd7) || (byte >= 0xa1 && byte <= 0xa3),
  },
];
const multiByteEncodings = new Set(['shift_jis', 'euc-jp', 'gb18030', 'gbk', 'big5', 'euc-kr']);
const maxShortText = 64;
const minHighBytes = 8;
const minCommonShare = 0.9;
/** A guess of chardet with a lower confidence (0 to 100) is ignored. */
const minConfidence = 30;
const require = createRequire(import.meta.url);

/** The likeliest encoding that decodes all bytes; windows-1252 if none is likely. */
function guessEncoding(head: Uint8Array): Encoding | null {
  const { analyse } = require('chardet') as { analyse(bytes: Uint8Array): readonly Guess[] };
  // A few single bytes are not enough to tell which alphabet they belong to.
  const hasEnoughBytes = head.filter((byte) => byte >= 0x80).length >= minHighBytes;
  const guesses = analyse(head).flatMap(({ name, confidence }) => {
    const label = toLabel(name);
    if (label === null || label.startsWith('utf-') || confidence < minConfidence) return [];
    return hasEnoughBytes || multiByteEncodings.has(label) ? [label] : [];
  });
  const first = guesses.slice(0, 1).filter((label) => multiByteEncodings.has(label));
  return (
    [...first, ...guessFromPairs(head), ...guesses, 'windows-1252'].find((label) =>
      decodesCleanly(head, label),
    ) ?? null
  );
}

/** For a text too short for statistics: the encodings in which most characters are common, unless it looks Latin. */
function guessFromPairs(head: Uint8Array): readonly Encoding[] {
  let high = 0;
  let isolated = 0;
  for (let i = 0; i < head.length; i++) {
    if (head[i]! < 0x80) continue;
    high++;
    if (isLatin(head[i]!) && !(head[i - 1]! >= 0x80) && !(head[i + 1]! >= 0x80)) isolated++;
    if (high > maxShortText) return [];
  }
  if (isolated * 2 > high) return [];
  const found = pairEncodings.filter(({ isLead, isCommon }) => {
    let [count, common] = [0, 0];
    for (let i = 0; i < head.length; i++) {
      if (head[i]! < 0x80) continue;
      count++;
      if (isLead(head[i]!) && isCommon(head[i]!)) common++;
      if (isLead(head[i]!)) i++;
    }
    return common >= minCommonShare * count;
  });
  return found.map(({ label }) => label);
}

/** A letter with an accent, or one of the quotation marks and dashes of Windows. */
function isLatin(byte: number): boolean {
  return byte >= 0xa0 || (byte >= 0x91 && byte <= 0x97) || byte === 0x85;
}

function toLabel(name: string): Encoding | null {
  try {
    return new TextDecoder(name.toLowerCase()).encoding;
  } catch {
    return null;
  }
}

function decodesCleanly(head: Uint8Array, label: Encoding): boolean {
  return isFluent(new TextDecoder(label).decode(head));
}
