/** Converts a text into one spelling: Unicode forms, quotation marks, dashes, spaces. */

const invisible = /[\u200B-\u200D\u2060\uFEFF\u00AD]/g;

export function normalizeUnicode(text: string): string {
  return text
    .normalize('NFKC')
    .replace(invisible, '')
    .replace(/[‘’‚‛′]/g, "'")
    .replace(/[“”„‟″«»「」『』]/g, '"')
    .replace(/[‐‑‒–—−]/g, '-')
    .replace(/[→⇒➜]/g, '->')
    .replace(/[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g, ' ');
}

/** A text without any spaces, for code that is laid out differently. */
export const removeSpaces = (text: string): string => text.replace(/\s+/g, '');

export const collapseSpaces = (text: string): string => text.replace(/\s+/g, ' ').trim();
