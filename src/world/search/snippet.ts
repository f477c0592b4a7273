/** Maximum characters of a snippet. */
const maxLength = 300;

/**
 * Finds the lines with the most of the given words, and joins them to one line; `…` marks a cut. `words`: in lower
 * case. `fromEnd`: how many lines before the end of the text the snippet begins.
 */
export function findBestPart(
  text: string,
  words: ReadonlySet<string>,
): { readonly snippet: string; readonly fromEnd: number } {
  const lines = removeTomlFront(text)
    .split(/\r?\n/)
    .map((line) => line.trim());
  let best = 0;
  let max = -1;
  lines.forEach((line, k) => {
    if (line === '') return;
    const lower = line.toLowerCase();
    // An upper bound on the number of whole words, so that most lines need not be split into words.
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
    snippet: snippet.length > maxLength ? `${cutText(snippet, maxLength)}…` : snippet,
    fromEnd: lines.length - best,
  };
}

/** Removes front matter in TOML (`+++`), as site generators write it. */
function removeTomlFront(text: string): string {
  const rest = text.replace(/^\s*\+\+\+[ \t]*\r?\n(?:[\s\S]*?\n)?\+\+\+[ \t]*(?:\r?\n|$)/, '');
  return rest.trim() === '' ? text : rest;
}

function countFound(line: string, words: ReadonlySet<string>): number {
  return new Set((line.match(/[\p{L}\p{N}]{2,}/gu) ?? []).filter((word) => words.has(word))).size;
}

/** Cuts at a space if there is one near, and never within a character. */
function cutText(text: string, length: number): string {
  const cut = text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
  const space = cut.lastIndexOf(' ');
  return space > length - 40 ? cut.slice(0, space) : cut;
}
