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
const version = /^[vV]?\d[\w.+-]*$/;
/** A plural of an abbreviation, and the like: `APIs`, `URLs`, `PhD`. */
const plural = /^\p{Lu}{2,}s$|^\p{Lu}\p{Ll}\p{Lu}$/u;
/** Words for something that does not exist yet, so its name occurs nowhere. */
const missingOnPurpose =
  /\b(?:should|could|would|can|may|might|want|like|need|going|plan|let's|please|how (?:do|would|can|could|should|might) (?:i|we|you|one))\b[^.?!]{0,60}\b(?:add|adding|introduce|introducing|implement|write|invent)\s+(?:an?\s+|the\s+|another\s+|some\s+)?(?:new\s+)?(?:[\w-]+\s+){0,2}$|\b(?:new|another)\s+(?:[\w-]+\s+){0,2}(?:called|named)\s*$|\brenam\w+\b[^.?!]{0,60}\b(?:to|into|as)\s*$/i;
/** Matches instructions about the form of the answer. */
const formatInstruction =
  /(?:^|[.?!;:]\s+|,\s*(?:and\s+)?|\bthen\s+|\band\s+)(?:return|print|output|give|reply|answer|respond|report|format|list|name|call|store|put)\b[^.?!]*$/i;

export interface AskedNames {
  /** As written, without quotation marks; each once. */
  readonly names: readonly string[];
  /** Whether the question is about them; false: they may have come with pasted text. */
  readonly isAbout: boolean;
}

export function findAskedNames(question: string): AskedNames {
  const bare = question.replace(/```[\s\S]*?(?:```|$)/g, '\n').replace(/<!--[\s\S]*?-->/g, ' ');
  const isAbout = bare === question && question.trim().length <= maxAskedLength;
  const found = new Map<string, string>();
  const note = (name: string, at: number, text: string): void => {
    const trimmed = name.trim();
    const before = text.slice(Math.max(0, at - 160), at).replace(/[`"'“”‘’«»(]+$/, '');
    if (!isNameable(trimmed) || missingOnPurpose.test(before) || formatInstruction.test(before)) return;
    if (found.size < maxNames && !found.has(trimmed.toLowerCase())) found.set(trimmed.toLowerCase(), trimmed);
  };
  // Web and mail addresses name places outside of the material.
  let rest = bare.replace(/\b(?:[a-z][a-z0-9+.-]*:\/\/|www\.)\S+|\S+@\S+\.\S+/gi, (one) =>
    ' '.repeat(one.length),
  );
  rest = rest.replace(/`([^`\n]{1,120})`/g, (whole, inside: string, at: number) => {
    note(inside, at, bare);
    return ' '.repeat(whole.length);
  });
  const quoted =
    /"([^"\n]{1,300})"|“([^”\n]{1,300})”|«([^»\n]{1,300})»|(?<![\p{L}\p{N}])['‘]([^'’\n]{1,300})['’](?![\p{L}\p{N}])/gu;
  rest = rest.replace(quoted, (whole, a?: string, b?: string, c?: string, d?: string, at = 0) => {
    const inside = (a ?? b ?? c ?? d ?? '').trim();
    // A quoted phrase may be anything: a message with figures, somebody's words.
    if (!/\s/.test(inside)) note(inside, at as number, bare);
    return ' '.repeat(whole.length);
  });
  for (const match of rest.matchAll(/[\p{L}_$@.][\p{L}\p{N}_$./:#>-]*(?:\(\))?/gu)) {
    const token = trimPunctuation(match[0]);
    if (looksLikeName(token)) note(token, match.index, bare);
  }
  return { names: [...found.values()], isAbout };
}

/** Without the punctuation of the sentence around it. */
function trimPunctuation(token: string): string {
  const inner = token.replace(/^[-:#>/]+|^\.(?![\p{L}_])/u, '').replace(/[.:#>/-]+$/, '');
  return /^_[^_]+_$/.test(inner) ? inner.slice(1, -1) : inner;
}

const numberedName =
  /^\p{Lu}{2,}(?:-\p{Lu}{2,})+-\d+$|^\p{Lu}{2,}-\d{3,}$|^\p{Lu}\p{L}*\d+\p{Lu}\p{Ll}+[\p{L}\p{N}]*$/u;
/** Texts about any program name them. */
const standardName =
  /^(?:SHA|AES|ISO|RFC|UTF|CVE|ECMA|IEEE|CP|KB|PEP|HTTP|RSA|MD|HMAC|ANSI|EN|DIN|PBKDF)-?\d+$/;

function looksLikeName(token: string): boolean {
  if (token.includes('..')) return false;
  const bare = token.replace(/\(\)$/, '');
  if (bare !== token) return true;
  // Numbered names: a challenge `DNS-LASTING-02`, a form `ABC-1234`, a class `HTTP02Challenge`.
  if (numberedName.test(bare)) return !standardName.test(bare);
  // In prose, a hyphenated word counts as a name only if its parts do.
  if (/-/.test(bare) && !/[._/]/.test(bare))
    return bare.split('-').some((part) => looksLikeName(part) && isNameable(part));
  return /\p{Ll}\p{Lu}|\p{Lu}{2,}\p{Ll}|[\p{L}\p{N}]_[\p{L}\p{N}]|^_{1,2}\p{L}|\p{L}(?:\.|::|->|#)\p{L}|^\.\p{L}{2}/u.test(
    bare,
  );
}

function isNameable(name: string): boolean {
  const bare = name.replace(/\(\)$/, '').replace(/['’]s$/, '');
  return (
    bare.length >= 3 &&
    bare.length <= maxNameLength &&
    /\p{L}/u.test(bare) &&
    !productNames.has(bare.toLowerCase()) &&
    !abbreviation.test(bare) &&
    !version.test(bare) &&
    !plural.test(bare)
  );
}
