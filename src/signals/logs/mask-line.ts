/**
 * Masks the variable parts of a line in one pass: numbers, ids, addresses, times. What is left is the pattern of the
 * line.
 */

/**
 * The kind of each ASCII character. 0: between words; 1: letter or `_`; 2: digit; 3: joins parts of a word (`.`, `-`);
 * 4: white space.
 */
const characterKinds = new Uint8Array(128);
for (let c = 65; c <= 90; c++) characterKinds[c] = characterKinds[c + 32] = 1;
for (let c = 48; c <= 57; c++) characterKinds[c] = 2;
characterKinds['_'.charCodeAt(0)] = 1;
characterKinds['.'.charCodeAt(0)] = characterKinds['-'.charCodeAt(0)] = 3;
for (const c of [9, 10, 11, 12, 13, 32]) characterKinds[c] = 4;

export const wildcard = '<*>';

/** Maximum characters of a name with a digit, such as `p99` or `v2`; a longer word with a digit counts as an id. */
const maxNameLength = 4;

/**
 * A word (letters, digits, `_`, joined by `.` and `-`) with a digit in it becomes `<*>`, unless it is as short
 * as a name and starts with a letter. White space becomes one space; wildcards in a row become one.
 */
export function maskLine(line: string): string {
  let out = '';
  let copiedUpTo = 0;
  let k = 0;
  const end = line.length;
  while (k < end) {
    const kind = kindAt(line, k);
    if (kind === 0) {
      k++;
    } else if (kind === 4) {
      let next = k + 1;
      while (next < end && kindAt(line, next) === 4) next++;
      if (next > k + 1 || line.charCodeAt(k) !== 32) {
        out += `${line.slice(copiedUpTo, k)} `;
        copiedUpTo = next;
      }
      k = next;
    } else {
      const start = k;
      let digits = 0;
      let lastCharacter = k;
      for (; k < end; k++) {
        const innerKind = kindAt(line, k);
        if (innerKind === 2) digits++;
        else if (innerKind !== 1 && innerKind !== 3) break;
        if (innerKind !== 3) lastCharacter = k;
      }
      // A full stop after a number does not belong to it.
      const wordEnd = lastCharacter + 1;
      if (digits > 0 && !(wordEnd - start <= maxNameLength && kindAt(line, start) === 1)) {
        out += line.slice(copiedUpTo, start) + wildcard;
        copiedUpTo = wordEnd;
      }
    }
  }
  if (copiedUpTo === 0) return line;
  out += line.slice(copiedUpTo);
  return /<\*>[ :]<\*>/.test(out) ? out.replace(/<\*>(?: <\*>)+|<\*>(?::<\*>){2,}/g, wildcard) : out;
}

function kindAt(line: string, k: number): number {
  const c = line.charCodeAt(k);
  return c < 128 ? characterKinds[c]! : 1;
}
