/** Shows part of a very long line, such as a whole file of JSON or a program without line ends. */

/** Maximum number of words to look for in one line. */
const maxWords = 24;
/** Maximum number of occurrences of one word that are tried. */
const maxOccurrences = 400;

/**
 * Returns a part of a line with at most `characters` characters: around the matched text, else where most of the words
 * are close together, else the beginning. It has no mark of the cut, so that it can be found in the line again.
 */
export function cutLongLine(line: string, near: string, characters: number): string {
  if (line.length <= characters) return line;
  const whole = near.trim().replace(/^\u2026 | \u2026$/g, '');
  const at = whole === '' ? -1 : line.indexOf(whole);
  const [from, to] = at >= 0 ? [at, at + whole.length] : findDensestWindow(line, near, characters);
  const start = Math.max(0, Math.min(Math.floor((from + to - characters) / 2), line.length - characters));
  return trimHalfSurrogates(line, start, start + characters);
}

/** Removes half a pair of surrogates at either end. */
function trimHalfSurrogates(line: string, start: number, end: number): string {
  const part = line.slice(start, end);
  return part.replace(/^[\uDC00-\uDFFF]/, '').replace(/[\uD800-\uDBFF]$/, '');
}

/** The window with at most `characters` characters that contains most of the words. A rare word counts more. */
function findDensestWindow(line: string, near: string, characters: number): readonly [number, number] {
  const folded = line.toLowerCase();
  const words = [...new Set(near.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? [])].slice(0, maxWords);
  const occurrences = words
    .flatMap((word) => {
      const at: number[] = [];
      for (
        let i = folded.indexOf(word);
        i >= 0 && at.length < maxOccurrences;
        i = folded.indexOf(word, i + word.length)
      )
        at.push(i);
      return at.map((start) => ({ start, end: start + word.length, word, worth: 1 / at.length }));
    })
    .sort((a, b) => a.start - b.start);
  let best: readonly [number, number] = [0, 0];
  let max = 0;
  const countInWindow = new Map<string, number>();
  let sum = 0;
  let first = 0;
  for (const occurrence of occurrences) {
    while (occurrence.end - occurrences[first]!.start > characters) {
      const { word, worth } = occurrences[first++]!;
      const left = countInWindow.get(word)! - 1;
      countInWindow.set(word, left);
      if (left === 0) sum -= 1 + worth;
    }
    const count = countInWindow.get(occurrence.word) ?? 0;
    countInWindow.set(occurrence.word, count + 1);
    if (count === 0) sum += 1 + occurrence.worth;
    if (sum > max) {
      max = sum;
      best = [occurrences[first]!.start, occurrence.end];
    }
  }
  return best;
}
