/**
 * The parts of a claim that can be checked literally: names of code, paths, versions, hashes, addresses, quotations
 * and text in backticks. Figures and times have their own files.
 */

import { findCodeSpans } from '../../core/answers.ts';
import type { TextSpan } from '../../core/index.ts';
import { normalizeUnicode } from '../words/normal.ts';
import { splitName } from '../words/words.ts';

export type TermKind = 'name' | 'path' | 'version' | 'hash' | 'address' | 'code' | 'quote' | 'proper';

export interface Term {
  readonly kind: TermKind;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** If true, a claim is not shown if the lines lack the term. False for plain words, which may be the author's. */
  readonly mustMatch: boolean;
}

const extension =
  'ts|tsx|mts|cts|js|jsx|mjs|cjs|py|pyi|pyx|go|rs|java|kt|kts|scala|groovy|c|h|cc|cpp|cxx|hpp|hh|cs|fs|rb|php|swift|sh|bash|' +
  'zsh|ps1|sql|md|mdx|rst|adoc|txt|json|jsonl|yaml|yml|toml|ini|cfg|conf|xml|html|htm|css|scss|less|vue|svelte|proto|' +
  'graphql|ex|exs|erl|hs|ml|clj|lua|pl|r|jl|dart|zig|nim|tf|gradle|log|csv|ipynb|lock|env|service';
const pathForm = new RegExp(
  `(?<![\\p{L}\\p{N}_/@.-])(?:\\.{0,2}/)?(?:[\\p{L}\\p{N}_.@+~-]+/)*[\\p{L}\\p{N}_@+~-][\\p{L}\\p{N}_.@+~-]*\\.(?:${extension})(?![\\p{L}\\p{N}_(])`,
  'gu',
);
const folderForm =
  /(?<![\p{L}\p{N}_/@.<-])(?:(?:\.{1,2})?\/(?:[\p{L}\p{N}_.@+~-]+\/?)+|(?:[\p{L}\p{N}_.@+~-]+\/){2,}[\p{L}\p{N}_.@+~-]*|(?:[\p{L}\p{N}_.@+~-]+\/)+(?![\p{L}\p{N}_]))/gu;
const addressForm =
  /(?<![\p{L}\p{N}])\p{Ll}[\p{Ll}\p{N}+.-]{1,15}:\/\/[^\s)>\]"'`]+|[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+\.[\p{L}]{2,}|(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?!\d|\.\d)|(?<![\p{L}\p{N}_@./-])\p{L}[\p{L}\p{N}]*(?:[.-][\p{L}\p{N}]+)+:\d{2,5}(?![\p{L}\p{N}:-])/gu;
const versionForm =
  /(?<![\p{L}\p{N}_.])(?:v\d+(?:\.\d+)*|\d+\.\d+\.\d+(?:\.\d+)*)(?:[-+.]?(?:rc|alpha|beta|dev|post|pre)[\p{L}\p{N}.]*|[-+][\p{L}\p{N}.]+)?(?![\p{L}\p{N}_]|\.\d)/giu;
const hashForm = /(?<![\p{L}\p{N}_-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}(?![\p{L}\p{N}_-])/gu;
const issueForm = /(?<![\p{L}\p{N}_&])(?:\p{Lu}{2,8})?#\d+\b|\b[A-Z][A-Z0-9]{1,9}-\d+\b/gu;
const nameForm =
  /(?<![\p{L}\p{N}_$@-])(?:[@$]?[\p{L}_][\p{L}\p{N}_$]*(?:(?:\.|::|->|#)[\p{L}_$][\p{L}\p{N}_$]*)*(?:\(\))?|--[\p{L}][\p{L}\p{N}-]*)/gu;
const kebabForm = /(?<![\p{L}\p{N}_$@./-])\p{L}[\p{L}\p{N}]*(?:-[\p{L}\p{N}]+)+(?![\p{L}\p{N}_/-])/gu;

/** Ordinary words joined by a hyphen: `Odd-numbered`, `read-only`. */
const compound = /^\p{L}\p{Ll}+-(?:\p{Ll}{2,}(?:ed|ing)|based|like|free|only|wide|level|time)$/u;

/** The form of dates in logs of web servers, followed by the time: `30/Jul/2018:09:03:52`. */
export const isWrittenDate = /^\d{1,2}\/[A-Z][a-z]{2}\/\d{4}$/;

/** Words with inner capitals or points that are not names of code: products, abbreviations. */
export const notCodeNames =
  /^(?:GitHub|GitLab|JavaScript|TypeScript|PostgreSQL|MySQL|SQLite|MongoDB|DynamoDB|CloudWatch|CloudFront|PagerDuty|OpenAI|GraphQL|WebSocket|WebSockets|macOS|iOS|iPhone|YouTube|LinkedIn|NumPy|PyTorch|TensorFlow|FastAPI|OAuth|OAuth2|IPv4|IPv6|UTF8|DevOps|MacOS|FreeBSD|Open(?!\w*(?:Error|Exception)$)\p{Lu}\w+|RabbitMQ|NodeJS|AppArmor|SELinux|WebAssembly|LaTeX|BibTeX|PRs|APIs|URLs|IDs|URIs|DBs|VMs|CPUs|GPUs|TTLs|ASTs|SDKs|CLIs|JSONs|PDFs|UUIDs|RPCs|SREs|ETags?|Node\.js|Next\.js|Vue\.js|McDonald|README|e\.g|i\.e)$/u;

export function findTerms(given: string): readonly Term[] {
  const text = given;
  const terms: Term[] = [];
  const taken: { start: number; end: number }[] = [];
  const isFree = (at: number, end: number): boolean => !taken.some((one) => at < one.end && one.start < end);
  const add = (kind: TermKind, term: string, at: number, end: number, mustMatch: boolean): void => {
    if (term.trim() === '' || !isFree(at, end)) return;
    taken.push({ start: at, end });
    terms.push({ kind, text: term, start: at, end, mustMatch });
  };
  for (const { start, end } of findCodeSpans(text)) {
    const inner = text
      .slice(start, end)
      .replace(/^`+|`+$/g, '')
      .trim();
    add(classifyCode(inner), inner, start, end, true);
  }
  for (const { start, end, text: quote } of findQuotations(text))
    add('quote', quote, start, end, isLongQuote(quote));
  const addMatches = (form: RegExp, kind: TermKind, hard: (found: string) => boolean | null): void => {
    for (const match of text.matchAll(form)) {
      const found = match[0].replace(/[.,;:]+$/, '');
      const absenceCounts = hard(found);
      if (absenceCounts !== null) add(kind, found, match.index, match.index + found.length, absenceCounts);
    }
  };
  addMatches(addressForm, 'address', () => true);
  addMatches(pathForm, 'path', (found) => (notCodeNames.test(found) ? null : true));
  addMatches(folderForm, 'path', (found) =>
    isWrittenDate.test(found)
      ? null
      : /^\.{0,2}\/|_|\/$/.test(found) || (found.split('/').length > 3 && !/\p{Lu}/u.test(found)),
  );
  addMatches(versionForm, 'version', () => true);
  addMatches(issueForm, 'name', () => true);
  addMatches(hashForm, 'hash', () => true);
  addMatches(nameForm, 'name', classifyName);
  addMatches(/(?<![\p{L}\p{N}_.-])[1-9]xx(?![\p{L}\p{N}_])/giu, 'name', () => true);
  addMatches(kebabForm, 'proper', (found) => (compound.test(found) ? null : false));
  for (const match of text.matchAll(
    /(?<=[\p{L}\p{N},;)"'] )(?:\p{Lu}[\p{L}\p{N}]{2,}|\p{Lu}{2}(?![\p{L}\p{N}.]))/gu,
  ))
    add('proper', match[0], match.index, match.index + match[0].length, false);
  return terms.sort((a, b) => a.start - b.start);
}

/** `mustMatch` of a name in plain text. Null for an ordinary word. */
function classifyName(found: string): boolean | null {
  const bare = found.replace(/\(\)$/, '');
  if (notCodeNames.test(bare) || /^(?:e\.g|i\.e|a\.k\.a|vs|etc)\b/i.test(bare)) return null;
  if (found.endsWith('()') || found.startsWith('--')) return true;
  if (/^[@$]/.test(found)) return found.length > 2;
  if (/::|->|#/.test(bare)) return true;
  if (bare.includes('.')) return /[\p{Lu}_]|^\p{Ll}{1,}\.\p{Ll}/u.test(bare) && bare.length > 4;
  if (/^_+\p{L}|\p{L}_+[\p{L}\p{N}]|\p{N}_+\p{L}/u.test(bare)) return true;
  if (/^\p{Ll}+\p{Lu}[\p{L}\p{N}]*$/u.test(bare)) return bare.length > 4;
  // Two capitals, with small letters after each.
  if (/^(?:\p{Lu}\p{Ll}+){2,}\d*$/u.test(bare) || /^\p{Lu}+\p{Ll}+(?:\p{Lu}\p{Ll}*)+$/u.test(bare))
    return true;
  if (/^\p{Lu}{2,}\p{Ll}{2,}$/u.test(bare) || /^\p{Lu}{7,}$/u.test(bare)) return true;
  // `gp3`, `p99`, `sha256`
  if (/^\p{L}{1,6}\d{1,4}$/u.test(bare) && !/^(?:v|q|h|fy|step|phase|part|tier|sev|utf|ipv)\d+$/i.test(bare))
    return true;
  return null;
}

function classifyCode(inner: string): TermKind {
  if (
    new RegExp(`^(?:${pathForm.source})$`, 'u').test(inner) ||
    /^\.{0,2}\/[\w./-]+$/.test(inner) ||
    /^[\w.-]+\/[\w./-]*$/.test(inner)
  )
    return 'path';
  if (/^v?\d+\.\d+\.\d+[\w.+-]*$/.test(inner)) return 'version';
  if (/^[@$]?[\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::|->|#)[\p{L}_$][\p{L}\p{N}_$]*)*(?:\(\))?[!?]?$/u.test(inner))
    return 'name';
  if (/^\p{L}[\p{L}\p{N}_]*(?:-[\p{L}\p{N}_]+)+$/u.test(inner)) return 'name';
  return 'code';
}

/** Text in quotation marks of any kind. An apostrophe opens no quotation. */
function findQuotations(text: string): readonly (TextSpan & { readonly text: string })[] {
  const spans = findCodeSpans(text);
  const plain = [...normalizeQuotes(text)].join('');
  const found: { start: number; end: number; text: string }[] = [];
  for (const form of [/"([^"\n]{1,400})"/g, /(?<![\p{L}\p{N}])'([^'\n]{2,200})'(?![\p{L}\p{N}])/gu])
    for (const match of plain.matchAll(form)) {
      const [at, end] = [match.index, match.index + match[0].length];
      if (spans.some((span) => at < span.end && span.start < end)) continue;
      if (found.some((one) => at < one.end && one.start < end)) continue;
      found.push({ start: at, end, text: text.slice(at + 1, end - 1) });
    }
  return found;
}

const normalizeQuotes = (text: string): string =>
  text.replace(/[“”„‟«»「」『』]/g, '"').replace(/[‘’‚‛]/g, "'");

/**
 * Whether a quote has at least two words and eight characters. A shorter quote says too little to be searched alone.
 */
export function isLongQuote(quote: string): boolean {
  const bare = normalizeUnicode(quote).trim();
  const words = bare.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  const wide = bare.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu)?.length ?? 0;
  return wide >= 4 || (bare.length >= 8 && words >= 2);
}

/** The names in a piece of code. */
export function findNamesInCode(code: string): readonly string[] {
  return [
    ...code.replace(/(["'])(?:\\.|(?!\1)[^\\\n])*\\?\1/g, ' ').matchAll(/[\p{L}_$][\p{L}\p{N}_$]*/gu),
  ].map(([name]) => name);
}

export const splitNamePath = (name: string): readonly string[] =>
  name
    .replace(/\(\)$/, '')
    .replace(/^(?:self|this|cls|super|@|\$)(?:\.|->|::)?/, '')
    .split(/\.|::|->|#/)
    .filter((part) => part !== '' && splitName(part).length > 0);

/** `cache.get()` without its owner: `get`. */
export const getLastPart = (name: string): string =>
  name
    .replace(/\(.*$/, '')
    .split(/\.|::|->|#/)
    .at(-1)!;
