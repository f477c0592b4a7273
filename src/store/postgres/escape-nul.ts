/** The escape character for NUL, which `text` can't contain, but keys from clients may. */
const escaping = '\u001a';

export const escapeNul = (text: string): string =>
  text.replaceAll(escaping, `${escaping}1`).replaceAll('\u0000', `${escaping}0`);

export const unescapeNul = (text: string): string =>
  text.replaceAll(`${escaping}0`, '\u0000').replaceAll(`${escaping}1`, escaping);
