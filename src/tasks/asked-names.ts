/**
 * Finds the names that a question asks about: texts in backticks, in code form or alone in quotation marks, and words
 * with an inner capital, an underscore or a dot. Abbreviations, versions, quoted phrases and well-known product names
 * such as GitHub do not count.
 */

const maxNames = 12;
const maxNameLength = 120;
/**
 * A question longer than this, or one with a block of code, contains pasted material, whose names are not what is asked
 * about. Characters.
 */
const maxAskedLength = 600;

/** Product names that occur in prose about any program. */
const productNames = new Set(
  (
    'javascript typescript coffeescript github gitlab bitbucket macos ios ipados ipad iphone postgresql mysql sqlite mariadb ' +
    'mongodb graphql openai youtube linkedin stackoverflow devops oauth websocket websockets wifi phd latex nosql vscode ' +
    'webassembly dropbox ebay paypal powershell freebsd openbsd netbsd opentelemetry kubernetes node.js vue.js next.js ' +
    'react.js asp.net vb.net mcdonald linkedin webrtc restful ebpf grpc opensource'
  ).split(' '),
);
const abbreviation =
  /^(?:\p{L}\.)+\p{L}?\.?$|^(?:etc|vs|cf|al|approx|resp|incl|fig|no|dr|mr|mrs|st|inc|ltd|co)\.?$/iu;
const versionNumber = /^[vV]?\d[\w.+-]*$/;
/** A plural of an abbreviation, and the like: `APIs`, `URLs`, `PhD`. */
const pluralAbbreviation = /^\p{Lu}{2,}s$|^\p{Lu}\p{Ll}\p{Lu}$/u;
/** Matches the words before the name of something that does not exist yet and so occurs nowhere: `add a new …`. */
const beforeNewName =
  /\b(?:should|could|would|can|may|might|want|like|need|going|plan|let's|please|how (?:do|would|can|could|should|might) (?:i|we|you|one))\b[^.?!]{0,60}\b(?:add|adding|introduce|introducing|implement|write|invent)\s+(?:an?\s+|the\s+|another\s+|some\s+)?(?:new\s+)?(?:[\w-]+\s+){0,2}$|\b(?:new|another)\s+(?:[\w-]+\s+){0,2}(?:called|named)\s*$|\brenam\w+\b[^.?!]{0,60}\b(?:to|into|as)\s*$/i;
/** Matches instructions about the form of the answer. */
const formatInstruction =
  /(?:^|[.?!;:]\s+|,\s*(?:and\s+)?|\bthen\s+|\band\s+)(?:return|print|output|give|reply|answer|respond|report|format|list|name|call|store|put)\b[^.?!]*$/i;

export interface AskedNames {
  /** The names as written in the question, without quotation marks and duplicates. */
  readonly names: readonly string[];
  /** Whether the question is about them; false: they may have come with pasted text. */
  readonly isAbout: boolean;
}

/** Longer words take quadratic time with `addressPattern`. */
const maxWordLength = 1_000;
const addressPattern = /\b(?:[a-z][a-z0-9+.-]*:\/\/|www\.)\S+|\S[^\s@]*@\S[^\s.]*\.\S+/gi;
/** The same, with limits on the lengths of the scheme and of the parts of a mail address. */
const longAddressPattern =
  /\b(?:[a-z][a-z0-9+.-]{0,40}:\/\/|www\.)\S+|\S[^\s@]{0,200}@\S[^\s.]{0,200}\.\S+/gi;

/** Replaces comments of HTML by spaces. Only as far as the last one ends, since all others would be read to the end. */
function removeComments(text: string): string {
  const end = text.lastIndexOf('-->') + 3;
  return end < 3 ? text : text.slice(0, end).replace(/<!--[\s\S]*?-->/g, ' ') + text.slice(end);
}

export function findAskedNames(question: string): AskedNames {
  const prose = removeComments(question.replace(/```[\s\S]*?(?:```|$)/g, '\n'));
  const isAbout = prose === question && question.trim().length <= maxAskedLength;
  const namesByLowerCase = new Map<string, string>();
  const noteName = (name: string, at: number, text: string): void => {
    const trimmed = name.trim();
    const textBefore = text.slice(Math.max(0, at - 160), at).replace(/[`"'“”‘’«»(]+$/, '');
    if (!isNameable(trimmed) || beforeNewName.test(textBefore) || formatInstruction.test(textBefore)) return;
    if (namesByLowerCase.size < maxNames && !namesByLowerCase.has(trimmed.toLowerCase()))
      namesByLowerCase.set(trimmed.toLowerCase(), trimmed);
  };
  // Blanks out web and mail addresses, since they name places outside of the material.
  let remainingText = prose.replace(/\S+/g, (word) =>
    word.replace(word.length > maxWordLength ? longAddressPattern : addressPattern, (address) =>
      ' '.repeat(address.length),
    ),
  );
  remainingText = remainingText.replace(/`([^`\n]{1,120})`/g, (whole, inside: string, at: number) => {
    noteName(inside, at, prose);
    return ' '.repeat(whole.length);
  });
  const quotedText =
    /"([^"\n]{1,300})"|“([^”\n]{1,300})”|«([^»\n]{1,300})»|(?<![\p{L}\p{N}])['‘]([^'’\n]{1,300})['’](?![\p{L}\p{N}])/gu;
  remainingText = remainingText.replace(
    quotedText,
    (whole, a?: string, b?: string, c?: string, d?: string, at = 0) => {
      const inside = (a ?? b ?? c ?? d ?? '').trim();
      // A quoted phrase may be anything: a message with figures, somebody's words.
      if (!/\s/.test(inside)) noteName(inside, at as number, prose);
      return ' '.repeat(whole.length);
    },
  );
  for (const match of remainingText.matchAll(/[\p{L}_$@.][\p{L}\p{N}_$./:#>-]*(?:\(\))?/gu)) {
    const token = trimPunctuation(match[0]);
    if (token.length > maxNameLength + 2) continue;
    if (looksLikeName(token)) noteName(token, match.index, prose);
  }
  return { names: [...namesByLowerCase.values()], isAbout };
}

/** Removes the punctuation of the sentence around a name. */
function trimPunctuation(token: string): string {
  const inner = token.replace(/^[-:#>/]+|^\.(?![\p{L}_])/u, '').replace(/(?<![.:#>/-])[.:#>/-]+$/, '');
  return /^_[^_]+_$/.test(inner) ? inner.slice(1, -1) : inner;
}

const numberedName =
  /^\p{Lu}{2,}(?:-\p{Lu}{2,})+-\d+$|^\p{Lu}{2,}-\d{3,}$|^\p{Lu}\p{L}*\d+\p{Lu}\p{Ll}+[\p{L}\p{N}]*$/u;
/** Names of standards, such as `SHA-256`, which occur in texts about any program. */
const standardName =
  /^(?:SHA|AES|ISO|RFC|UTF|CVE|ECMA|IEEE|CP|KB|PEP|HTTP|RSA|MD|HMAC|ANSI|EN|DIN|PBKDF)-?\d+$/;

function looksLikeName(token: string): boolean {
  if (token.includes('..')) return false;
  const withoutCall = token.replace(/\(\)$/, '');
  if (withoutCall !== token) return true;
  // Numbered names: a challenge `DNS-LASTING-02`, a form `ABC-1234`, a class `HTTP02Challenge`.
  if (numberedName.test(withoutCall)) return !standardName.test(withoutCall);
  // In prose, a hyphenated word counts as a name only if its parts do.
  if (/-/.test(withoutCall) && !/[._/]/.test(withoutCall))
    return withoutCall.split('-').some((part) => looksLikeName(part) && isNameable(part));
  return /\p{Ll}\p{Lu}|\p{Lu}{2,}\p{Ll}|[\p{L}\p{N}]_[\p{L}\p{N}]|^_{1,2}\p{L}|\p{L}(?:\.|::|->|#)\p{L}|^\.\p{L}{2}/u.test(
    withoutCall,
  );
}

function isNameable(name: string): boolean {
  const nameWithoutCall = name.replace(/\(\)$/, '').replace(/['’]s$/, '');
  return (
    nameWithoutCall.length >= 3 &&
    nameWithoutCall.length <= maxNameLength &&
    /\p{L}/u.test(nameWithoutCall) &&
    !productNames.has(nameWithoutCall.toLowerCase()) &&
    !abbreviation.test(nameWithoutCall) &&
    !versionNumber.test(nameWithoutCall) &&
    !pluralAbbreviation.test(nameWithoutCall)
  );
}
