/** The ports of a folder with secrets masked: their readers see marks in place of secrets. */
import {
  type CheckedClaim,
  type CitationClaim,
  checkClaim,
  type FileText,
  type GitHistory,
  type LineMatch,
  type Masker,
  type TextGrep,
  type TextReader,
} from '../core/index.ts';
import { findMatchingLines } from './grep/grep.ts';
import { diffPath } from './paths.ts';

/** The hashes of the original lines are kept: see `FileText.masked`. */
export function maskTexts(reader: TextReader, { file: hide }: Masker): TextReader {
  // A text at a commit never changes, and is read many times.
  const hidden = new WeakMap<FileText, FileText>();
  return {
    async readText(path, commit) {
      const file = await reader.readText(path, commit);
      if (file.kind !== 'text') return file;
      const fileText = hidden.get(file);
      if (fileText !== undefined) return fileText;
      const diff = diffPath.exec(path);
      const clean = diff === null ? hide(file) : await maskDiff(file, diff, reader, hide);
      hidden.set(file, clean);
      return clean;
    },
  };
}

/**
 * Masks a diff without the signs at the beginning of its lines. A line of a key is recognised only within the whole
 * file, so both versions of the file are read.
 */
async function maskDiff(
  file: FileText,
  [, commit = '', path = '']: readonly string[],
  reader: TextReader,
  hide: (file: FileText) => FileText,
): Promise<FileText> {
  const hidden = new Map<string, string>();
  for (const at of [commit, `${commit}^`]) {
    const whole = await reader.readText(path, at);
    if (whole.kind !== 'text') continue;
    const clean = hide(whole).lines;
    for (const [nth, line] of whole.lines.entries())
      if (clean[nth] !== line) hidden.set(line, clean[nth] ?? '');
  }
  const signs = file.lines.map((line) => /^[-+ ]/.exec(line)?.[0] ?? '');
  const bare = file.lines.map((line, at) => line.slice(signs[at]!.length));
  const { lines } = hide({ kind: 'text', lines: bare.map((line) => hidden.get(line) ?? line) });
  return { kind: 'text', lines: lines.map((line, at) => `${signs[at] ?? ''}${line}`) };
}

/**
 * For callers who verify claims about their own files: a quote is valid if it matches the file, or the file as Sonde
 * shows it.
 */
export async function checkShownClaim(
  claim: CitationClaim,
  reader: TextReader,
  mask: () => Masker,
): Promise<CheckedClaim> {
  const checked = await checkClaim(claim, reader);
  return checked.status === 'quote_not_found' && claim.quote?.includes('[secret:') === true
    ? checkClaim(claim, maskTexts(reader, mask()))
    : checked;
}

/** Characters of a line that are shown. */
const shown = 400;

/**
 * A single line does not show that it is part of a key, so the files of matches are read with `text`, which masks
 * keys. A match inside a masked part does not count: otherwise a secret could be guessed piece by piece.
 */
export function maskGrep(grep: TextGrep, text: TextReader, mask: Masker): TextGrep {
  return {
    async grep(request) {
      const reply = await grep.grep(request);
      const lineOf = createLineMasker(text);
      const lines = await Promise.all(reply.matches.map(lineOf));
      const hidden = lines.filter((line) => line.kind === 'hidden').map((line) => line.text);
      const kept = hidden.length === 0 ? new Set<string>() : await findStillMatching(request, hidden);
      const matches: LineMatch[] = [];
      for (const [index, match] of reply.matches.entries()) {
        const line = lines[index]!;
        if (line.kind === 'hidden') {
          if (kept.has(line.text)) matches.push(Object.freeze({ ...match, text: excerpt(line.text) }));
        } else if (line.kind === 'plain') matches.push(match);
        else matches.push(Object.freeze({ ...match, text: mask.text(match.text) }));
      }
      const droppedCount = reply.matches.length - matches.length;
      const note = `${droppedCount} matches were within secrets, which are hidden.`;
      return Object.freeze({
        ...reply,
        matches: Object.freeze(matches),
        notes: droppedCount === 0 ? reply.notes : Object.freeze([...reply.notes, note]),
      });
    },
  };
}

async function findStillMatching(
  request: Parameters<TextGrep['grep']>[0],
  lines: readonly string[],
): Promise<ReadonlySet<string>> {
  const numbers = await findMatchingLines(request, lines);
  return new Set([...numbers].map((number) => lines[number]!));
}

/** An unchanged line, a line with a masked part, or a line of a file that could not be read whole. */
type MaskedLine =
  | { readonly kind: 'plain' }
  | { readonly kind: 'hidden'; readonly text: string }
  | { readonly kind: 'unread' };

/** Maximum files whose lines are cached during one grep. */
const maxFiles = 64;

function createLineMasker(text: TextReader): (match: LineMatch) => Promise<MaskedLine> {
  const files = new Map<string, ReturnType<TextReader['readText']>>();
  return async ({ path, line }) => {
    let file = files.get(path);
    if (file === undefined) {
      if (files.size >= maxFiles) files.clear();
      file = text.readText(path);
      files.set(path, file);
    }
    const read = await file;
    if (read.kind !== 'text') return { kind: 'unread' };
    const own = read.lines[line - 1];
    return read.masked?.numbers.has(line) === true && own !== undefined
      ? { kind: 'hidden', text: own }
      : { kind: 'plain' };
  };
}

const excerpt = (line: string): string =>
  line.length <= shown ? line : `${line.slice(0, shown).toWellFormed()} …`;

/** Masks messages, names and lines of the git history. */
export function maskHistory(past: GitHistory, text: TextReader, mask: Masker): GitHistory {
  return {
    ...(past.readable && { readable: () => past.readable!() }),
    ...(past.unreadableReason && { unreadableReason: () => past.unreadableReason!() }),
    log: async (request) => mask.value(await past.log(request)),
    pickaxe: async (request) => mask.value(await past.pickaxe(request)),
    async blame(request) {
      const reply = await past.blame(request);
      const file = await text.readText(request.path);
      const maskLine = (line: number): string | undefined =>
        file.kind === 'text' && file.masked?.numbers.has(line) ? file.lines[line - 1] : undefined;
      // Masked as one text, since a key is recognised by the lines around it; further lines are read from the file.
      const lines = mask.text(reply.items.map((item) => item.text).join('\n')).split('\n');
      const items = reply.items.map((item, index) =>
        Object.freeze({ ...item, text: maskLine(item.line) ?? lines[index]! }),
      );
      return Object.freeze({ ...reply, items: Object.freeze(items) });
    },
  };
}
