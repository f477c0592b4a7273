/** Recognises repeated text: a built or vendored copy, or a message and its translations. */
import type { Evidence } from '../../../core/index.ts';

interface EvidenceText {
  readonly item: Evidence;
  /** The line of the piece that matches the query best. */
  readonly keyLine: string;
}

const minSharedPart = 0.7;
const minLines = 5;
/** Minimum letters and digits of a key line. Shorter ones may be equal by chance. */
const minKeyCharacters = 30;

export function hasSameText(piece: EvidenceText, other: EvidenceText): boolean {
  if (piece.item.file_path === other.item.file_path) return false;
  if (isSameKeyLine(piece.keyLine, other.keyLine)) return true;
  const lines = linesOf(piece.item);
  const others = linesOf(other.item);
  const smallerSize = Math.min(lines.size, others.size);
  return smallerSize >= minLines && lines.intersection(others).size >= minSharedPart * smallerSize;
}

function isSameKeyLine(line: string, other: string): boolean {
  const [a, b] = [lettersAndDigits(line), lettersAndDigits(other)];
  return Math.min(a.length, b.length) >= minKeyCharacters && (a.includes(b) || b.includes(a));
}

/** The letters and digits of a text in lower case, since quotation marks and continuations differ between formats. */
const lettersAndDigits = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

function linesOf({ content }: Evidence): ReadonlySet<string> {
  return new Set(
    content
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line.length > 3),
  );
}
