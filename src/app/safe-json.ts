/** Control and format characters that JSON allows unescaped, but that terminals may interpret. */
const unsafeCharacters = /[\u007F-\u009F\u2028\u2029]|\p{Cf}/gu;

const escapeCharacter = (character: string): string =>
  [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
    .join('');

/** Formats JSON so that it can be printed safely: `unsafeCharacters` are escaped, and nothing is lost. */
export const safeJson = (value: unknown, indent = 0): string =>
  JSON.stringify(value, null, indent).replace(unsafeCharacters, escapeCharacter);
