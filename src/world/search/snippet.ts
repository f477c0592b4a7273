/** The part of a text that contains most of the given words, on one line. */
const maxLength = 300;

/**
 * `words`: in lower case. Whole lines if they are short enough; `…` marks a cut. Also returns how many lines before the
 * end of the text the part begins, which tells the block if several were joined.
 */
export function bestPart(
  text: string,
  words: ReadonlySet<string>,
): { readonly snippet: string; readonly fromEnd: number } {
  const lines = withoutFront(text)
    .split(/\r?\n/)
    .map((line) => line.trim());
  let best = 0;
  let max = -1;
  lines.forEach((line, k) => {
    if (line === '') return;
    const lower = line.toLowerCase();
    // This is the maximum number of words that can be found as whole words, so that most lines need not be split into
    // words.
    let within = 0;
    for (const word of words) if (lower.includes(word)) within += 1;
    if (within <= max) return;
    const score = within === 0 ? 0 : countFound(lower, words);
    if (score > max) {
      max = score;
      best = k;
    }
  });
  let snippet = '';
  for (let k = best; k < lines.length && snippet.length < maxLength; k++) {
    if (lines[k] !== '') snippet += snippet === '' ? lines[k]! : ` ${lines[k]!}`;
  }
  return {
    snippet: snippet.length > maxLength ? `${cutAt(snippet, maxLength)}…` : snippet,
    fromEnd: lines.length - best,
  };
}

/**
 * Front matter of another kind, as site generators write it: first lines that are about the page and answer
 * nothing.
 */
function withoutFront(text: string): string {
  const rest = text.replace(/^\s*\+\+\+[ \t]*\r?\n(?:[\s\S]*?\n)?\+\+\+[ \t]*(?:\r?\n|$)/, '');
  return rest.trim() === '' ? text : rest;
}

function countFound(line: string, words: ReadonlySet<string>): number {
  return new Set((line.match(/[\p{L}\p{N}]{2,}/gu) ?? []).filter((word) => words.has(word))).size;
}

/** Cuts at a boundary between words if there is one near, and never within a character. */
function cutAt(text: string, length: number): string {
  const cut = text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
  const space = cut.lastIndexOf(' ');
  return space > length - 40 ? cut.slice(0, space) : cut;
}
