/** Wraps the readers of a folder so that callers see marks in place of secrets. */
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

/** Masks the secrets in texts. The hashes of the original lines are kept: see `FileText.masked`. */
export function maskTexts(reader: TextReader, { file: maskFile }: Masker): TextReader {
  // A text at a commit never changes, and is read many times.
  const maskedTexts = new WeakMap<FileText, FileText>();
  return {
    async readText(path, commit) {
      const file = await reader.readText(path, commit);
      if (file.kind !== 'text') return file;
      const cachedText = maskedTexts.get(file);
      if (cachedText !== undefined) return cachedText;
      const diff = diffPath.exec(path);
      const masked = diff === null ? maskFile(file) : await maskDiff(file, diff, reader, maskFile);
      maskedTexts.set(file, masked);
      return masked;
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
  maskFile: (file: FileText) => FileText,
): Promise<FileText> {
  const maskedLines = new Map<string, string>();
  for (const revision of [commit, `${commit}^`]) {
    const version = await reader.readText(path, revision);
    if (version.kind !== 'text') continue;
    const maskedVersion = maskFile(version).lines;
    for (const [nth, line] of version.lines.entries())
      if (maskedVersion[nth] !== line) maskedLines.set(line, maskedVersion[nth] ?? '');
  }
  const signs = file.lines.map((line) => /^[-+ ]/.exec(line)?.[0] ?? '');
  const unsignedLines = file.lines.map((line, at) => line.slice(signs[at]!.length));
  const { lines } = maskFile({
    kind: 'text',
    lines: unsignedLines.map((line) => maskedLines.get(line) ?? line),
  });
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
const maxShown = 400;

/**
 * Masks the secrets in matches. A single line does not show that it is part of a key, so the files of matches are read
 * with `maskedReader`, which masks keys. A match inside a masked part does not count: otherwise a secret could be guessed piece by piece.
 */
export function maskGrep(grep: TextGrep, maskedReader: TextReader, mask: Masker): TextGrep {
  return {
    async grep(request) {
      const reply = await grep.grep(request);
      const lineOf = createLineMasker(maskedReader);
      const lines = await Promise.all(reply.matches.map(lineOf));
      const hiddenLines = lines.filter((line) => line.kind === 'hidden').map((line) => line.text);
      const stillMatching =
        hiddenLines.length === 0 ? new Set<string>() : await findStillMatching(request, hiddenLines);
      const matches: LineMatch[] = [];
      for (const [index, match] of reply.matches.entries()) {
        const line = lines[index]!;
        if (line.kind === 'hidden') {
          if (stillMatching.has(line.text))
            matches.push(Object.freeze({ ...match, text: excerpt(line.text) }));
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

function createLineMasker(maskedReader: TextReader): (match: LineMatch) => Promise<MaskedLine> {
  const files = new Map<string, ReturnType<TextReader['readText']>>();
  return async ({ path, line }) => {
    let file = files.get(path);
    if (file === undefined) {
      if (files.size >= maxFiles) files.clear();
      file = maskedReader.readText(path);
      files.set(path, file);
    }
    const fileText = await file;
    if (fileText.kind !== 'text') return { kind: 'unread' };
    const lineText = fileText.lines[line - 1];
    return fileText.masked?.numbers.has(line) === true && lineText !== undefined
      ? { kind: 'hidden', text: lineText }
      : { kind: 'plain' };
  };
}

const excerpt = (line: string): string =>
  line.length <= maxShown ? line : `${line.slice(0, maxShown).toWellFormed()} …`;

/** Masks messages, names and lines of the git history. */
export function maskHistory(history: GitHistory, maskedReader: TextReader, mask: Masker): GitHistory {
  return {
    ...(history.readable && { readable: () => history.readable!() }),
    ...(history.unreadableReason && { unreadableReason: () => history.unreadableReason!() }),
    log: async (request) => mask.value(await history.log(request)),
    pickaxe: async (request) => mask.value(await history.pickaxe(request)),
    async blame(request) {
      const reply = await history.blame(request);
      const file = await maskedReader.readText(request.path);
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
