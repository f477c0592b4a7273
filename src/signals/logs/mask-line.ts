/**
 * Masks the variable parts of a line in one pass: numbers, ids, addresses, times. What is left is the pattern of the
 * line.
 */

/** 0: between words; 1: letter or `_`; 2: digit; 3: joins within a word (`.`, `-`); 4: white space. */
const kinds = new Uint8Array(128);
for (let c = 65; c <= 90; c++) kinds[c] = kinds[c + 32] = 1;
for (let c = 48; c <= 57; c++) kinds[c] = 2;
kinds['_'.charCodeAt(0)] = 1;
kinds['.'.charCodeAt(0)] = kinds['-'.charCodeAt(0)] = 3;
for (const c of [9, 10, 11, 12, 13, 32]) kinds[c] = 4;

export const wildcard = '<*>';

/** Names that hold a digit: `p99`, `v2`, `http2`, `5xx`. A longer word with a digit is an id. */
const shortName = 4;

/**
 * A word (letters, digits, `_`, joined by `.` and `-`) with a digit in it becomes `<*>`, unless it is as short
 * as a name and starts with a letter. White space becomes one space; wildcards in a row become one.
 */
export function maskLine(line: string): string {
  let out = '';
  let copied = 0;
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
        out += `${line.slice(copied, k)} `;
        copied = next;
      }
      k = next;
    } else {
      const start = k;
      let digits = 0;
      let last = k;
      for (; k < end; k++) {
        const inside = kindAt(line, k);
        if (inside === 2) digits++;
        else if (inside !== 1 && inside !== 3) break;
        if (inside !== 3) last = k;
      }
      // A full stop after a number does not belong to it.
      const stop = last + 1;
      if (digits > 0 && !(stop - start <= shortName && kindAt(line, start) === 1)) {
        out += line.slice(copied, start) + wildcard;
        copied = stop;
      }
    }
  }
  if (copied === 0) return line;
  out += line.slice(copied);
  return /<\*>[ :]<\*>/.test(out) ? out.replace(/<\*>(?: <\*>)+|<\*>(?::<\*>){2,}/g, wildcard) : out;
}

function kindAt(line: string, k: number): number {
  const c = line.charCodeAt(k);
  return c < 128 ? kinds[c]! : 1;
}
