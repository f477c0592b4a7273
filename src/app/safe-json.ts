/** Invisible characters that JSON may hold unescaped, and that terminals or readers obey. */
const unsafe = /[\u007F-\u009F\u2028\u2029]|\p{Cf}/gu;

const escapeCharacter = (character: string): string =>
  [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
    .join('');

/** JSON for programs: it loses nothing, and can be printed even if its texts are hostile. */
export const safeJson = (value: unknown, indent = 0): string =>
  JSON.stringify(value, null, indent).replace(unsafe, escapeCharacter);
