/** Finds repeated text: a built or vendored copy, or a message and its translations. */
import type { Evidence } from '../../../core/index.ts';

interface EvidenceText {
  readonly item: Evidence;
  /** The line of the piece that says most. */
  readonly text: string;
}

const sameShare = 0.7;
const minLines = 5;
/** Minimum characters of a line that can't be the same by chance. */
const minLine = 30;

export function isTwin(evidenceText: EvidenceText, other: EvidenceText): boolean {
  if (evidenceText.item.file_path === other.item.file_path) return false;
  if (isSameLine(evidenceText.text, other.text)) return true;
  const lines = linesOf(evidenceText.item);
  const others = linesOf(other.item);
  const fewer = Math.min(lines.size, others.size);
  return fewer >= minLines && lines.intersection(others).size >= sameShare * fewer;
}

function isSameLine(one: string, other: string): boolean {
  const [a, b] = [bare(one), bare(other)];
  return Math.min(a.length, b.length) >= minLine && (a.includes(b) || b.includes(a));
}

/** The letters and digits of a text. Quotation marks and continuations differ from format to format. */
const bare = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

function linesOf({ content }: Evidence): ReadonlySet<string> {
  return new Set(
    content
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line.length > 3),
  );
}
