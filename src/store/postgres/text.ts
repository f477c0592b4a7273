/** Escapes NUL characters: a text of PostgreSQL cannot hold them, and keys that others give us may have them. */
const escaping = '\u001a';

export const storable = (text: string): string =>
  text.replaceAll(escaping, `${escaping}1`).replaceAll('\u0000', `${escaping}0`);

export const asGiven = (text: string): string =>
  text.replaceAll(`${escaping}0`, '\u0000').replaceAll(`${escaping}1`, escaping);
