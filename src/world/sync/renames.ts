/** Finds renamed files: pairs of a missing and a new file with similar content. Pure. */
import { lastSegment } from '../names.ts';

export interface GoneFile {
  readonly file: string;
  readonly hash: string | null;
  readonly inode: string;
  text(): string | null;
}

export interface NewFile {
  readonly file: string;
  readonly hash: string;
  readonly inode: string;
  readonly text: string;
}

/** Minimum similarity of two versions of a note, from 0 to 1. */
const minLikeness = 0.6;
/** Minimum similarity for files with the same inode. A minimum is needed, since file systems reuse inodes. */
const minLikenessSameInode = 0.3;
/** The number of consecutive words that are compared as a group, since single words occur in every note. */
const wordsPerGroup = 3;
/** Maximum number of comparisons. Beyond it, only equal texts are found. */
const maxComparisons = 20_000;
/** Minimum number of words of a text that can be compared. */
const minWords = 5;

/** The new names of renamed files, by their old names. The best matches are taken first, and each file is used once. */
export function findRenames(
  goneFiles: readonly GoneFile[],
  newFiles: readonly NewFile[],
): ReadonlyMap<string, string> {
  const newNames = new Map<string, string>();
  const matchedFiles = new Set<string>();
  const addMatch = (goneFile: GoneFile, other: NewFile): void => {
    newNames.set(goneFile.file, other.file);
    matchedFiles.add(other.file);
  };
  const listUnmatched = (): readonly GoneFile[] => goneFiles.filter(({ file }) => !newNames.has(file));
  const listFree = (): readonly NewFile[] => newFiles.filter(({ file }) => !matchedFiles.has(file));

  const sameText = (goneFile: GoneFile, other: NewFile): boolean =>
    goneFile.hash !== null && goneFile.hash === other.hash;
  const exactMatches: readonly ((one: GoneFile, other: NewFile) => boolean)[] = [
    (goneFile, other) => goneFile.inode === other.inode && sameText(goneFile, other),
    (goneFile, other) => lastSegment(goneFile.file) === lastSegment(other.file) && sameText(goneFile, other),
    (goneFile, other) => sameText(goneFile, other) && countWords(other.text) >= minWords,
  ];
  for (const isMatch of exactMatches) {
    const byHash = new Map<string, NewFile[]>();
    for (const other of listFree()) byHash.set(other.hash, [...(byHash.get(other.hash) ?? []), other]);
    for (const one of listUnmatched()) {
      const other = byHash
        .get(one.hash ?? '')
        ?.find((newFile) => !matchedFiles.has(newFile.file) && isMatch(one, newFile));
      if (other !== undefined) addMatch(one, other);
    }
  }
  const featuresByText = new Map<string, NoteFeatures>();
  const getFeatures = (text: string): NoteFeatures =>
    featuresByText.get(text) ?? featuresByText.set(text, extractFeatures(text)).get(text)!;
  const toPair = (one: GoneFile, text: string, other: NewFile): readonly Pair[] => {
    const likeness = measureLikeness(getFeatures(text), getFeatures(other.text));
    const minimum = one.inode !== '' && one.inode === other.inode ? minLikenessSameInode : minLikeness;
    return likeness >= minimum ? [{ one, other, likeness }] : [];
  };
  const canCompareAll = listUnmatched().length * listFree().length <= maxComparisons;
  const pairs = listUnmatched().flatMap((goneFile) => {
    const text = goneFile.text();
    if (text === null || countWords(text) < minWords) return [];
    const comparableFiles = listFree().filter(({ inode }) => canCompareAll || inode === goneFile.inode);
    return comparableFiles.flatMap((other) => toPair(goneFile, text, other));
  });
  pairs.sort((a, b) => b.likeness - a.likeness || (a.other.file < b.other.file ? -1 : 1));
  for (const { one, other } of pairs)
    if (!newNames.has(one.file) && !matchedFiles.has(other.file)) addMatch(one, other);
  return newNames;
}

/** Whether one text is an edited version of the other; false if it has too few words to tell. */
export function isSameNote(before: string, after: string): boolean {
  if (countWords(before) < minWords) return false;
  return before === after || measureLikeness(extractFeatures(before), extractFeatures(after)) >= minLikeness;
}

interface Pair {
  readonly one: GoneFile;
  readonly other: NewFile;
  readonly likeness: number;
}

interface NoteFeatures {
  readonly words: ReadonlySet<string>;
  /** Groups of consecutive words. */
  readonly rows: ReadonlySet<string>;
}

function extractFeatures(text: string): NoteFeatures {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const rows = words
    .slice(0, 1 - wordsPerGroup)
    .map((_, at) => words.slice(at, at + wordsPerGroup).join(' '));
  return { words: new Set(words), rows: new Set(rows) };
}

/**
 * The share of common words, or the share of the first text's word groups that the second contains, if that is higher.
 */
function measureLikeness(before: NoteFeatures, after: NoteFeatures): number {
  const total = before.words.size + after.words.size;
  const sharedWords = total === 0 ? 0 : (2 * before.words.intersection(after.words).size) / total;
  const keptGroups =
    before.rows.size === 0 ? 0 : before.rows.intersection(after.rows).size / before.rows.size;
  return Math.max(sharedWords, keptGroups);
}

const countWords = (text: string): number => text.match(/\S+/g)?.length ?? 0;
